import fc from "fast-check";

/** Text of every kind, valid and invalid. */
export const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.constantFrom(
    "",
    " ",
    "a ",
    "null",
    "\0",
    "\ud800",
    "🎵🎵🎵🎵🎵🎵",
    "\u{10ffff}",
    "\ufeff",
    "\r\n",
    "'; --",
    "\\x00",
  ),
);
const anyInteger = (bits: number) =>
  fc.oneof(fc.integer(), fc.constantFrom(2 ** (bits - 1) - 1, -(2 ** (bits - 1)), 2 ** (bits - 1), 0, -0, 1.5));
const digits = (max: number) => fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: max });
const decimalText = (complete: number, fraction: number) =>
  fc
    .tuple(fc.constantFrom("", "-"), digits(complete + 1), fc.option(digits(fraction + 1)))
    .map(([sign, before, after]) => `${sign}${before}${after === null ? "" : `.${after}`}`);
const anyDecimal = (complete: number, fraction: number) =>
  fc.oneof(
    decimalText(complete, fraction),
    fc.double({ noNaN: true }),
    fc.integer(),
    fc.constantFrom("1e3", "+1", ".5", "NaN"),
  );
const anyDate = fc.oneof(
  fc
    .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    "2024-02-29",
    "2024-02-29T10:00",
    "2024-02-29T10:00:00+05:30",
    "2024-02-29T10:00:00.5Z",
    "2024-02-30",
    "0000-01-01",
    "now",
  ),
);
const day = anyDate.map((text) => text.slice(0, 10));
const timeOfDay = fc.integer({ min: -1, max: 86_400_000 }).map((time) => new Date(time).toISOString());
const anyFloat = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0.1, 1e308, 5e-324, 2 ** 53, Number.MAX_VALUE));
const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom<unknown>(2 ** 60, { a: "\0" }, { b: 1, a: 2 }, [null], { "": "" }, 1e-320, "null", {
    _ref: "id",
    _container: "Value",
  }),
);
const bits = (max: number) => fc.string({ unit: fc.constantFrom("0", "1"), maxLength: max });

/** Body values by the field name in `Value`, valid and invalid. */
export const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: anyText,
  boolean: fc.boolean(),
  int: anyInteger(32),
  bigInt: fc.oneof(fc.bigInt({ min: -(2n ** 63n) - 1n, max: 2n ** 63n }).map(String), fc.integer(), fc.double()),
  float: anyFloat,
  decimal: anyDecimal(35, 30),
  dateTime: anyDate,
  json: anyJson,
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString("base64")),
    fc.base64String(),
  ),
  size: fc.constantFrom("SMALL", "MEDIUM", "LARGE", "XL"),
  text: anyText,
  char: anyText,
  varChar: anyText,
  bit: bits(4),
  varBit: bits(6),
  uuid: fc.oneof(fc.uuid(), fc.constantFrom("6F2C1F0E-6A9E-4A52-9A0E-0D1E4B3F2A11", "x")),
  xml: fc.oneof(
    fc.constantFrom("<a/>", "<a b='c'>d&amp;</a>", "a<b/>c", " <a/> ", "<?xml version='1.0'?><a/>", "<a>"),
    anyText,
  ),
  inet: fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom("10.0.0.0/8", "::1", "10.0.0.1/32", "nope", "::ffff:1.2.3.4")),
  smallInt: anyInteger(16),
  oid: anyInteger(32),
  real: fc.oneof(fc.float({ noNaN: true }), anyFloat),
  money: anyDecimal(17, 2),
  price: anyDecimal(8, 2),
  seconds: anyDate,
  instant: anyDate,
  date: fc.oneof(day, anyDate),
  time: fc.oneof(timeOfDay, anyDate),
  timetz: fc.oneof(timeOfDay, anyDate),
  plainJson: anyJson,
};
/** The same for the fields of `Listing`. */
export const lists: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  strings: anyText,
  booleans: fc.boolean(),
  ints: anyInteger(32),
  bigInts: values.bigInt ?? fc.constant(0),
  floats: anyFloat,
  decimals: anyDecimal(35, 30),
  dateTimes: anyDate,
  jsons: anyJson,
  bytes: values.bytes ?? fc.constant(""),
  sizes: fc.constantFrom("SMALL", "LARGE"),
  uuids: fc.uuid(),
  varChars: anyText,
  dates: day,
  reals: fc.float({ noNaN: true }),
  smallInts: anyInteger(16),
  prices: anyDecimal(8, 2),
};

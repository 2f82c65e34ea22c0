/** A type of column: its seed values, its operators, and its invalid values. */
export interface ColumnKind {
  /** The type in SQL, for casts. */
  readonly type: string;
  /** As a client writes them. */
  readonly values: readonly string[];
  /** SQL of a value; by default a quoted text with a cast. */
  readonly literal?: (value: string) => string;
  readonly operators: readonly string[];
  /** Operands that no operator accepts, except `null`. */
  readonly misfits: readonly string[];
}

export const equality = ["equals", "not", "in", "notIn"];
const comparable = [...equality, "lt", "lte", "gt", "gte"];
export const exactText = ["contains", "startsWith", "endsWith"];
export const looseText = ["icontains", "istartsWith", "iendsWith", "iequals"];
const text = [...comparable, ...exactText, ...looseText];

export const quote = (value: string): string => `'${value.replaceAll("'", "''")}'`;

const texts = [
  ...'a|A|ab|AB|%|_|\\|a%b|a_b|a\\b|it\'s|"q"|"|x,y|null|true|2024|1.50| lead|trail |ä|Ä|日本|🎵|a\\,b|[x]'.split("|"),
  "",
  "line\nbreak",
];
const short = texts.filter((value) => [...value].length <= 6);
const padded = texts.filter((value) => [...value].length <= 4 && !value.endsWith(" "));
const integers = ["0", "1", "-1", "42", "32767", "-32768"];
const noInteger = ["abc", "1.5", "1e3", "007", "+1", "0x10", " 1", "", "true", "99999999999999999999"];
const noNumber = ["abc", "", "1e400", "nan", "inf", "1,5x", "0x10"];
const dates = ["2024-02-29T12:30:00.123Z", "2024-02-29T12:30:00.124Z", "1970-01-01T00:00:00.000Z"];
const farDates = ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"];
const noDate = ["abc", "", "2024", "2024-02-30", "2024-01-01T25:00:00Z", "10000-01-01", "1700000000"];
const timeOf = (value: string): string => value.slice(11);
const uuids = ["00000000-0000-0000-0000-000000000000", "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11"];
const moreUuids = [...uuids, "ffffffff-ffff-ffff-ffff-ffffffffffff"];
const decimals = ["0", "0.1", "-0.1", "12.5", "12.50", "99999999.99", "-99999999.99"];
const json = ["1", "1.5", "true", "false", '"abc"', '"null"', '"1"', '""'];
const sizes: Readonly<Record<string, string>> = { SMALL: "a small one", MEDIUM: "MEDIUM", LARGE: "XL" };

/** Every kind of column by its field name in `Value` and `Must`. */
export const columnKinds: Readonly<Record<string, ColumnKind>> = {
  string: { type: "text", values: texts, operators: text, misfits: ["a\0"] },
  boolean: {
    type: "boolean",
    values: ["true", "false"],
    operators: ["equals", "not"],
    misfits: ["1", "yes", "", "TRUE"],
  },
  int: {
    type: "int",
    values: [...integers, "2147483647", "-2147483648"],
    operators: comparable,
    misfits: [...noInteger, "2147483648"],
  },
  bigInt: {
    type: "bigint",
    values: [...integers, "9007199254740993", "9223372036854775807", "-9223372036854775808"],
    operators: comparable,
    misfits: [...noInteger, "9223372036854775808"],
  },
  float: {
    type: "double precision",
    values: ["0", "0.1", "-0.5", "1e21", "1.7976931348623157e308", "5e-324", "123456789.123"],
    operators: comparable,
    misfits: noNumber,
  },
  decimal: {
    type: "numeric",
    values: [...decimals, `${"9".repeat(35)}.${"9".repeat(30)}`, `0.${"0".repeat(29)}1`],
    operators: comparable,
    misfits: [...noNumber, "1e3"],
  },
  dateTime: { type: "timestamp", values: [...dates, ...farDates], operators: comparable, misfits: noDate },
  json: { type: "jsonb", values: json, operators: ["equals", "not"], misfits: ["abc", "", "{}", "[1]", "1e400"] },
  bytes: {
    type: "bytea",
    values: ["", "AP8=", "AA==", "YWJj"],
    literal: (value) => `decode(${quote(value)}, 'base64')`,
    operators: equality,
    misfits: ["a", "===", "AP8", "AP9=", "é"],
  },
  size: {
    type: '"size_of_things"',
    values: Object.keys(sizes),
    literal: (value) => `${quote(sizes[value] ?? "")}::"size_of_things"`,
    operators: equality,
    misfits: ["XL", "small", "", "a small one"],
  },
  text: { type: "text", values: texts.slice(0, 6), operators: text, misfits: ["a\0"] },
  char: { type: "bpchar", values: padded, operators: text.filter((one) => one !== "iendsWith"), misfits: ["a\0"] },
  varChar: { type: "varchar", values: short.slice(3, 12), operators: text, misfits: ["a\0"] },
  bit: {
    type: "bit(3)",
    values: ["000", "101", "111"],
    operators: comparable,
    misfits: ["", "1", "1111", "abc", "102"],
  },
  varBit: { type: "varbit", values: ["", "1", "101", "10101"], operators: comparable, misfits: ["2", "111111", "abc"] },
  uuid: {
    type: "uuid",
    values: moreUuids,
    operators: comparable,
    misfits: ["", "abc", "6f2c1f0e6a9e4a529a0e0d1e4b3f2a11"],
  },
  xml: {
    type: "xml",
    values: ["<a/>", "<a>100%</a>", "<a_b>x</a_b>", "<b>A</b>", "text"],
    operators: exactText,
    misfits: ["a\0"],
  },
  inet: {
    type: "inet",
    values: ["10.0.0.1", "10.0.0.0/8", "192.168.1.255", "::1", "2001:db8::/32", "0.0.0.0"],
    operators: comparable,
    misfits: ["", "nope", "10.0.0", "10.0.0.256", "10.0.0.1/33", "::1/129", "fe80::1%eth0", "10.0.0.1/"],
  },
  smallInt: { type: "smallint", values: integers, operators: comparable, misfits: [...noInteger, "32768", "-32769"] },
  oid: {
    type: "oid",
    values: ["0", "1", "2147483647"],
    operators: comparable,
    misfits: [...noInteger, "-1", "2147483648"],
  },
  real: {
    type: "real",
    values: ["0", "0.1", "-2.5", "3.4028235e38", "1e-45", "16777216"],
    operators: comparable,
    misfits: [...noNumber, "1e39"],
  },
  money: {
    type: "money",
    values: ["0", "0.01", "-5", "1234.56", "92233720368547758.07"],
    literal: (value) => `${quote(value)}::numeric::money`,
    operators: comparable,
    misfits: noNumber,
  },
  price: { type: "numeric", values: decimals, operators: comparable, misfits: noNumber },
  seconds: {
    type: "timestamp",
    values: ["2024-02-29T12:30:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"],
    operators: comparable,
    misfits: noDate,
  },
  instant: { type: "timestamptz", values: [...dates, ...farDates], operators: comparable, misfits: noDate },
  date: {
    type: "date",
    values: ["2024-02-29", "0001-01-01", "9999-12-31", "1970-01-01"],
    operators: comparable,
    misfits: [...noDate, "2024-02-29T12:00:00Z"],
  },
  time: {
    type: "time",
    values: ["1970-01-01T00:00:00Z", "1970-01-01T12:30:00.123Z", "1970-01-01T23:59:59.999Z"],
    literal: (value) => `${quote(timeOf(value))}::time`,
    operators: comparable,
    misfits: [...noDate, "2024-02-29T12:00:00Z", "12:00:00"],
  },
  timetz: {
    type: "timetz",
    values: ["1970-01-01T00:00:00Z", "1970-01-01T12:30:00.123Z", "1970-01-01T23:59:59.999Z"],
    literal: (value) => `${quote(timeOf(value))}::timetz`,
    operators: comparable,
    misfits: [...noDate, "2024-02-29T12:00:00Z", "12:00:00"],
  },
  plainJson: { type: "json", values: json, operators: ["equals", "not"], misfits: ["abc", "", "{}"] },
};

const membership = ["has", "hasSome", "hasEvery", "isEmpty", "equals"];
const listOf = (name: string, operators = membership): ColumnKind => {
  const kind = columnKinds[name];
  if (kind === undefined) throw new Error(name);
  return { ...kind, operators };
};

/** Every kind of list by its field name in `Listing`. */
export const listKinds: Readonly<Record<string, ColumnKind>> = {
  strings: listOf("string"),
  booleans: listOf("boolean"),
  ints: listOf("int"),
  bigInts: listOf("bigInt"),
  floats: listOf("float"),
  decimals: listOf("decimal"),
  dateTimes: listOf("dateTime"),
  jsons: listOf("json"),
  bytes: listOf("bytes", ["has", "isEmpty"]),
  sizes: listOf("size"),
  uuids: listOf("uuid"),
  varChars: listOf("varChar"),
  dates: listOf("date"),
  reals: listOf("real"),
  smallInts: listOf("smallInt"),
  prices: listOf("price"),
};

/** SQL of a value of this kind. */
export const literal = ({ type, literal: own }: ColumnKind, value: string): string =>
  own?.(value) ?? `${quote(value)}::${type}`;

export const everyOperator = [
  ...text,
  "isNull",
  "has",
  "hasSome",
  "hasEvery",
  "isEmpty",
  "some",
  "every",
  "none",
  "is",
  "isNot",
];

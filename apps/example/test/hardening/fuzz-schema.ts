import fc from "fast-check";

/** A JSON Schema of the document, as far as values are generated from it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

const hugeText = "x".repeat(70_000);

/** Values that often cause errors in programs. */
export const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  1e308,
  5e-324,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u202e",
  "e\u0301\u{1F469}\u200D\u{1F680}",
  "%",
  "%_\\",
  "\\",
  "'",
  '"; DROP TABLE "User"; --',
  "null",
  "undefined",
  "NaN",
  "Infinity",
  "9007199254740993",
  "1e400",
  "0x10",
  "-0",
  "0000-00-00",
  "2026-02-30T25:61:61Z",
  "+275760-09-13T00:00:00.001Z",
  "../../etc/passwd",
  "constructor",
  hugeText,
  [],
  {},
  [[]],
  [null],
  { id: null },
  { id: {} },
  { $delete: true },
  { _ref: "id", _container: "User" },
  { constructor: { prototype: {} } },
];

const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...oddValues) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "date-time": fc
    .date({ min: new Date("1900-01-01"), max: new Date("2200-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  date: fc.constantFrom("2026-01-31", "1999-12-31"),
  uuid: fc.uuid(),
  email: fc.emailAddress(),
  uri: fc.webUrl(),
};

/** Generates values of a schema, and sometimes others in their place. */
export function makeValues(components: object): (schema: Schema) => fc.Arbitrary<unknown> {
  const find = (reference: string): Schema =>
    reference
      .split("/")
      .slice(2)
      .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], components) as Schema;

  const exact = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    if (schema.$ref !== undefined) return exact(find(schema.$ref), depth);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined) return fc.oneof(...choices.map((choice) => of(choice, depth)));
    if (schema.allOf !== undefined) {
      return fc
        .tuple(...schema.allOf.map((part) => of(part, depth)))
        .map((parts) => Object.assign({}, ...parts.filter((part) => typeof part === "object")));
    }
    if (Array.isArray(schema.type)) {
      return fc.oneof(...schema.type.map((type: string) => exact({ ...schema, type }, depth)));
    }
    switch (schema.type) {
      case "integer":
        return fc.oneof(
          fc.integer({ min: 1, max: 40 }),
          fc.integer({ min: Math.ceil(schema.minimum ?? -(2 ** 31)), max: Math.floor(schema.maximum ?? 2 ** 31 - 1) }),
        );
      case "number":
        return fc.oneof(fc.integer({ min: 0, max: 100 }), fc.double({ noNaN: true }));
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "string":
        return text(schema);
      case "array":
        return depth > 4 ? fc.constant([]) : fc.array(of(schema.items ?? {}, depth + 1), { maxLength: 3 });
      case "object": {
        if (depth > 4) return fc.constant({});
        const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, of(inner, depth + 1)]);
        return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
      }
      default:
        return anything;
    }
  };

  // A route is drawn many times, and its generators are expensive to build.
  const known = new WeakMap<Schema, fc.Arbitrary<unknown>[]>();
  // Lazily, because a schema may be recursive.
  const late = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    let made: fc.Arbitrary<unknown> | undefined;
    return fc.constant(undefined).chain(() => {
      made ??= exact(schema, depth);
      return made;
    });
  };
  const of = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    const ofDepths = known.get(schema) ?? [];
    known.set(schema, ofDepths);
    const made =
      ofDepths[depth] ?? fc.oneof({ weight: 12, arbitrary: late(schema, depth) }, { weight: 1, arbitrary: anything });
    ofDepths[depth] = made;
    return made;
  };

  return (schema) => of(schema, 0);
}

// Expensive to build, and many fields are equal.
const texts = new Map<string, fc.Arbitrary<string>>();

function text(schema: Schema): fc.Arbitrary<string> {
  const { format, pattern, maxLength = 40 } = schema;
  const key = JSON.stringify([format, pattern, maxLength]);
  const made = texts.get(key) ?? makeText(schema);
  texts.set(key, made);
  return made;
}

const words = fc.stringMatching(/^[a-z]{1,12}$/);
const amounts = fc.nat(10_000).map((cents) => (cents / 100).toFixed(2));

function makeText({ format, pattern, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  const known = format === undefined ? undefined : formats[format];
  if (known !== undefined) return known;
  const free = fc.oneof(fc.string({ unit: "grapheme", maxLength: Math.min(maxLength, 40) }), words, amounts);
  if (pattern === undefined) return free;
  try {
    return fc.oneof(fc.stringMatching(new RegExp(pattern)), free);
  } catch {
    return free;
  }
}

export { anything };

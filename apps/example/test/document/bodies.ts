import fc from "fast-check";

/** A JSON Schema of a document, as far as bodies are generated from it. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly format?: string;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly contentEncoding?: string;
}

/** The minimum of a schema, its maximum, or anything between. */
export type Fill = "minimal" | "maximal" | "random";

/** The maximum depth of a body, because relations are cyclic. */
const deepest = 2;

/** Generates values of schemas from a document alone. */
export function makeBodies(
  schemas: Readonly<Record<string, Schema>>,
): (schema: Schema, fill: Fill) => fc.Arbitrary<unknown> {
  const resolve = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema;
    const found = schemas[schema.$ref.split("/").at(-1) ?? ""];
    if (found === undefined) throw new Error(`There is no ${schema.$ref}.`);
    return resolve(found);
  };

  /** One object with all parts combined, one option of each choice. */
  const complete = (given: Schema, choose: (choices: readonly Schema[]) => Schema): Schema => {
    const schema = resolve(given);
    const parts = [...(schema.allOf ?? []), ...(schema.anyOf === undefined ? [] : [choose(schema.anyOf)])].map((part) =>
      complete(part, choose),
    );
    if (parts.length === 0) return schema;
    const { allOf: _allOf, anyOf: _anyOf, ...own } = schema;
    const properties: Record<string, Schema> = { ...own.properties };
    for (const part of parts) {
      // A part that only requires a property does not describe it.
      for (const [name, property] of Object.entries(part.properties ?? {}))
        if (properties[name] === undefined || Object.keys(property).length > 0) properties[name] = property;
    }
    const required = [...new Set([own, ...parts].flatMap((part) => part.required ?? []))];
    const [first = own] = parts;
    return own.type === undefined && own.properties === undefined
      ? { ...first, ...(Object.keys(properties).length > 0 && { properties, required }) }
      : { ...own, ...(first.not !== undefined && { not: first.not }), properties, required };
  };

  /** The same; if the options exclude each other, the first of each, which have different fields. */
  const consistent = (given: Schema, choose: (choices: readonly Schema[]) => Schema): Schema => {
    const chosen = complete(given, choose);
    const required = new Set(chosen.required ?? []);
    const isContradiction = pairsOf(chosen.not).some(
      (pair) => pair.length > 0 && pair.every((name) => required.has(name)),
    );
    return isContradiction ? complete(given, ([first]) => first as Schema) : chosen;
  };

  const make = (given: Schema, fill: Fill, depth: number): fc.Arbitrary<unknown> => {
    if (fill !== "random")
      return one(
        consistent(given, (choices) => nonNull(choices, fill)),
        fill,
        depth,
      );
    return fc.nat(1000).chain((by) =>
      one(
        consistent(given, (choices) => choices[by % choices.length] as Schema),
        fill,
        depth,
      ),
    );
  };

  const one = (schema: Schema, fill: Fill, depth: number): fc.Arbitrary<unknown> => {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    const types = [schema.type ?? (schema.properties === undefined ? "any" : "object")].flat();
    const type = fill === "random" ? undefined : types[0];
    if (type === undefined) return fc.oneof(...types.map((each) => one({ ...schema, type: each }, "minimal", depth)));
    switch (type) {
      case "object":
        return object(schema, fill, depth);
      case "array": {
        const item = make(schema.items ?? {}, fill, depth);
        const min = schema.minItems ?? 0;
        if (fill === "minimal" || depth > deepest) return fc.tuple(...Array.from({ length: min }, () => item));
        return fc.array(item, { minLength: Math.max(min, 1), maxLength: Math.max(min, 2) });
      }
      case "integer":
        return fc.integer({
          min: Math.max(schema.minimum ?? 1, -(2 ** 31)),
          max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1),
        });
      case "number":
        return fc.integer({
          min: Math.max(schema.minimum ?? (schema.exclusiveMinimum ?? -1000) + 1, -1000),
          max: Math.min(schema.maximum ?? (schema.exclusiveMaximum ?? 1000) - 1, 1000),
        });
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "string":
        return text(schema);
      default:
        return fc
          .jsonValue({ maxDepth: 1, noUnicodeString: true } as never)
          .map((value) => JSON.parse(JSON.stringify(value).replace(/\\u0000/g, "")) as unknown)
          .map((value) => value ?? true);
    }
  };

  const object = (schema: Schema, fill: Fill, depth: number): fc.Arbitrary<unknown> => {
    const required = new Set(schema.required ?? []);
    const names = Object.keys(schema.properties ?? {}).filter(
      (name) => required.has(name) || (fill !== "minimal" && depth < deepest),
    );
    const left = excluded(schema.not, required);
    const chosenNames = names.filter((name) => !left.has(name));
    const fields = chosenNames.map((name) => [name, make(schema.properties?.[name] ?? {}, fill, depth + 1)] as const);
    const needed = fill === "random" ? chosenNames.filter((name) => required.has(name)) : chosenNames;
    return fc.record(Object.fromEntries(fields), { requiredKeys: needed as never[] });
  };

  return (schema, fill) => make(schema, fill, 0);
}

/** The properties that exclude each other. */
const pairsOf = (not: Schema | undefined): readonly (readonly string[])[] =>
  (not?.anyOf ?? (not === undefined ? [] : [not])).map(({ required = [] }) => required);

/** Of two properties that exclude each other, the one that is not required. */
function excluded(not: Schema | undefined, required: ReadonlySet<string>): ReadonlySet<string> {
  const pairs = pairsOf(not);
  const left = new Set<string>();
  for (const pair of pairs) {
    if (pair.some((name) => left.has(name))) continue;
    const [name] = [...pair].sort((a, b) => Number(required.has(a)) - Number(required.has(b)));
    if (name !== undefined) left.add(name);
  }
  return left;
}

/** The last of several actions removes: the largest body creates rather than deletes. */
const nonNull = (choices: readonly Schema[], fill: Fill): Schema => {
  const others = choices.filter(({ type }) => type !== "null");
  return (fill === "maximal" ? (others[1] ?? others[0]) : others[0]) ?? (choices[0] as Schema);
};

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "date-time": fc
    .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  date: fc.constantFrom("2026-01-31", "1999-12-31"),
  uuid: fc.uuid(),
  password: fc.constant("correct horse battery staple"),
};

function text(schema: Schema): fc.Arbitrary<string> {
  const { not, ...rest } = schema;
  if (not?.pattern !== undefined) {
    const rejected = new RegExp(not.pattern);
    return text(rest).filter((value) => !rejected.test(value));
  }
  const { format, pattern, minLength = 0, maxLength = 30 } = rest;
  const known = format === undefined ? undefined : formats[format];
  const fits = (value: string): boolean => pattern === undefined || new RegExp(pattern).test(value);
  // A date-time without decimal places: the pattern is narrower than the format.
  if (known !== undefined) return known.map((value) => (fits(value) ? value : value.replace(/\.\d+/, "")));
  if (pattern === undefined)
    return fc
      .string({ unit: fc.constantFrom(..."abcXYZ 019äß🎵%_\\\"',"), minLength, maxLength: Math.min(maxLength, 30) })
      .map((value) => value || "x".repeat(minLength));
  return fc
    .stringMatching(new RegExp(pattern))
    .filter(
      (value) =>
        [...value].length <= maxLength && value.length >= minLength && !value.includes("\0") && value.isWellFormed(),
    );
}

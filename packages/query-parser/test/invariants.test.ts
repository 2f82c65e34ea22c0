import { isDeepStrictEqual } from "node:util";
import { isHttpError } from "@servicekit/core";
import { type ParsedQuery, parseQuery, type QueryParserOptions, stringifyQuery } from "@servicekit/query-parser";
import { readTerms } from "@servicekit/query-parser/internal";
import fc from "fast-check";
import { expect, it } from "vitest";

const options: fc.Arbitrary<QueryParserOptions> = fc.record({
  parseDoubleUnderscore: fc.boolean(),
  parseNumber: fc.boolean(),
  parseBoolean: fc.boolean(),
  parseNull: fc.boolean(),
  parseArray: fc.boolean(),
});

const words = [
  "a",
  "b",
  "c",
  "name",
  "_x",
  "x_",
  "_",
  "é",
  "0",
  "1",
  "or",
  "and",
  "not",
  "some",
  "is",
  "isNot",
  "in",
  "notIn",
  "gte",
  "equals",
  "contains",
  "icontains",
  "iequals",
  "startsWith",
  "isNull",
  "isEmpty",
  "has",
  "hasSome",
  "sort",
  "limit",
  "page",
  "mode",
  "constructor",
  "toString",
  "proto",
  "a__b",
  "",
];
const segment = fc.constantFrom(...words);
const plainField = fc.constantFrom("a", "b", "author", "x_", "created_at");
const value = fc.oneof(
  fc.constantFrom(
    "1",
    "-1.5",
    "true",
    "false",
    "null",
    "",
    "a,b",
    "1,null,x",
    '"x"',
    '"5","a,b"',
    '"',
    "\\",
    ",",
    "a\\,b",
    '""',
    "007",
    "1e-7",
    "insensitive",
    '"a\\"b"',
    '"a\\\\"',
    "\\,",
    '",',
    "é",
  ),
  fc.string({ maxLength: 6 }),
  fc.string({ unit: fc.constantFrom('"', "\\", ",", "1", "a", " "), maxLength: 8 }),
);
const name = fc
  .tuple(segment, fc.array(fc.tuple(segment, fc.boolean()), { maxLength: 5 }))
  .map(([head, rest]) => head + rest.map(([part, bracket]) => (bracket ? `[${part}]` : `__${part}`)).join(""));
const query = fc
  .array(fc.tuple(name, value), { maxLength: 6 })
  .map((pairs) => pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&"));

function parse(text: string, settings?: QueryParserOptions): ParsedQuery | undefined {
  try {
    return parseQuery(text, settings);
  } catch (error) {
    if (isHttpError(error) && (error.status === 400 || error.status === 414) && error.errors?.length === 1)
      return undefined;
    throw error;
  }
}

it("C21 parse(stringify(x)) = x for every x that a query can represent, with all switches and in both notations", () => {
  let parsedOnes = 0;
  fc.assert(
    fc.property(query, options, fc.constantFrom("underscore", "brackets"), (text, settings, notation) => {
      const parsed = parse(text, settings);
      if (parsed === undefined) return;
      parsedOnes++;
      expect(isDeepStrictEqual(parseQuery(stringifyQuery(parsed, { ...settings, notation }), settings), parsed)).toBe(
        true,
      );
    }),
    { numRuns: 6000 },
  );
  expect(parsedOnes).toBeGreaterThan(1000);
});

it("C21 the same for queries generated to be valid", () => {
  const operator = fc.constantFrom(
    "equals",
    "not",
    "in",
    "notIn",
    "lt",
    "gte",
    "contains",
    "icontains",
    "startsWith",
    "istartsWith",
    "endsWith",
    "iendsWith",
    "iequals",
    "has",
    "hasSome",
    "hasEvery",
  );
  const group = fc.constantFrom<string[]>([], ["or", "0"], ["or", "1"], ["and", "0"], ["and", "3"], ["not"]);
  const relations = fc.array(fc.constantFrom(["r"], ["r", "some"], ["r", "is"]), { maxLength: 2 });
  const path = fc
    .tuple(group, relations, plainField, fc.array(operator, { maxLength: 1 }))
    .map(([head, middle, field, last]) => [...head, ...middle.flat(), field, ...last])
    .map(([first = "", ...rest]) => first + rest.map((part) => `[${part}]`).join(""));
  let parsedOnes = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(path, value), { minLength: 1, maxLength: 8 }), options, (pairs, settings) => {
      const parsed = parse(pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&"), settings);
      if (parsed === undefined) return;
      parsedOnes++;
      expect(isDeepStrictEqual(parseQuery(stringifyQuery(parsed, settings), settings), parsed)).toBe(true);
    }),
    { numRuns: 4000 },
  );
  expect(parsedOnes).toBeGreaterThan(2000);
});

it("parses the underscore and the bracket notation of a name equally", () => {
  const path = fc.array(fc.constantFrom("a", "b", "or", "0", "not", "gte", "icontains", "some", "in", "isNull"), {
    minLength: 1,
    maxLength: 5,
  });
  const spell = (separate: (part: string) => string) => (pairs: [string[], string][]) =>
    pairs
      .map(([[head = "", ...rest], text]) => `${head}${rest.map(separate).join("")}=${encodeURIComponent(text)}`)
      .join("&");
  fc.assert(
    fc.property(fc.array(fc.tuple(path, value), { minLength: 1, maxLength: 4 }), (pairs) => {
      const underscore = parse(spell((part) => `__${part}`)(pairs));
      const brackets = parse(spell((part) => `[${part}]`)(pairs));
      const mixed = parse(spell((part) => (part.length % 2 ? `[${part}]` : `__${part}`))(pairs));
      expect(underscore).toStrictEqual(brackets);
      expect(mixed).toStrictEqual(brackets);
    }),
    { numRuns: 3000 },
  );
});

it("reads text, URLSearchParams and the output of qs equally", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(plainField, value), { maxLength: 6 }), (pairs) => {
      const params = new URLSearchParams(pairs);
      const object: Record<string, string[]> = {};
      for (const [field, text] of pairs) object[field] = [...(object[field] ?? []), text];
      const parsed = parse(params.toString());
      expect(parse(`?${params}`)).toStrictEqual(parsed);
      if (parsed === undefined) return;
      expect(parseQuery(params)).toStrictEqual(parsed);
      expect(parseQuery(object)).toStrictEqual(parsed);
    }),
    { numRuns: 1000 },
  );
});

it("throws nothing but HttpErrors for any text, and never touches a prototype", () => {
  const before = Reflect.ownKeys(Object.prototype).length;
  const nasty = fc.oneof(
    fc.string({
      unit: fc.constantFrom(...'[]_&=%+,\\"?#.-0aé\u0000\u2028', "__", "%5B", "%ff", "__proto__", "\ud800"),
      maxLength: 60,
    }),
    fc.string({ unit: "binary", maxLength: 60 }),
    query,
  );
  fc.assert(
    fc.property(nasty, options, (text, settings) => {
      parse(text, settings);
      expect(Object.keys({})).toEqual([]);
    }),
    { numRuns: 6000 },
  );
  expect(Reflect.ownKeys(Object.prototype)).toHaveLength(before);
});

it("throws nothing but HttpErrors for any object", () => {
  fc.assert(
    fc.property(fc.object({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true }), (input) => {
      try {
        parseQuery(input as Record<string, unknown>);
      } catch (error) {
        if (!isHttpError(error)) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});

it("preserves every value, and no operand is an object", () => {
  const isOperand = (key: string) =>
    /^(equals|in|notIn|lte?|gte?|contains|startsWith|endsWith|has|hasSome|hasEvery)$/.test(key);
  const check = (node: unknown, atField: boolean): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, child] of Object.entries(node)) {
      if (Array.isArray(child)) for (const item of child) check(item, false);
      else if (atField && isOperand(key)) expect(typeof child === "object" && child !== null, key).toBe(false);
      else check(child, !["AND", "OR", "NOT", "some", "every", "none", "is", "isNot"].includes(key));
    }
  };
  fc.assert(
    fc.property(query, (text) => {
      const parsed = parse(text);
      if (parsed === undefined) return;
      if (readTerms(text).length > 0) expect(Object.keys(parsed).length).toBeGreaterThan(0);
      check(parsed, false);
    }),
    { numRuns: 3000 },
  );
});

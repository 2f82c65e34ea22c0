import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanJson } from "./scan-json.js";

const scan = (text: string, bounds: Partial<Parameters<typeof scanJson>[1]> = {}) =>
  scanJson(Buffer.from(text), { depth: 32, values: 10_000, ...bounds });

/** Lists and objects, and their contents. */
function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, inner) => sum + 1 + countValues(inner), 0);
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("C59 scans the bytes of a JSON text", () => {
  it.each(["[", "{"])("for its depth, of %s", (open) => {
    const nest = (depth: number) => (open === "[" ? "[" : '{"a":').repeat(depth);
    expect(scan(nest(32)).issue).toBeUndefined();
    expect(scan(nest(33)).issue).toBe("too-deep");
    expect(scan(nest(400_000)).issue).toBe("too-deep");
  });

  it.each([
    ["numbers", "0"],
    ["empty lists", "[]"],
    ["empty objects", "{}"],
    ["empty texts", '""'],
    ["objects", '{"a":1}'],
  ])("for the number of values: %s", (_what, item) => {
    expect(scan(`[${Array(3).fill(item)}]`, { values: 100 }).issue).toBeUndefined();
    expect(scan(`[${Array(101).fill(item)}]`, { values: 100 }).issue).toBe("too-many-values");
  });

  it.each<[string, string[] | undefined]>([
    ['{"__proto__":1}', ["__proto__"]],
    ['{"\\u005f_proto_\\u005F":1}', ["__proto__"]],
    ['{"\\u005f\\u005f\\u0070\\u0072\\u006f\\u0074\\u006f\\u005f\\u005f":1}', ["__proto__"]],
    ['{"a":[{},{"b/c":{"x":{},"__proto__":1}}]}', ["a", "1", "b/c", "__proto__"]],
    ['{"a":{"deep":[1,{"x":[]}]},"__proto__":{}}', ["__proto__"]],
    ['{ "a" : "__proto__" , "__proto" : [ "__proto__" ] }', undefined],
    ['["__proto__",{"a":"__proto__"},"__proto__"]', undefined],
    ['{"___proto__":1,"__proto___":2,"\\\\u005f_proto__":3,"__proto\\"__":4}', undefined],
    [`{"${"x".repeat(100)}\\"}{[":1,"__proto__":2}`, ["__proto__"]],
    [`{"${"x".repeat(100)}\\\\":1,"__proto__":2}`, ["__proto__"]],
  ])("for the key __proto__: %s", (text, path) => {
    const found = scan(text);
    expect([found.issue, found.path]).toEqual(path === undefined ? [undefined, []] : ["forbidden-key", path]);
    JSON.parse(text);
  });

  it("as parsing would, for any content", () => {
    const key = fc
      .oneof(fc.string({ unit: "binary" }), fc.constantFrom("a", '"', "\\", "__proto_", "{}"))
      .filter((name) => name !== "__proto__");
    const texts = fc.oneof(fc.string({ unit: "binary", maxLength: 60 }), fc.constantFrom('"', "\\", "[{", '\\\\"', ""));
    const values = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, texts, fc.double(), fc.boolean(), fc.constant(null), tie("list"), tie("object")),
      list: fc.array(tie("value"), { maxLength: 5 }),
      object: fc.dictionary(key, tie("value"), { maxKeys: 5 }),
    })).value;
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 1), (value, space) => {
        const text = JSON.stringify([value], null, space);
        const count = countValues(JSON.parse(text));
        expect(scan(text).issue).toBeUndefined();
        const depth = depthOf(JSON.parse(text));
        expect(scan(text, { depth }).issue).toBeUndefined();
        expect(scan(text, { depth: depth - 1 }).issue).toBe("too-deep");
        // A list or object counts for itself and for its commas.
        expect(scan(text, { values: 2 * count + 2 }).issue).toBeUndefined();
        expect(scan(text, { values: Math.floor(count / 2) - 1 }).issue).toBe("too-many-values");
      }),
      { numRuns: 3000 },
    );
  });

  it("also if it is not JSON", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...'[]{}",:\\ 1e-t'), { maxLength: 40 }), (signs) => {
        expect(() => scan(signs.join(""))).not.toThrow();
      }),
      { numRuns: 5000 },
    );
  });
});

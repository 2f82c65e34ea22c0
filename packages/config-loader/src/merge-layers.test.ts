import { StartupError } from "@servicekit/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeLayers } from "./merge-layers.js";

class Client {
  url = "a";
}

describe("mergeLayers", () => {
  const list = [1];
  const handler = () => 1;
  const client = new Client();
  it.each<[string, object[], object]>([
    ["the highest first", [{ a: 1 }, { a: 2 }, { a: 3, b: 3 }], { a: 1, b: 3 }],
    ["objects deeply", [{ a: { b: { c: 1 } } }, { a: { b: { d: 2 }, e: 3 } }], { a: { b: { c: 1, d: 2 }, e: 3 } }],
    ["lists replace", [{ a: list }, { a: [2, 3] }], { a: [1] }],
    ["functions replace", [{ a: handler }, { a: { b: 1 } }], { a: handler }],
    ["instances replace", [{ a: client }, { a: { url: "b", more: 1 } }], { a: client }],
    ["an object over an instance", [{ a: { url: "b" } }, { a: client }], { a: { url: "b" } }],
    ["expressions replace", [{ a: /x/ }, { a: /y/ }], { a: /x/ }],
    ["dates replace", [{ a: new Date(1) }, { a: new Date(2) }], { a: new Date(1) }],
    [
      "undefined sets nothing",
      [
        { a: undefined, b: { c: undefined } },
        { a: 1, b: { c: 2 } },
      ],
      { a: 1, b: { c: 2 } },
    ],
    ["null sets a value", [{ a: null }, { a: 1 }], { a: null }],
    ["false sets a value", [{ a: false }, { a: { b: 1 } }], { a: false }],
    ["false hides what is below it", [{ a: { b: 1 } }, { a: false }, { a: { c: 1 } }], { a: { b: 1 } }],
    ["an object over false", [{ a: { b: 1 } }, { a: false }], { a: { b: 1 } }],
    ["names of Object are keys like others", [{ constructor: 1 }, { toString: 2 }], { constructor: 1, toString: 2 }],
    ["nothing", [], {}],
  ])("C38 merges: %s", (_, layers, merged) => {
    const given = structuredCloneOf(layers);
    expect(mergeLayers(...(layers as Record<string, unknown>[]))).toEqual(merged);
    expect(layers).toEqual(given);
  });

  it("preserves what only one layer sets", () => {
    const models = { Artist: {} };
    const merged = mergeLayers({ database: { models } }, { database: { client } }, undefined);
    expect((merged.database as { models: unknown }).models).toBe(models);
    expect((merged.database as { client: unknown }).client).toBe(client);
  });

  it("rejects the key __proto__ and never touches a prototype", () => {
    const hostile = JSON.parse('{"a":{"__proto__":{"polluted":1}}}') as Record<string, unknown>;
    expect(() => mergeLayers(hostile, { a: { b: 1 } })).toThrow(StartupError);
    expect(() => mergeLayers({ a: { b: 1 } }, hostile)).toThrow("a.__proto__");
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("rejects cyclic objects", () => {
    const ring = (): Record<string, unknown> => {
      const one: Record<string, unknown> = {};
      one.next = one;
      return one;
    };
    expect(() => mergeLayers({ a: ring() }, { a: ring() })).toThrow("contains itself");
    const one = ring();
    expect(mergeLayers({ a: one }, { a: one }).a).toBe(one);
  });

  const layer = fc.dictionary(
    fc.constantFrom("a", "b", "c"),
    fc.oneof(fc.integer(), fc.dictionary(fc.constantFrom("a", "b"), fc.oneof(fc.integer(), fc.array(fc.integer())))),
  );
  it("applies each layer over the result of those below it, and is idempotent", () => {
    fc.assert(
      fc.property(layer, layer, layer, (a, b, c) => {
        const merged = mergeLayers(a, b, c);
        expect(merged).toEqual(mergeLayers(a, mergeLayers(b, c)));
        expect(mergeLayers(a, merged)).toEqual(merged);
      }),
    );
  });
});

/** A copy of the structure, to detect whether something was changed. */
function structuredCloneOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredCloneOf);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, structuredCloneOf(inner)]));
}

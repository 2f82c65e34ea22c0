import { describe, expect, it } from "vitest";
import { isPossibleKey, keyFields, keyValues } from "../database/row-key.js";
import { sizeOf } from "../database/rows-size.js";
import { totalOfPage } from "../database/total-of-page.js";
import type { ModelsData } from "./models-data.js";
import { noPathText } from "./path-text.js";
import { readModels } from "./read-models.js";

const scalar = (name: string, type = "String", more: object = {}) => ({ kind: "scalar", name, type, ...more });

/** A model with these fields and keys. */
function modelOf(fields: readonly object[], keys: readonly object[], more: object = {}) {
  const data = { format: 1, enums: [], models: [{ name: "Thing", fields, keys, ...more }] } as unknown as ModelsData;
  const model = readModels(data).get("Thing");
  if (model === undefined) throw new Error("The model exists.");
  return model;
}

describe("C7 the key of a model", () => {
  const fields = [
    scalar("id", "Int"),
    scalar("code"),
    scalar("note", "String", { isOptional: true }),
    scalar("secret", "String", { documentation: "@hidden" }),
    scalar("a", "Int"),
    scalar("b", "Int"),
  ];
  const id = { kind: "id", fields: ["id"] };
  const unique = (...names: string[]) => ({ kind: "unique", fields: names });
  const keyOf = (...keys: object[]) => modelOf(fields, keys).key?.fields.map(({ name }) => name);

  it("C7 is the id, else a required unique field, else a unique set of required fields", () => {
    expect(keyOf(id, unique("code"))).toEqual(["id"]);
    expect(keyOf({ kind: "id", fields: ["a", "b"] }, unique("code"))).toEqual(["a", "b"]);
    expect(keyOf(unique("a", "b"), unique("code"))).toEqual(["code"]);
    expect(keyOf(unique("a", "b"))).toEqual(["a", "b"]);
  });

  it("C7 is never one that may be null or is hidden", () => {
    expect(keyOf(unique("note"), unique("secret"))).toBeUndefined();
    expect(keyOf(unique("note"), unique("code"))).toEqual(["code"]);
    expect(keyOf(unique("a", "note"))).toBeUndefined();
  });

  it("C7 has the constraint of the database: named, or by Prisma's convention within 63 bytes", () => {
    const constraints = (table: string, ...keys: object[]) =>
      modelOf(fields, keys, { table }).uniqueKeys.map(({ constraint }) => constraint);
    expect(constraints("things", id, unique("code"), unique("a", "b"))).toEqual([
      ...["things_pkey", "things_code_key", "things_a_b_key"],
    ]);
    expect(constraints("things", { ...unique("code"), constraint: "own" })).toEqual(["own"]);
    const [long] = constraints("t".repeat(70), unique("code"));
    expect([long?.length, long?.endsWith("_key")]).toEqual([63, true]);
  });

  it("C7 is read from the arguments of a query", () => {
    const single = modelOf(fields, [id]);
    const double = modelOf(fields, [{ kind: "id", fields: ["a", "b"] }]);
    expect(keyValues(single, { id: 1, more: 2 })).toMatchObject({ id: 1 });
    expect(keyValues(double, { a_b: { a: 1, b: 2 } })).toEqual({ a: 1, b: 2 });
    for (const [model, where] of [
      [single, {}],
      [double, { a: 1, b: 2 }],
      [double, { a_b: { a: 1 } }],
    ] as const)
      expect(() => keyValues(model, where)).toThrow(TypeError);
    expect(() => keyFields(modelOf(fields, []))).toThrow(TypeError);
  });

  it("C7 is impossible when a text is longer than its column", () => {
    const text = (name: string) => modelOf([scalar("id", "String", { nativeType: { name, args: ["3"] } })], [id]);
    for (const name of ["VarChar", "Char"])
      expect([isPossibleKey(text(name), { id: "abc" }), isPossibleKey(text(name), { id: "abcd" })]).toEqual([
        true,
        false,
      ]);
    expect(isPossibleKey(text("Bit"), { id: "abcd" })).toBe(true);
    expect(isPossibleKey(modelOf([scalar("id")], [id]), { id: "abcd" })).toBe(true);
  });

  it.each(["", ".", "..", "many", "MANY"])("C7 is not %j, which no path can name", (text) => {
    expect(noPathText.test(text)).toBe(true);
  });

  it.each(["...", "many1", "a", " ", "main"])("C7 may be %j", (text) => {
    expect(noPathText.test(text)).toBe(false);
  });
});

describe("the total of a list", () => {
  const where = {};
  it.each<readonly [number, object, object, number | undefined]>([
    [3, { take: 10 }, {}, 3],
    [3, { take: 10, skip: 20 }, {}, 23],
    [0, { take: 10 }, {}, 0],
    [0, { take: 10, skip: 20 }, {}, undefined],
    [10, { take: 10 }, {}, undefined],
    [3, {}, {}, undefined],
    [3, { take: 10, cursor: {} }, {}, undefined],
    [3, { take: 10, distinct: ["a"] }, {}, undefined],
    [3, { take: 10 }, { where: {} }, undefined],
  ])("with %i rows of %o is revealed by the page or counted", (found, page, total, expected) => {
    expect(totalOfPage(found, { where, ...page }, { where, ...total })).toBe(expected);
  });
});

describe("the size of rows", () => {
  it.each<readonly [unknown, number]>([
    ["abc", 5],
    [5, 5],
    [null, 5],
    [[], 2],
    [["a", 1], 2 + 1 + 3 + 1 + 5],
    [{ ab: "c" }, 2 + 6 + 3],
    [new Uint8Array(30), 40],
    [new Date(0), 24],
  ])("of %o is about %i bytes", (value, bytes) => {
    expect(sizeOf(value, 1000)).toBe(bytes);
  });

  it("is counted until it exceeds the limit", () => {
    const long = Array.from({ length: 1000 }, () => "x".repeat(100));
    expect(sizeOf(long, 500)).toBeGreaterThan(500);
    expect(sizeOf(long, 500)).toBeLessThan(1000);
    expect(sizeOf({ a: long, b: long }, 500)).toBeLessThan(1500);
  });
});

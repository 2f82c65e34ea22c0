import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type FieldOperator, fieldCondition, operatorsOf, type StoredField } from "../src/index.js";
import { json } from "../src/internal.js";
import { type Kinds, models, openKinds } from "./kinds.js";

let kinds: Kinds;
const uuid = "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11";
const texts = [
  "a",
  "A",
  "a%",
  "a_",
  "a\\",
  "\\",
  "%",
  "_",
  "%%",
  "\\%",
  "\\_",
  "a\\%b",
  "ab",
  "AB",
  "",
  " ",
  "ä",
  "Ä",
  "a b",
];
const samples: Readonly<Record<string, unknown>> = {
  String: "ab",
  Boolean: true,
  Int: 1,
  BigInt: 1n,
  Float: 1.5,
  Decimal: "1.50",
  DateTime: new Date("2020-01-02T03:04:05.678Z"),
  Json: { a: 1 },
  Bytes: new Uint8Array([1, 2]),
  Stage: "IN_REVIEW",
  Uuid: uuid,
  Bit: "101",
  VarBit: "101",
  Xml: "<a/>",
  Inet: "10.0.0.1",
};
const sampleOf = (field: StoredField) => samples[field.nativeType?.name ?? ""] ?? samples[field.type];
const everyOperator: readonly FieldOperator[] = [
  ...(["equals", "not", "in", "notIn", "lt", "lte", "gt", "gte", "contains", "startsWith", "endsWith"] as const),
  ...(["icontains", "istartsWith", "iendsWith", "iequals", "isNull", "has", "hasSome", "hasEvery", "isEmpty"] as const),
];

function storedField(model: string, name: string): StoredField {
  const field = models.get(model)?.fieldsByName.get(name);
  if (field?.kind !== "scalar" && field?.kind !== "enum") throw new Error(`${model}.${name} is not stored.`);
  return field;
}

function operandFor(field: StoredField, operator: FieldOperator): unknown {
  const one = field.type === "Json" ? json(sampleOf(field)) : sampleOf(field);
  if (operator === "isNull" || operator === "isEmpty") return false;
  const wantsList =
    ["in", "notIn", "hasSome", "hasEvery"].includes(operator) || (field.isList && operator === "equals");
  return wantsList ? [one] : one;
}

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  const { database } = kinds;
  await database.of("Tag").createMany({ data: texts.map((name) => ({ name })) });
  await database
    .of("Native")
    .createMany({ data: ["a", "A", "ab", "AB", "a%", "abcd", "%b_\\"].map((char) => ({ char })) });
});
afterAll(() => kinds.close());

const fields = ["Scalar", "Native", "Collection"].flatMap((model) =>
  (models.get(model)?.fields ?? []).flatMap((field) =>
    (field.kind === "scalar" || field.kind === "enum") && field.name !== "id"
      ? [{ model, field, name: `${model}.${field.name}` }]
      : [],
  ),
);

describe("C18 every operator on every type", () => {
  it.each(fields)("$name accepts its operators and rejects the others", async ({ model, field }) => {
    const delegate = kinds.database.of(model);
    const value = sampleOf(field);
    const { id } = await delegate.create({ data: { [field.name]: field.isList ? [value] : value } });
    const found: Record<string, boolean> = {};
    for (const operator of operatorsOf(field)) {
      const where = fieldCondition(field, operator, operandFor(field, operator));
      found[operator] = (await delegate.count({ where: { AND: [{ id }, where] } })) === 1;
    }
    const misses = ["not", "notIn", "lt", "gt"];
    for (const [operator, isFound] of Object.entries(found))
      expect([operator, isFound]).toEqual([operator, !misses.includes(operator)]);
    for (const operator of everyOperator.filter((one) => !operatorsOf(field).includes(one))) {
      expect(() => fieldCondition(field, operator, operandFor(field, operator))).toThrow(
        expect.objectContaining({ status: 400, code: "InvalidQuery" }),
      );
    }
  });
});

describe("C18 text is literal", () => {
  const name = storedField("Tag", "name");
  const lower = (text: string) => text.toLowerCase();
  const rules: Readonly<Record<string, (value: string, operand: string) => boolean>> = {
    equals: (value, operand) => value === operand,
    not: (value, operand) => value !== operand,
    contains: (value, operand) => value.includes(operand),
    startsWith: (value, operand) => value.startsWith(operand),
    endsWith: (value, operand) => value.endsWith(operand),
    iequals: (value, operand) => lower(value) === lower(operand),
    icontains: (value, operand) => lower(value).includes(lower(operand)),
    istartsWith: (value, operand) => lower(value).startsWith(lower(operand)),
    iendsWith: (value, operand) => lower(value).endsWith(lower(operand)),
  };
  // The test databases sort and fold by code point, so that only ASCII letters have a case.
  const operands = fc.oneof(
    fc.constantFrom(...texts.filter((text) => !/[äÄ]/.test(text))),
    fc.string({ unit: fc.constantFrom("a", "b", "%", "_", "\\", " "), maxLength: 4 }),
  );

  it.each(Object.keys(rules))("%s finds what JavaScript finds", async (operator) => {
    const rule = rules[operator] ?? expect.fail();
    await fc.assert(
      fc.asyncProperty(operands, async (operand) => {
        const rows = await kinds.database.of("Tag").findMany({ where: fieldCondition(name, operator, operand) });
        expect(rows.map((row) => row.name).sort()).toEqual(texts.filter((text) => rule(text, operand)).sort());
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["equals", "ab", ["ab"]],
    ["iequals", "ab", ["AB", "ab"]],
    ["iequals", "%b_\\", ["%b_\\"]],
    ["iequals", "a%", ["a%"]],
    ["endsWith", "b", ["ab"]],
    ["istartsWith", "A", ["A", "AB", "a", "a%", "ab", "abcd"]],
    ["icontains", "B", ["%b_\\", "AB", "ab", "abcd"]],
  ])("a char(4), padded with blanks, %s %j", async (operator, operand, expected) => {
    const where = fieldCondition(storedField("Native", "char"), operator, operand);
    const rows = await kinds.database.of("Native").findMany({ where });
    const found = rows.map((row) => String(row.char).trimEnd());
    expect([...new Set(found)].sort()).toEqual(expected);
  });
});

describe("NULL", () => {
  const count = (model: string, name: string, operator: string, operand: unknown) =>
    kinds.database.of(model).count({ where: fieldCondition(storedField(model, name), operator, operand) });

  it("is matched only by isNull, and by null as an operand", async () => {
    const all = await kinds.database.of("Scalar").count();
    const nulls = await count("Scalar", "int", "isNull", true);
    expect(await count("Scalar", "int", "not", 77)).toBe(all - nulls);
    expect(await count("Scalar", "int", "notIn", [77])).toBe(all - nulls);
    expect(await count("Scalar", "int", "isNull", false)).toBe(all - nulls);
    expect(await count("Scalar", "int", "equals", null)).toBe(nulls);
    expect(await count("Scalar", "int", "not", null)).toBe(all - nulls);
  });

  it("of a Json field includes its JSON null", async () => {
    await kinds.sql(
      `DELETE FROM "Scalar"; INSERT INTO "Scalar"(json) VALUES (NULL), ('null'), ('{"b":2,"a":1}'), ('"x"')`,
    );
    expect(await count("Scalar", "json", "isNull", true)).toBe(2);
    expect(await count("Scalar", "json", "equals", json(null))).toBe(2);
    expect(await count("Scalar", "json", "not", json(null))).toBe(2);
    expect(await count("Scalar", "json", "equals", json({ a: 1, b: 2 }))).toBe(1);
    expect(await count("Scalar", "json", "not", json({ a: 1, b: 2 }))).toBe(1);
  });

  it("of a list is an empty list", async () => {
    await kinds.sql(`DELETE FROM "Collection"; INSERT INTO "Collection"(strings) VALUES (NULL), ('{}'), ('{a}')`);
    expect(await count("Collection", "strings", "isEmpty", true)).toBe(2);
    expect(await count("Collection", "strings", "isEmpty", false)).toBe(1);
    expect(await count("Collection", "strings", "equals", [])).toBe(2);
  });
});

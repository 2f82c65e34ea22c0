import { expect, it } from "vitest";
import type { ModelsData } from "../models/models-data.js";
import { readModels } from "../models/read-models.js";
import { makeReviveRows } from "./revive-rows.js";

const data = (name: string): ModelsData => ({
  format: 1,
  enums: [],
  models: [
    {
      name: "Row",
      keys: [{ kind: "id", fields: ["id"] }],
      fields: [
        { kind: "scalar", name: "id", type: "BigInt" },
        { kind: "scalar", name, type: "String", isOptional: true },
        { kind: "scalar", name: "json", type: "Json", isOptional: true },
        { kind: "relation", name: "others", type: "Other", isList: true, relation: { name: "r" } },
      ],
    },
    {
      name: "Other",
      keys: [{ kind: "id", fields: ["id"] }],
      fields: [
        { kind: "scalar", name: "id", type: "BigInt" },
        { kind: "scalar", name: "rowId", type: "BigInt", isForeignKey: true },
        {
          kind: "relation",
          name: "row",
          type: "Row",
          relation: { name: "r", fields: ["rowId"], references: ["id"] },
        },
      ],
    },
  ],
});
const models = readModels(data("constructor"));
const row = models.get("Row");
const other = models.get("Other");
if (row === undefined || other === undefined) throw new Error("no models");
const revive = makeReviveRows(models);
const tagged = ($type: string, value: unknown) => ({ $type, value });

it("converts a row that Prisma left tagged because of its field constructor, and everything below it", () => {
  const left = {
    id: tagged("BigInt", "9007199254740993"),
    constructor: "text",
    json: tagged("Json", '{"a":{"$type":"BigInt","value":"1"}}'),
    at: tagged("DateTime", "2024-02-29T00:00:00.000Z"),
    bytes: tagged("Bytes", "AP8="),
    prices: [tagged("Decimal", "12.500"), tagged("Decimal", "-0.10"), tagged("Decimal", "100")],
    others: [{ id: tagged("BigInt", 2) }],
  };
  const revived = revive(row, [left, null]) as [Record<string, unknown>, null];
  expect(revived[0]).toMatchObject({
    id: 9007199254740993n,
    constructor: "text",
    json: { a: tagged("BigInt", "1") },
    at: new Date("2024-02-29"),
    bytes: new Uint8Array([0, 255]),
    others: [{ id: 2n }],
  });
  expect((revived[0].prices as readonly object[]).map(String)).toEqual(["12.5", "-0.1", "100"]);
  expect(revived[1]).toBeNull();
  expect(revive(row, revived[0])).toMatchObject({ id: 9007199254740993n, at: new Date("2024-02-29") });
});

it("finds such a row below a converted one", () => {
  const left = { id: 1n, row: { id: tagged("BigInt", "5"), constructor: "text" } };
  expect(revive(other, left)).toEqual({ id: 1n, row: { id: 5n, constructor: "text" } });
});

it("does not change the contents of a Json column", () => {
  const json = { constructor: "text", a: tagged("BigInt", "1") };
  expect(revive(row, { id: 1n, constructor: null, json })).toEqual({ id: 1n, constructor: null, json });
});

it("does nothing in a schema without such a field", () => {
  const plain = readModels(data("title"));
  const result = [{ id: 1n }];
  expect(makeReviveRows(plain)(plain.get("Row") ?? row, result)).toBe(result);
});

import { type ModelsData, readModels } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import { readChangeModel } from "../src/index.js";
import { models as data } from "./generated/orders/models.js";

const all = data as unknown as ModelsData;
const read = (change: (fields: readonly FieldData[]) => readonly FieldData[]) =>
  readChangeModel(
    readModels({
      ...all,
      models: all.models.map((model) => (model.name === "Change" ? { ...model, fields: change(model.fields) } : model)),
    }),
  );
type FieldData = ModelsData["models"][number]["fields"][number];

describe("C106 the model Change", () => {
  it("C106 is found, and is optional", () => {
    expect(read((fields) => fields)?.name).toBe("Change");
    expect(readChangeModel(new Map())).toBeUndefined();
  });

  it.each(["time", "model", "key", "operation", "actor", "requestId", "traceId", "before", "after", "transaction"])(
    "C106 requires the field %s",
    (name) => {
      expect(() => read((fields) => fields.filter((field) => field.name !== name))).toThrow(
        new RegExp(`model Change: requires a field ${name}, a`),
      );
    },
  );

  it.each<readonly [string, object, RegExp]>([
    ["id", { type: "Int" }, /field Change\.id: must be a BigInt with @id @default\(autoincrement\(\)\)/],
    ["before", { isOptional: undefined }, /field Change\.before: must be a Json\?/],
    ["actor", { isOptional: true }, /field Change\.actor: must be a String of at least 1 characters/],
    ["transaction", { default: undefined }, /field Change\.transaction: must be a BigInt with @default/],
  ])("C106 rejects another type of %s", (name, change, message) => {
    const changed = (one: FieldData) => (one.name === name ? ({ ...one, ...change } as FieldData) : one);
    expect(() => read((fields) => fields.map(changed))).toThrow(message);
  });
});

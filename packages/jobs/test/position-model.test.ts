import { type ModelsData, readModels } from "@servicekit/prisma";
import { expect, it } from "vitest";
import { readPositionModel } from "../src/index.js";
import { models as data } from "./generated/shop/models.js";

const all = data as unknown as ModelsData;
type FieldData = ModelsData["models"][number]["fields"][number];
const read = (change: (fields: readonly FieldData[]) => readonly FieldData[]) =>
  readPositionModel(
    readModels({
      ...all,
      models: all.models.map((model) =>
        model.name === "ChangePosition" ? { ...model, fields: change(model.fields) } : model,
      ),
    }),
    "models.Order.events",
  );

it("C110 the model ChangePosition is found", () => {
  expect(read((fields) => fields).name).toBe("ChangePosition");
});

it("C110 a schema without the model ChangePosition is reported with the command that adds it", () => {
  expect(() => readPositionModel(new Map(), "models.Order.events")).toThrow(
    "models.Order.events: requires a model ChangePosition in the schema. Run npx service generate change-position.",
  );
});

it.each<readonly [string, object, RegExp]>([
  ["name", { type: "Int" }, /field ChangePosition\.name: must be a String with @id/],
  ["lastId", { type: "Int" }, /field ChangePosition\.lastId: must be a BigInt/],
])("C110 another type of %s is rejected", (name, change, message) => {
  const changed = (one: FieldData) => (one.name === name ? ({ ...one, ...change } as FieldData) : one);
  expect(() => read((fields) => fields.map(changed))).toThrow(message);
  expect(() => read((fields) => fields.filter((field) => field.name !== name))).toThrow(
    new RegExp(`requires a field ${name}`),
  );
});

import { expect, it } from "vitest";
import { models as data } from "../../test/generated/kinds/models.js";
import { storedFields } from "../models/is-stored.js";
import { readModels } from "../models/read-models.js";
import { generatedBodies } from "./body-models.js";

const models = readModels(data);

it("accepts null only for optional fields that are neither lists nor JSON", () => {
  const bodies = generatedBodies(models);
  const nullable = new Set(bodies.flatMap(({ fields }) => fields.flatMap((one) => (one.isNullable ? one.field : []))));
  const stored = bodies.flatMap(({ model }) => storedFields(model));
  const others = stored.filter((field) => field.isRequired || field.isList || field.type === "Json");
  expect(nullable.size).toBeGreaterThan(0);
  expect(others.filter((field) => nullable.has(field))).toEqual([]);
});

it("requires no field in an update", () => {
  const updates = generatedBodies(models).filter(({ mode }) => mode === "update");
  expect(updates.length).toBeGreaterThan(0);
  expect(updates.flatMap(({ fields }) => fields.filter(({ isOptional }) => !isOptional))).toEqual([]);
});

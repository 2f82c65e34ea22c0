import { expect, it } from "vitest";
import type { Model } from "../models/model.js";
import { readModels } from "../models/read-models.js";
import { portableArguments } from "./portable-arguments.js";

it("C119 leaves the key of a row beside the conditions of times with microseconds", () => {
  const models = readModels({
    format: 1,
    provider: "mysql",
    enums: [],
    models: [
      {
        name: "Visit",
        keys: [{ kind: "id", fields: ["id"] }],
        fields: [
          { kind: "scalar", name: "id", type: "Int" },
          { kind: "scalar", name: "at", type: "DateTime", nativeType: { name: "DateTime", args: ["6"] } },
        ],
      },
    ],
  });
  const [at, next] = [new Date(1), new Date(2)];
  const whereOf = (where: object) => portableArguments({ where }, models.get("Visit") as Model, models).where;
  const range = { at: { gte: at, lt: next } };
  expect(whereOf({ id: 1, at })).toEqual({ id: 1, AND: [range] });
  expect(whereOf({ id: 1, at, AND: { at: { lt: at } } })).toEqual({
    id: 1,
    AND: [{ AND: [{ at: { lt: at } }] }, range],
  });
  expect(whereOf({ id: 1, AND: [{ id: 2 }] })).toEqual({ id: 1, AND: [{ id: 2 }] });
});

import { expect, it } from "vitest";
import { kindsSchema, readDataModel } from "../../test/kinds-models.js";
import { toModelsData } from "./to-models-data.js";
import { writeModelsModule } from "./write-models-module.js";

const data = toModelsData(readDataModel([["schema.prisma", kindsSchema]]), kindsSchema);
const emulated = { ...data, relationMode: "prisma" as const };

it("the same schema gives the same bytes", () => {
  const again = toModelsData(readDataModel([["schema.prisma", kindsSchema]]), kindsSchema);
  expect(writeModelsModule(again)).toBe(writeModelsModule(data));
});

it.each([data, emulated])(
  "the module contains the data unchanged, imports nothing and needs no types",
  async (data) => {
    const text = writeModelsModule(data);
    expect(text).not.toMatch(/\bimport\b|\brequire\b/);
    const plain = text.replace("as const;", ";");
    const module: { models: unknown } = await import(`data:text/javascript,${encodeURIComponent(plain)}`);
    expect(module.models).toEqual(data);
  },
);

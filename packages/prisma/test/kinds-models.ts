import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type DataModel, toModelsData } from "../src/generator/index.js";
import { readModels } from "../src/index.js";

const requireModule = createRequire(import.meta.url);

/** The schema of the fixture `kinds`. */
export const kindsSchema = readFileSync(new URL("fixtures/kinds/schema.prisma", import.meta.url), "utf8");

/** Reads a schema as Prisma itself does, without its command. */
export function readDataModel(files: readonly (readonly [file: string, text: string])[]): DataModel {
  const { get_dmmf: getDmmf } = requireModule("@prisma/prisma-schema-wasm") as { get_dmmf(input: string): string };
  return JSON.parse(getDmmf(JSON.stringify({ prismaSchema: files }))) as DataModel;
}

/** The models of the fixture `kinds`, without a generated file. */
export const kindsModels = readModels(toModelsData(readDataModel([["schema.prisma", kindsSchema]]), kindsSchema));

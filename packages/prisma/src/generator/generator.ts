import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { GeneratorManifest, GeneratorOptions } from "@prisma/generator-helper";
import { readModels } from "../models/read-models.js";
import { providerIssue } from "../providers/check-provider.js";
import { readRequestedModules } from "./requested-modules.js";
import { toModelsData } from "./to-models-data.js";
import { writeApiModule } from "./write-api-module.js";
import { writeDtosModule } from "./write-dtos-module.js";
import { writeModelsModule } from "./write-models-module.js";
import { writeSchemasModule } from "./write-schemas-module.js";

export const manifest: GeneratorManifest = {
  prettyName: "servicekit models",
  defaultOutput: "../src/generated/service",
};

/** Writes the modules that the generator block of a schema requests. */
export async function generate({ dmmf, datamodel, datasources, generator }: GeneratorOptions): Promise<void> {
  const foreign = providerIssue(datasources[0]?.activeProvider);
  if (foreign !== undefined) throw new Error(foreign);
  const folder = generator.output?.value;
  if (folder == null) throw new Error("The generator block of servicekit-prisma has no output folder.");
  const requested = readRequestedModules(generator.config);
  const data = toModelsData(dmmf, datamodel);
  const write = (file: string, text: string) => writeFile(path.join(folder, file), text);
  await mkdir(folder, { recursive: true });
  await write("models.ts", writeModelsModule(data));
  if (requested.schemas) await write("schemas.ts", writeSchemasModule(readModels(data)));
  if (requested.api) await write("api.ts", writeApiModule(readModels(data)));
  if (requested.dtos) await write("dtos.ts", writeDtosModule(readModels(data)));
}

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import helper from "@prisma/generator-helper";
import { toModelsData } from "./to-models-data.js";
import { writeModelsModule } from "./write-models-module.js";

helper.generatorHandler({
  onManifest: () => ({ prettyName: "servicekit models", defaultOutput: "../src/generated/service" }),
  async onGenerate({ dmmf, datamodel, generator }) {
    const folder = generator.output?.value;
    if (folder == null) throw new Error("The generator block of servicekit-prisma has no output folder.");
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "models.ts"), writeModelsModule(toModelsData(dmmf, datamodel)));
  },
});

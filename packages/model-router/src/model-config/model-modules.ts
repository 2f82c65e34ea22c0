import type { ModuleKind, ModuleParts } from "@servicekit/config-loader/internal";
import { mergeLayers } from "@servicekit/config-loader/internal";
import type { FaultList } from "@servicekit/core/internal";
import type { Models } from "@servicekit/prisma";
import type { Schema } from "@servicekit/router";
import { checkModelConfig } from "./check-model-configs.js";
import { modelHookNames } from "./hook-names.js";
import type { ModelConfig } from "./model-config.js";
import { schemaNames } from "./model-schemas.js";

/** The modules that models may have, each by the model's kebab-case name (contract C44). */
export function modelModules(models: Models): readonly ModuleKind[] {
  return [...models.values()].map((model) => ({
    name: model.resource,
    hooks: modelHookNames,
    schemas: schemaNames,
    checkConfig: (where, config, faults) => checkModelConfig(`${where}: ${model.name}`, config, model, faults),
    checkParts: (parts, faults) => checkTwice(parts, model.resource, faults),
  }));
}

/** What the file of the configuration says, no file of its own may say too. */
function checkTwice({ config = {}, ...files }: ModuleParts, name: string, faults: FaultList): void {
  for (const [key, given] of Object.entries(files)) {
    const both = key === "router" ? [key] : Object.keys(given);
    const before = (key === "router" ? config : config[key]) as Readonly<Record<string, unknown>> | undefined;
    for (const one of both) {
      if (before?.[one] === undefined) continue;
      faults.add(
        `module ${name}`,
        `${name}.model gives ${one} under ${key}, and a file of its own does too; keep one.`,
      );
    }
  }
}

/** The files of a model's module as one configuration. */
export function toModelConfig({ config = {}, ...files }: ModuleParts<Schema>): ModelConfig {
  return mergeLayers(files, config) as ModelConfig;
}

/**
 * Lays configurations of models over each other, the highest first: objects merge, everything else replaces, so a hook
 * that `service.init` gives takes the place of the same hook of a module (contract C38, C44).
 */
export function mergeModelConfigs(
  ...layers: readonly Readonly<Record<string, ModelConfig>>[]
): Readonly<Record<string, ModelConfig>> {
  return mergeLayers(...layers) as Readonly<Record<string, ModelConfig>>;
}

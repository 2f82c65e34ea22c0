import type { ModuleKind, ModuleParts } from "@servicekit/config-loader/internal";
import { mergeLayers } from "@servicekit/config-loader/internal";
import type { IssueList } from "@servicekit/core/internal";
import type { Models } from "@servicekit/prisma";
import type { Schema } from "@servicekit/router";
import { checkModelConfig } from "./check-model-configs.js";
import { modelHookNames } from "./hook-names.js";
import type { ModelConfig } from "./model-config.js";
import { schemaNames } from "./model-schemas.js";

/** The possible modules of models, each by the model's kebab-case name (contract C44). */
export function modelModules(models: Models): readonly ModuleKind[] {
  return [...models.values()].map((model) => ({
    name: model.resource,
    hooks: modelHookNames,
    schemas: schemaNames,
    events: ["onCreated", "onUpdated", "onDeleted"],
    checkConfig: (where, config, issues) => checkModelConfig(`${where}: ${model.name}`, config, model, issues),
    checkParts: (parts, issues) => checkTwice(parts, model.resource, issues),
  }));
}

/** A key in the configuration file must not also be a separate file. */
function checkTwice({ config = {}, events: _, ...files }: ModuleParts, name: string, issues: IssueList): void {
  for (const [key, given] of Object.entries(files)) {
    const both = key === "router" ? [key] : Object.keys(given);
    const before = (key === "router" ? config : config[key]) as Readonly<Record<string, unknown>> | undefined;
    for (const one of both) {
      if (before?.[one] === undefined) continue;
      issues.add(
        `module ${name}`,
        `${name}.model exports ${one} under ${key}, and a separate file does too. Remove one of them.`,
      );
    }
  }
}

/** The files of a model's module as one configuration. */
export function toModelConfig({ config = {}, events: _, ...files }: ModuleParts<Schema>): ModelConfig {
  return mergeLayers(files, config) as ModelConfig;
}

/**
 * Merges configurations of models, the highest first: objects are merged, everything else replaces, so a hook of
 * `service.init` replaces the same hook of a module (contract C38, C44).
 */
export function mergeModelConfigs(
  ...layers: readonly Readonly<Record<string, ModelConfig>>[]
): Readonly<Record<string, ModelConfig>> {
  return mergeLayers(...layers) as Readonly<Record<string, ModelConfig>>;
}

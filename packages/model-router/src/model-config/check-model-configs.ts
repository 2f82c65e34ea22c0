import { type FaultList, isObject, makeFaultList } from "@servicekit/core/internal";
import { findFaults } from "@servicekit/core/schema";
import type { Model, Models } from "@servicekit/prisma";
import { checkDefaultFilters } from "./check-default-filters.js";
import { checkFieldNames } from "./check-field-names.js";
import { checkFilterWords } from "./filter-words.js";
import type { ModelConfig } from "./model-config.js";
import { modelConfigSchema } from "./model-config-schema.js";

/**
 * Holds the models' configuration against the models.
 *
 * @param others what may stand beside models, for the message
 * @throws {StartError} that names each unknown model, key, operation, field and hook with the nearest known one, and each
 * value of a wrong type, all at once (contract C44)
 */
export function checkModelConfigs(
  configs: Readonly<Record<string, ModelConfig>>,
  models: Models,
  others: readonly string[] = [],
): void {
  const faults = makeFaultList();
  checkFilterWords(models, configs, faults);
  for (const [name, config] of Object.entries(configs)) {
    const model = models.get(name);
    if (model === undefined) faults.unknown("models", "model", name, [...models.keys(), ...others]);
    checkModelConfig(`models.${name}`, config, model, faults);
    if (model !== undefined && isObject(config)) checkDefaultFilters(name, config, model, models, faults);
  }
  faults.throwIfAny();
}

/**
 * Checks the configuration of one model.
 *
 * @param model `undefined` for a name that no model has: then fields are not looked at
 */
export function checkModelConfig(where: string, config: unknown, model: Model | undefined, faults: FaultList): void {
  faults.addAll(findFaults(config, modelConfigSchema, where));
  if (model !== undefined && isObject(config)) checkFieldNames(where, config, model, faults);
}

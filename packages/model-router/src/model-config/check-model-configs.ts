import { type IssueList, isObject, makeIssueList } from "@servicekit/core/internal";
import { findIssues } from "@servicekit/core/schema";
import type { Model, Models } from "@servicekit/prisma";
import { checkComputed } from "./check-computed.js";
import { checkDefaultFilters } from "./check-default-filters.js";
import { checkFieldNames } from "./check-field-names.js";
import { checkSoftDelete } from "./check-soft-delete.js";
import { checkFilterKeywords } from "./filter-keywords.js";
import type { ModelConfig } from "./model-config.js";
import { modelConfigSchema } from "./model-config-schema.js";

/**
 * Validates the models' configuration against the models.
 *
 * @param others the allowed keys besides models, for the message
 * @throws {StartupError} that names each unknown model, key, operation, field and hook with the nearest known one, and
 * each value of a wrong type, all together (contract C44)
 */
export function checkModelConfigs(
  configs: Readonly<Record<string, ModelConfig>>,
  models: Models,
  others: readonly string[] = [],
): void {
  const issues = makeIssueList();
  checkFilterKeywords(models, configs, issues);
  for (const [name, config] of Object.entries(configs)) {
    const model = models.get(name);
    if (model === undefined) issues.unknown("models", "model", name, [...models.keys(), ...others]);
    checkModelConfig(`models.${name}`, config, model, issues);
    if (model !== undefined && isObject(config)) checkDefaultFilters(name, config, model, models, issues);
  }
  checkSoftDelete(configs, models, issues);
  issues.throwIfAny();
}

/**
 * Validates the configuration of one model.
 *
 * @param model `undefined` for an unknown name: then fields are not checked
 */
export function checkModelConfig(where: string, config: unknown, model: Model | undefined, issues: IssueList): void {
  issues.addAll(findIssues(config, modelConfigSchema, where));
  if (model === undefined || !isObject(config)) return;
  checkComputed(where, config.computed, model, issues);
  checkFieldNames(where, config, model, issues);
}

import { type IssueList, isObject } from "@servicekit/core/internal";
import type { Field, Model, Models } from "@servicekit/prisma";
import { dependentsOf, isCascade } from "@servicekit/prisma/internal";
import { isSoftDeleted, softDeleteOptions } from "../resource/config/soft-delete.js";
import type { ModelConfig } from "./model-config.js";

/**
 * Validates soft delete against the models (contract C101): the field of each model, and that no row is left behind when
 * the rows that it belongs to are deleted.
 */
export function checkSoftDelete(
  configs: Readonly<Record<string, ModelConfig>>,
  models: Models,
  issues: IssueList,
): void {
  for (const [name, config] of Object.entries(configs)) {
    const model = models.get(name);
    if (model === undefined || !isObject(config)) continue;
    const options = softDeleteOptions(config);
    if (options === undefined) {
      checkUnused(name, config, issues);
      continue;
    }
    checkField(model, config, options.field, issues);
    checkCascades(model, options.keep, configs, models, issues);
  }
}

/** Operations that only exist with soft delete. */
function checkUnused(name: string, { operations, auth }: ModelConfig, issues: IssueList): void {
  for (const [key, given] of Object.entries({ operations, auth })) {
    for (const right of ["restoreOne", "findDeleted", "deletePermanently"] as const) {
      if (!isObject(given) || given[right] === undefined) continue;
      issues.add(`models.${name}.${key}.${right}`, `${name} has no soft delete. Set softDelete, or remove this key.`);
    }
  }
}

function checkField(model: Model, config: ModelConfig, name: unknown, issues: IssueList): void {
  if (typeof name !== "string") return;
  const { softDelete } = config;
  const isNamed = typeof softDelete === "object" && softDelete.field !== undefined;
  const where = `models.${model.name}.softDelete${isNamed ? ".field" : ""}`;
  const field = model.fieldsByName.get(name);
  const add = (message: string): void => issues.add(where, message);
  if (model.isView || model.key === undefined) add(`Rows of ${model.name} cannot be changed. Remove this key.`);
  if (field === undefined)
    add(
      `${model.name} has no field ${name}. Add ${name} DateTime? to the model, or name its field in softDelete.field.`,
    );
  else {
    const problem = problemOf(field);
    if (problem !== undefined) add(`${name} of ${model.name} ${problem}. Expected an optional DateTime.`);
  }
  if (Array.isArray(config.writable) && config.writable.includes(name))
    issues.add(
      `models.${model.name}.writable`,
      `${name} is the time of the deletion, which no body can set. Remove it.`,
    );
}

function problemOf(field: Field): string | undefined {
  if (field.kind !== "scalar" || field.type !== "DateTime") return `has the type ${field.type}`;
  if (field.isList) return "is a list";
  if (field.isRequired) return "is required";
  if (field.hasDefault) return "has a default, so new rows would be deleted";
  const { name, args } = field.nativeType ?? { name: "", args: [] };
  // Rows of one deletion have the same time, and those of another one a different time.
  if (/^(Date|Time|Timetz)$/.test(name) || (args[0] !== undefined && Number(args[0]) < 3))
    return "does not store milliseconds";
  return undefined;
}

function checkCascades(
  model: Model,
  keep: unknown,
  configs: Readonly<Record<string, ModelConfig>>,
  models: Models,
  issues: IssueList,
): void {
  const where = `models.${model.name}.softDelete`;
  if (!Array.isArray(keep)) return;
  const cascades = dependentsOf(model, models).filter(isCascade);
  const left = cascades.filter((one) => !isSoftDeleted(configs[one.model.name]));
  const nameOf = ({ relation }: (typeof cascades)[number]): string => relation.relation.opposite ?? "";
  for (const one of left) {
    if (keep.includes(nameOf(one))) continue;
    const relation = `${one.model.name}.${one.relation.name}`;
    issues.add(
      where,
      `${relation} has onDelete: Cascade, and ${one.model.name} has no soft delete. Set softDelete of ${one.model.name}, or list ${nameOf(one)} in softDelete.keep, so that its rows stay.`,
    );
  }
  for (const name of keep.map(String)) {
    if (left.some((one) => nameOf(one) === name)) continue;
    if (cascades.some((one) => nameOf(one) === name))
      issues.add(
        `${where}.keep`,
        `The rows of ${name} have soft delete, so they are deleted and restored too. Remove it.`,
      );
    else issues.unknown(`${where}.keep`, "relation with onDelete: Cascade", name, left.map(nameOf));
  }
}

import type { FaultList } from "@servicekit/core/internal";
import { isPlainObject } from "@servicekit/core/internal";
import type { Model, Models } from "@servicekit/prisma";
import type { ModelConfig } from "./model-config.js";

/** Holds the fields that the filters of default query options name against the models, so that no request meets them. */
export function checkDefaultFilters(
  name: string,
  { query }: ModelConfig,
  model: Model,
  models: Models,
  faults: FaultList,
): void {
  if (!isPlainObject(query)) return;
  for (const operation of ["findMany", "findOne"] as const) {
    const options: unknown = query[operation];
    const where = isPlainObject(options) ? options.where : undefined;
    checkNames(where, model, (word, of) => {
      faults.unknown(`models.${name}.query.${operation}.where`, `field of ${of.name}`, word, of.fieldsByName.keys());
    });
  }

  function checkNames(where: unknown, of: Model, tell: (word: string, of: Model) => void): void {
    if (Array.isArray(where)) for (const member of where) checkNames(member, of, tell);
    if (!isPlainObject(where)) return;
    for (const [key, value] of Object.entries(where)) {
      const field = of.fieldsByName.get(key);
      if (key === "AND" || key === "OR" || key === "NOT") checkNames(value, of, tell);
      else if (field === undefined) tell(key, of);
      else if (field.kind === "relation" && isPlainObject(value)) {
        const target = models.get(field.type);
        const words = Object.keys(value);
        if (target === undefined) continue;
        if (words.every((word) => quantifiers.has(word))) {
          for (const inner of Object.values(value)) checkNames(inner, target, tell);
        } else if (!field.isList) checkNames(value, target, tell);
      }
    }
  }
}

const quantifiers: ReadonlySet<string> = new Set(["is", "isNot", "some", "every", "none"]);

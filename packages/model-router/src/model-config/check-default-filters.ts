import type { IssueList } from "@servicekit/core/internal";
import { isPlainObject } from "@servicekit/core/internal";
import type { Model, Models } from "@servicekit/prisma";
import { readConfiguredFilter } from "@servicekit/prisma/internal";
import type { ModelConfig } from "./model-config.js";

/** Validates the filters of default query options, so that no request fails because of them. */
export function checkDefaultFilters(
  name: string,
  { query }: ModelConfig,
  model: Model,
  models: Models,
  issues: IssueList,
): void {
  if (!isPlainObject(query)) return;
  for (const operation of ["findMany", "findOne"] as const) {
    const options: unknown = query[operation];
    const where = isPlainObject(options) ? options.where : undefined;
    const place = `models.${name}.query.${operation}.where`;
    let hasUnknown = false;
    checkNames(where, model, (word, of) => {
      hasUnknown = true;
      issues.unknown(place, `field of ${of.name}`, word, of.fieldsByName.keys());
    });
    if (isPlainObject(where) && !hasUnknown) checkConditions(place, where);
  }

  function checkConditions(place: string, where: object): void {
    try {
      readConfiguredFilter(where, model, models);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      issues.add(place, error.message);
    }
  }

  function checkNames(where: unknown, of: Model, report: (word: string, of: Model) => void): void {
    if (Array.isArray(where)) for (const member of where) checkNames(member, of, report);
    if (!isPlainObject(where)) return;
    for (const [key, value] of Object.entries(where)) {
      const field = of.fieldsByName.get(key);
      if (key === "AND" || key === "OR" || key === "NOT") checkNames(value, of, report);
      else if (field === undefined) report(key, of);
      else if (field.kind === "relation" && isPlainObject(value)) {
        const target = models.get(field.type);
        const words = Object.keys(value);
        if (target === undefined) continue;
        if (words.every((word) => quantifiers.has(word))) {
          for (const inner of Object.values(value)) checkNames(inner, target, report);
        } else if (!field.isList) checkNames(value, target, report);
      }
    }
  }
}

const quantifiers: ReadonlySet<string> = new Set(["is", "isNot", "some", "every", "none"]);

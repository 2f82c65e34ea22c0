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
    checkNames(where, model, (what, word, known) => {
      hasUnknown = true;
      issues.unknown(place, what, word, known);
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

  function checkNames(where: unknown, of: Model, report: ReportUnknown): void {
    if (Array.isArray(where)) for (const member of where) checkNames(member, of, report);
    if (!isPlainObject(where)) return;
    for (const [key, value] of Object.entries(where)) {
      const field = of.fieldsByName.get(key);
      if (key === "AND" || key === "OR" || key === "NOT") checkNames(value, of, report);
      else if (field === undefined) report(`field of ${of.name}`, key, of.fieldsByName.keys());
      else if (field.kind === "relation" && isPlainObject(value)) {
        const target = models.get(field.type);
        const words = Object.keys(value);
        if (target === undefined) continue;
        const allowed = field.isList ? ofLists : ofOne;
        if (field.isList || words.every((word) => allowed.has(word))) {
          for (const word of words.filter((word) => !allowed.has(word)))
            report(`condition of the list ${of.name}.${key}`, word, allowed);
          for (const inner of Object.values(value)) checkNames(inner, target, report);
        } else checkNames(value, target, report);
      }
    }
  }
}

/** Receives a name that does not exist, and those that do. */
type ReportUnknown = (what: string, word: string, known: Iterable<string>) => void;

const ofLists: ReadonlySet<string> = new Set(["some", "every", "none"]);
const ofOne: ReadonlySet<string> = new Set(["is", "isNot"]);

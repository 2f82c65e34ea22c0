import { isPlainObject } from "@servicekit/core/internal";
import type { QueryIssues } from "../filter/query-issues.js";
import type { Resource, Resources } from "../resource.js";
import type { Select } from "../shown.js";
import type { ListParameter } from "./parameters.js";

/** The limits of an export (contract C104). */
export interface ExportLimits {
  /** Maximum number of rows. */
  readonly rows: number;
  /** Whether the rows have one value per column, so that they include no lists of rows. */
  readonly isTable: boolean;
}

type Values = Partial<Readonly<Record<ListParameter, string>>>;

const ofPages = ["page", "cursor", "count", "highlight", "prismaQueryOptions"] as const;

/** The parameters of an export; an error is added for each one of pages. */
export function exportParameters(values: Values, issues: QueryIssues): Values {
  for (const name of ofPages) {
    if (values[name] === undefined) continue;
    issues.add(
      name,
      "Conflict",
      `${name} cannot be used in an export, which has all rows. limit reduces their number.`,
    );
  }
  return Object.fromEntries(Object.entries(values).filter(([name]) => !ofPages.some((one) => one === name)));
}

/**
 * A `select` without lists of rows, which the columns of a table cannot contain. Lists of the model's default options are
 * left out; an error is added for each one that the request includes.
 *
 * @param isNamed whether the request names the relations
 */
export function withoutLists(
  select: Select,
  { model }: Resource,
  resources: Resources,
  isNamed: boolean,
  issues: QueryIssues,
  path: readonly string[] = [],
): Select {
  const flat = Object.entries(select).flatMap(([name, value]) => {
    const field = model.fieldsByName.get(name);
    const related = field?.kind === "relation" ? resources.get(field.type) : undefined;
    if (field === undefined || related === undefined) return [[name, value] as const];
    const here = [...path, name];
    if (field.isList) {
      if (isNamed) {
        const text = here.join(".");
        const hint = "Remove it from include, or request application/x-ndjson.";
        issues.add("include", "InvalidValue", `A CSV file cannot contain ${text}, a to-many relation. ${hint}`);
      }
      return [];
    }
    if (!isPlainObject(value) || !isPlainObject(value.select)) return [[name, value] as const];
    return [
      [name, { ...value, select: withoutLists(value.select, related, resources, isNamed, issues, here) }] as const,
    ];
  });
  return Object.fromEntries(flat);
}

import { type StoredField } from "@servicekit/prisma";
import { isSortable } from "@servicekit/prisma/internal";
import { readSort } from "@servicekit/query-parser/internal";
import type { QueryIssues } from "../filter/query-issues.js";
import type { FilterContext } from "../filter/read-filter.js";
import { unknownName } from "../filter/unknown-name.js";
import type { Resource } from "../resource.js";
import type { SortKey } from "../sort-key.js";
import { joinedNames } from "./joined-names.js";

/** Reads `sort=-createdAt,author.name` (contract C8); errors are added to the context. */
export function readSortKeys(text: string, resource: Resource, context: FilterContext): SortKey[] {
  return readSort(text, context.limits, joinedNames(context.resources)).flatMap(({ path, direction }) => {
    const field = findField(path, resource, context);
    return field === undefined ? [] : [{ path, field, direction }];
  });
}

/** Prisma's `orderBy` for these keys; the fields of the id come last, so that pages are stable. */
export function toOrderBy(keys: readonly SortKey[], resource: Resource): readonly Readonly<Record<string, unknown>>[] {
  if (keys.length === 0) return resource.keyOrder;
  const ordered = keys.map(({ path, direction }) =>
    path.reduceRight<unknown>((inner, segment) => ({ [segment]: inner }), direction),
  ) as Readonly<Record<string, unknown>>[];
  const named = new Set(keys.map(({ path }) => path.join(".")));
  return [...ordered, ...resource.keyOrder.filter((order) => !named.has(Object.keys(order)[0] ?? ""))];
}

/** The comparable field at the end of a path through to-one relations; an error is added if there is none. */
export function findField(
  path: readonly string[],
  start: Resource,
  context: FilterContext,
  parameter = "sort",
): StoredField | undefined {
  const { issues, limits, resources } = context;
  let resource = start;
  if (path.length - 1 > limits.relationHops) {
    issues.add(parameter, "TooDeep", `${parameter} may go through at most ${limits.relationHops} relations.`);
    return undefined;
  }
  for (const segment of path.slice(0, -1)) {
    const relation = resource.relations.get(segment);
    const related = resources.get(relation?.type ?? "");
    if (relation === undefined || related === undefined) {
      const known = toOneNames(resource);
      issues.add(parameter, "UnknownField", () => unknownName(segment, resource, { wants: "relation", known }));
      return undefined;
    }
    if (relation.isList) return rejectList(segment, parameter, issues);
    resource = related;
  }
  const name = path.at(-1) ?? "";
  // Groups and measures are columns.
  const fields = parameter === "sort" ? resource.queryable : resource.listed;
  const field = fields.get(name);
  if (field === undefined) {
    if (resource.relations.get(name)?.isList) return rejectList(name, parameter, issues);
    const known = [...fields.keys(), ...toOneNames(resource)];
    const inPlaceOf = (one: string): string => {
      const [[id] = ["…"]] = resources.get(resource.relations.get(one)?.type ?? "")?.listed ?? [];
      return [...path.slice(0, -1), one, id].join(".");
    };
    issues.add(parameter, "UnknownField", () => unknownName(name, resource, { wants: "field", known, inPlaceOf }));
    return undefined;
  }
  if (isSortable(field)) return field;
  issues.add(parameter, "InvalidValue", `${parameter} cannot use ${field.name}: its values have no order.`);
  return undefined;
}

const toOneNames = ({ relations }: Resource): readonly string[] =>
  [...relations.values()].filter(({ isList }) => !isList).map(({ name }) => name);

function rejectList(name: string, parameter: string, issues: QueryIssues): undefined {
  issues.add(parameter, "InvalidValue", `${parameter} cannot use ${name}, which is a to-many relation.`);
}

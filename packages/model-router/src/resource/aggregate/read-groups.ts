import { nearestWord } from "@servicekit/core/internal";
import type { RelationField, StoredField } from "@servicekit/prisma";
import { type DatePart, dateParts, groupField, hasPeriods, periodField } from "@servicekit/prisma/internal";
import type { FilterContext } from "../filter/read-filter.js";
import { findField } from "../query/read-sort-keys.js";
import type { Resource } from "../resource.js";

/** A value that rows are grouped by, before the row rules of its relations are known. */
export interface RequestedGroup {
  readonly name: string;
  readonly relations: readonly RelationField[];
  readonly of: StoredField;
  readonly part: DatePart | undefined;
  /** The value as a field. */
  readonly field: StoredField;
}

/** Reads `groupBy=status,createdAt:month,category.name`; errors are added to the context. */
export function readGroups(text: string | undefined, resource: Resource, context: FilterContext): RequestedGroup[] {
  if (text === undefined) return [];
  const { issues, limits } = context;
  const names = text.split(",", limits.sortKeys + 1);
  if (names.length > limits.sortKeys) {
    issues.add("groupBy", "TooManyItems", `groupBy accepts at most ${limits.sortKeys} values (sortKeys).`);
    return [];
  }
  const repeated = names.find((name, at) => name !== "" && names.indexOf(name) < at);
  if (repeated !== undefined) {
    issues.add("groupBy", "Repeated", `groupBy must name ${repeated} only once.`);
    return [];
  }
  return names.flatMap((name, at) => readGroup(name, `g${at}`, resource, context) ?? []);
}

function readGroup(
  name: string,
  column: string,
  resource: Resource,
  context: FilterContext,
): RequestedGroup | undefined {
  const { issues } = context;
  const colon = name.indexOf(":");
  const path = (colon === -1 ? name : name.slice(0, colon)).split(".", context.limits.relationHops + 2);
  if (path.includes("")) {
    issues.add("groupBy", "InvalidValue", "groupBy must be names of fields, separated by commas.");
    return undefined;
  }
  const dotted = colon === -1 ? periodOf(path, resource) : undefined;
  if (dotted !== undefined) {
    issues.add(
      "groupBy",
      "UnknownField",
      `${dotted.field} is not a relation. Did you mean ${dotted.field}:${dotted.part}?`,
    );
    return undefined;
  }
  const of = findField(path, resource, context, "groupBy");
  if (of === undefined) return undefined;
  const relations = relationsOf(path, resource, context);
  if (colon === -1) return { name, relations, of, part: undefined, field: groupField(of, name, column) };
  const part = readPart(name.slice(colon + 1), of, context);
  return part && { name, relations, of, part, field: periodField(name, column) };
}

/** A period that is written like a field of a relation: `createdAt.month`. */
function periodOf([name = "", part, ...others]: readonly string[], resource: Resource) {
  const field = resource.listed.get(name);
  const isPeriod = field !== undefined && hasPeriods(field) && dateParts.some((one) => one === part);
  return isPeriod && others.length === 0 ? { field: name, part } : undefined;
}

/** The relations on the path of a field that {@link findField} has found. */
function relationsOf(path: readonly string[], start: Resource, { resources }: FilterContext): readonly RelationField[] {
  let resource: Resource | undefined = start;
  return path.slice(0, -1).flatMap((name) => {
    const relation = resource?.relations.get(name);
    resource = resources.get(relation?.type ?? "");
    return relation ?? [];
  });
}

function readPart(text: string, of: StoredField, { issues }: FilterContext): DatePart | undefined {
  const part = dateParts.find((one) => one === text);
  if (part === undefined) {
    const near = nearestWord(text, dateParts);
    const hint = near === undefined ? `Expected one of ${dateParts.join(", ")}.` : `Did you mean ${near}?`;
    issues.add("groupBy", "InvalidValue", `${of.name} has no part ${JSON.stringify(text)} in groupBy. ${hint}`);
    return undefined;
  }
  if (hasPeriods(of)) return part;
  issues.add("groupBy", "InvalidValue", `groupBy cannot use a part of ${of.name}, which is not a date.`);
  return undefined;
}

import { isObject } from "@servicekit/core/internal";
import { isSortable } from "@servicekit/prisma/internal";
import type { Where } from "../filter/where.js";
import type { Resource } from "../resource.js";
import { type PrismaOptionsContext, reject, rejectName } from "./context.js";

/** Reads a Prisma `orderBy` (contract C22); the fields of the id come last, so that pages are stable. */
export function readOptionsOrder(
  input: unknown,
  resource: Resource,
  path: readonly string[],
  context: PrismaOptionsContext,
): readonly Where[] {
  const entries: readonly unknown[] = Array.isArray(input) ? input : [input];
  const { sortKeys } = context.limits;
  if (entries.length > sortKeys) {
    reject(context, path, "TooManyItems", `has ${entries.length} keys. Maximum: ${sortKeys}`);
    return [];
  }
  const orders: readonly Where[] = entries.flatMap(
    (entry): readonly Where[] | Where => readEntry(entry, resource, path, 0, context) ?? [],
  );
  const named = new Set(orders.flatMap((order) => Object.keys(order)));
  return [...orders, ...resource.keyOrder.filter((order) => !named.has(Object.keys(order)[0] ?? ""))];
}

function readEntry(
  input: unknown,
  resource: Resource,
  path: readonly string[],
  hops: number,
  context: PrismaOptionsContext,
): Where | undefined {
  const [name = "", ...others] = isObject(input) ? Object.keys(input) : [];
  if (!isObject(input) || name === "" || others.length > 0) {
    reject(context, path, "InvalidValue", "must contain objects with one key each");
    return undefined;
  }
  const inner = [...path, name];
  const value = input[name];
  const field = resource.listed.get(name);
  if (field !== undefined) {
    if (isSortable(field) && isDirection(value, field.isRequired)) return { [name]: value };
    reject(
      context,
      inner,
      "InvalidValue",
      isSortable(field) ? "must be asc or desc" : "has values that cannot be sorted",
    );
    return undefined;
  }
  const relation = resource.relations.get(name);
  const related = context.resources.get(relation?.type ?? "");
  if (relation === undefined || related === undefined) {
    const known = [...resource.listed.keys(), ...resource.relations.keys()];
    rejectName(context, inner, name, resource, { wants: "either", known });
    return undefined;
  }
  if (hops + 1 > context.limits.relationHops) {
    reject(context, inner, "TooDeep", `goes through more than ${context.limits.relationHops} relations`);
    return undefined;
  }
  if (!relation.isList) {
    const order = readEntry(value, related, inner, hops + 1, context);
    return order && { [name]: order };
  }
  const isCount = isObject(value) && Object.keys(value).length === 1 && isDirection(value._count, true);
  if (isCount) return { [name]: { _count: value._count } };
  reject(context, inner, "InvalidValue", "is a to-many relation: use _count");
  return undefined;
}

function isDirection(value: unknown, isRequired: boolean): boolean {
  if (value === "asc" || value === "desc") return true;
  if (!isObject(value) || !isDirection(value.sort, true) || typeof value.sort !== "string") return false;
  const { nulls } = value;
  const words = Object.keys(value).filter((word) => word !== "sort" && word !== "nulls");
  return words.length === 0 && (nulls === undefined || (!isRequired && (nulls === "first" || nulls === "last")));
}

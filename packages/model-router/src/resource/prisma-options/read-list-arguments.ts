import type { Filter } from "@servicekit/prisma/internal";
import type { Where } from "../filter/where.js";
import type { Resource } from "../resource.js";
import { type PrismaOptionsContext, reject, rejectName } from "./context.js";
import { readOptionsWhere } from "./read-options-where.js";
import { readOptionsOrder } from "./read-order.js";
import { readUniqueWhere } from "./read-unique-where.js";

/** The arguments of a list in Prisma's form, validated against what the caller may use. */
export interface ListArguments {
  readonly where: Filter | undefined;
  readonly orderBy: readonly Where[] | undefined;
  readonly take: number | undefined;
  readonly skip: number | undefined;
  readonly cursor: Where | undefined;
  readonly distinct: readonly string[] | undefined;
}

/** Reads the arguments of a list, or of a to-many relation inside one. */
export function readListArguments(
  input: Where,
  resource: Resource,
  { path, max: limit }: { readonly path: readonly string[]; readonly max: number },
  context: PrismaOptionsContext,
): ListArguments {
  const { where, orderBy, cursor, distinct } = input;
  const at = (word: string): readonly string[] => [...path, word];
  return {
    where: where === undefined ? undefined : readOptionsWhere(where, resource, at("where"), context),
    orderBy: orderBy === undefined ? undefined : readOptionsOrder(orderBy, resource, at("orderBy"), context),
    take: readCount(input.take, -limit, limit, at("take"), context),
    skip: readCount(input.skip, 0, 2 ** 31 - 1, at("skip"), context),
    cursor: cursor === undefined ? undefined : readCursor(cursor, resource, at("cursor"), context),
    distinct: distinct === undefined ? undefined : readDistinct(distinct, resource, at("distinct"), context),
  };
}

function readCursor(
  input: unknown,
  resource: Resource,
  path: readonly string[],
  context: PrismaOptionsContext,
): Where | undefined {
  if (!context.isGuarded) return readUniqueWhere(input, resource, path, context);
  reject(context, path, "InvalidValue", "is not allowed because you may not read all rows");
  return undefined;
}

function readCount(
  input: unknown,
  min: number,
  max: number,
  path: readonly string[],
  context: PrismaOptionsContext,
): number | undefined {
  if (input === undefined) return undefined;
  if (typeof input === "number" && Number.isInteger(input) && input >= min && input <= max) return input;
  reject(context, path, "OutOfRange", `must be an integer from ${min} to ${max}`);
  return undefined;
}

function readDistinct(
  input: unknown,
  resource: Resource,
  path: readonly string[],
  context: PrismaOptionsContext,
): readonly string[] | undefined {
  const names: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (names.length === 0) reject(context, path, "InvalidValue", "must contain field names");
  for (const name of names) {
    if (typeof name === "string" && resource.listed.has(name)) continue;
    rejectName(context, path, name, resource, { wants: "field", known: [...resource.listed.keys()] });
  }
  return names as readonly string[];
}

import type { QueryLimits } from "@servicekit/query-parser";
import type { QueryFaults } from "../filter/query-faults.js";
import type { Where } from "../filter/where.js";
import type { Resource, Resources } from "../resource.js";
import { readDangerousOrder } from "./dangerous-order.js";
import { readDangerousSelect } from "./dangerous-select.js";
import { readDangerousWhere } from "./dangerous-where.js";
import type { Shown } from "./default-options.js";
import type { IncludeLimits, Select } from "./read-include.js";
import { readUniqueWhere } from "./read-unique-where.js";

/** What `prismaQueryOptions` are read with. */
export interface DangerousContext {
  readonly resources: Resources;
  readonly limits: QueryLimits;
  readonly include: IncludeLimits;
  readonly faults: QueryFaults;
  /** Whether row rules hold: a cursor would then tell where a row stands that the caller may not read. */
  readonly isGuarded: boolean;
  /** Counts the conditions of the whole text. */
  readonly terms: { count: number };
}

/** Prisma's options, held against what the caller may name. */
export interface DangerousOptions {
  readonly where: Where | undefined;
  readonly orderBy: readonly Where[] | undefined;
  readonly take: number | undefined;
  readonly skip: number | undefined;
  readonly cursor: Where | undefined;
  readonly distinct: readonly string[] | undefined;
  readonly select: Select;
}

/** The parameter's name. */
export const dangerousParameter = "prismaQueryOptions";

const treeWords = ["select", "include", "omit"];
const listWords = ["where", "orderBy", "take", "skip", "cursor", "distinct"];

/**
 * Reads `prismaQueryOptions` (contract C22): Prisma's own options as JSON, but only with fields, relations and operators
 * that the caller may name otherwise, and within the same limits. What is not understood is refused, so that no option of
 * the ORM gets through unseen.
 *
 * @param base what is shown without `select`
 */
export function readDangerousOptions(
  text: string,
  base: Select,
  shown: Shown,
  resource: Resource,
  isList: boolean,
  context: DangerousContext,
): DangerousOptions | undefined {
  const input = parse(text);
  if (!isObject(input)) {
    context.faults.add(dangerousParameter, "InvalidValue", `${dangerousParameter} takes a JSON object.`);
    return undefined;
  }
  const words = isList ? [...treeWords, ...listWords] : treeWords;
  if (!checkWords(input, words, [], context)) return undefined;
  const select = readDangerousSelect(input, { base, shown, resource, path: [], depth: 0 }, context);
  return { ...readListArguments(input, resource, { path: [], most: resource.page.max }, context), select };
}

/** Reads the arguments of a list, or of a to-many relation inside one. */
export function readListArguments(
  input: Where,
  resource: Resource,
  { path, most }: { readonly path: readonly string[]; readonly most: number },
  context: DangerousContext,
): Omit<DangerousOptions, "select"> {
  const { where, orderBy, cursor, distinct } = input;
  const at = (word: string): readonly string[] => [...path, word];
  return {
    where: where === undefined ? undefined : readDangerousWhere(where, resource, at("where"), context),
    orderBy: orderBy === undefined ? undefined : readDangerousOrder(orderBy, resource, at("orderBy"), context),
    take: readCount(input.take, -most, most, at("take"), context),
    skip: readCount(input.skip, 0, 2 ** 31 - 1, at("skip"), context),
    cursor: cursor === undefined ? undefined : readCursor(cursor, resource, at("cursor"), context),
    distinct: distinct === undefined ? undefined : readDistinct(distinct, resource, at("distinct"), context),
  };
}

function readCursor(
  input: unknown,
  resource: Resource,
  path: readonly string[],
  context: DangerousContext,
): Where | undefined {
  if (!context.isGuarded) return readUniqueWhere(input, resource, path, context);
  refuse(context, path, "InvalidValue", "takes no cursor where not all rows are open to you");
  return undefined;
}

function readCount(
  input: unknown,
  min: number,
  max: number,
  path: readonly string[],
  context: DangerousContext,
): number | undefined {
  if (input === undefined) return undefined;
  if (typeof input === "number" && Number.isInteger(input) && input >= min && input <= max) return input;
  refuse(context, path, "OutOfRange", `takes a whole number from ${min} to ${max}`);
  return undefined;
}

function readDistinct(
  input: unknown,
  resource: Resource,
  path: readonly string[],
  context: DangerousContext,
): readonly string[] | undefined {
  const names: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (names.length === 0) refuse(context, path, "InvalidValue", "takes names of fields");
  for (const name of names) {
    if (typeof name !== "string" || !resource.fields.has(name)) refuseName(context, path, name, resource);
  }
  return names as readonly string[];
}

/** Whether only these words are used; each other one is noted. */
export function checkWords(
  input: Where,
  words: readonly string[],
  path: readonly string[],
  context: DangerousContext,
): boolean {
  const others = Object.keys(input).filter((word) => !words.includes(word));
  for (const word of others) {
    refuse(context, [...path, word], "UnknownParameter", `is not known here; known are ${words.join(", ")}`);
  }
  return others.length === 0;
}

/** Notes a fault at a place inside the options. */
export function refuse(context: DangerousContext, path: readonly string[], code: string, what: string): void {
  const place = [dangerousParameter, ...path].join(".");
  context.faults.add(dangerousParameter, code, `${place.length > 200 ? `${place.slice(0, 200)}…` : place} ${what}.`);
}

/** Notes an unknown field, in the same words for a hidden one and for one that does not exist. */
export function refuseName(
  context: DangerousContext,
  path: readonly string[],
  name: unknown,
  resource: Resource,
): void {
  const told = typeof name === "string" ? name.slice(0, 100) : "without a name";
  refuse(context, path, "UnknownField", `names no field of ${resource.model.name}: ${told}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object of JSON. */
export const isObject = (value: unknown): value is Where =>
  typeof value === "object" && value !== null && !Array.isArray(value);

import { isObject } from "@servicekit/core/internal";
import type { RelationField } from "@servicekit/prisma";
import { filterCost, hopCost } from "../filter/cost.js";
import type { Where } from "../filter/where.js";
import type { Resource } from "../resource.js";
import type { Select, Shown } from "../shown.js";
import { checkWords, type PrismaOptionsContext, reject, rejectName } from "./context.js";
import { readListArguments } from "./read-list-arguments.js";
import { readOptionsWhere } from "./read-options-where.js";

/** The place of a `select` in the tree of relations. */
interface Place {
  /** The selection without `select`. */
  readonly base: Select;
  /** The allowed fields; `undefined` for all visible ones. */
  readonly shown: Pick<Shown, "names" | "relations"> | undefined;
  readonly resource: Resource;
  readonly path: readonly string[];
  /** The number of relations that lead to it. */
  readonly depth: number;
  /** The factor of its filters' cost. */
  readonly weight: number;
}

/**
 * Reads Prisma's `select`, `include` and `omit` into one `select` that names every field (contract C22): unnamed fields
 * are never fetched.
 */
export function readOptionsSelect(input: Where, place: Place, context: PrismaOptionsContext): Select {
  const { select, include, omit } = input;
  const { path, base } = place;
  if (select !== undefined && (include !== undefined || omit !== undefined)) {
    reject(context, [...path, "select"], "Conflict", "cannot be combined with include and omit");
  }
  const result: Record<string, unknown> = select === undefined ? { ...base } : {};
  readNames(select, "select", place, context, result);
  readNames(include, "include", place, context, result);
  for (const name of namesOf(omit, [...path, "omit"], context)) {
    const { resource } = place;
    const known = [...resource.fields.keys(), ...resource.computed.keys()];
    if (!known.includes(name))
      rejectName(context, [...path, "omit"], name, resource, { wants: "field", known, takesComputed: true });
    else if ((omit as Where)[name] === true) delete result[name];
    else if ((omit as Where)[name] !== false)
      reject(context, [...path, "omit", name], "InvalidValue", "must be true or false");
  }
  if (Object.keys(result).length === 0) {
    reject(context, [...path, select === undefined ? "omit" : "select"], "InvalidValue", "selects no field");
  }
  return result;
}

function readNames(
  tree: unknown,
  word: "select" | "include",
  place: Place,
  context: PrismaOptionsContext,
  result: Record<string, unknown>,
): void {
  const { resource, shown } = place;
  const path = [...place.path, word];
  for (const name of namesOf(tree, path, context)) {
    const value = (tree as Where)[name];
    const inner = [...path, name];
    const relation = resource.relations.get(name);
    const isField =
      word === "select" && (shown === undefined ? Object.hasOwn(resource.select, name) : shown.names.has(name));
    const isRelation = relation !== undefined && shown?.relations?.has(name) !== false;
    if (name === "_count") readCounts(value, place, inner, context, result);
    else if (!isField && !isRelation) {
      const known = [...(shown?.relations ?? resource.relations.keys())];
      if (word === "select") known.push(...(shown?.names ?? Object.keys(resource.select)));
      rejectName(context, inner, name, resource, {
        wants: word === "select" ? "either" : "relation",
        known,
        takesComputed: true,
      });
    } else if (typeof value !== "boolean" && !(isRelation && isObject(value))) {
      reject(context, inner, "InvalidValue", isRelation ? "must be true, false or an object" : "must be true or false");
    } else if (isRelation && value !== false) {
      const found = readRelation(relation, value === true ? {} : (value as Where), { ...place, path: inner }, context);
      if (found !== undefined) result[name] = found;
    } else if (value === true) result[name] = true;
  }
}

const treeWords = ["select", "include", "omit"];
const listWords = [...treeWords, "where", "orderBy", "take", "skip", "cursor", "distinct"];

function readRelation(
  relation: RelationField,
  input: Where,
  place: Place,
  context: PrismaOptionsContext,
): Select | undefined {
  const resource = context.resources.get(relation.type);
  const depth = place.depth + 1;
  if (resource === undefined) return undefined;
  if (depth > context.include.depth) {
    reject(context, place.path, "TooDeep", `is ${depth} relations deep. Maximum: ${context.include.depth}`);
    return undefined;
  }
  if (!checkWords(input, relation.isList ? listWords : treeWords, place.path, context)) return undefined;
  const { path } = place;
  const weight = place.weight * hopCost(relation);
  const { findMany } = resource.shown;
  const inner = { base: findMany.select, shown: findMany, resource, path, depth, weight };
  const select = readOptionsSelect(input, inner, context);
  if (!relation.isList) return { select };
  const { rows } = context.include;
  const {
    take = rows,
    orderBy = resource.keyOrder,
    ...others
  } = readListArguments(input, resource, { path, max: rows }, context);
  if (others.where !== undefined) context.spent.cost += weight * filterCost(others.where);
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return { ...given, select, take, orderBy };
}

/** `_count` of to-many relations, each with a filter of its own. */
function readCounts(
  input: unknown,
  { resource, shown, weight }: Place,
  path: readonly string[],
  context: PrismaOptionsContext,
  result: Record<string, unknown>,
): void {
  if (input === false) return;
  const lists = [...resource.relations.values()].filter(
    ({ name, isList }) => isList && shown?.relations?.has(name) !== false,
  );
  const tree =
    input === true
      ? Object.fromEntries(lists.map(({ name }) => [name, true]))
      : isObject(input)
        ? input.select
        : undefined;
  if (!isObject(tree) || (isObject(input) && !checkWords(input, ["select"], path, context))) {
    reject(context, path, "InvalidValue", "must be true or a select of relations");
    return;
  }
  const select: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(tree)) {
    const inner = [...path, "select", name];
    const relation = lists.find((one) => one.name === name);
    const target = context.resources.get(relation?.type ?? "");
    if (relation === undefined || target === undefined) {
      rejectName(context, inner, name, resource, { wants: "relation", known: lists.map((one) => one.name) });
    } else if (value === true) select[name] = true;
    else if (isObject(value) && checkWords(value, ["where"], inner, context)) {
      const filter = readOptionsWhere(value.where, target, [...inner, "where"], context);
      if (filter !== undefined) context.spent.cost += weight * hopCost(relation) * filterCost(filter);
      select[name] = filter === undefined ? true : { where: filter };
    } else if (value !== false) reject(context, inner, "InvalidValue", "must be true, false or a where");
  }
  if (Object.keys(select).length > 0) result._count = { select };
}

function namesOf(tree: unknown, path: readonly string[], context: PrismaOptionsContext): readonly string[] {
  if (tree === undefined) return [];
  if (isObject(tree)) return Object.keys(tree);
  reject(context, path, "InvalidValue", "must be an object");
  return [];
}

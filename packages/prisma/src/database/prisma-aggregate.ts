import { httpErrors } from "@servicekit/core";
import type { AggregateArgs } from "../aggregates/aggregate-args.js";
import type { Measure } from "../aggregates/measure.js";
import type { Model, StoredField } from "../models/model.js";
import type { Row } from "../queries/query-args.js";
import { toJsonField } from "../values/json-value.js";
import type { JsonResult } from "./executor.js";
import { callPrisma, type PrismaHandle } from "./prisma-client-like.js";

/** Why Prisma Client cannot run an aggregate, with the query parameter that it is about. */
export interface AggregateReason {
  readonly parameter: string;
  readonly reason: string;
}

/** What of an aggregate `groupBy` and `aggregate` of Prisma Client cannot express exactly; `undefined` if they can. */
export function prismaAggregateReason(model: Model, args: AggregateArgs): AggregateReason | undefined {
  const { groups, measures, having, orderBy } = args;
  for (const { name, path, part } of groups) {
    if (path.length > 0) return { parameter: "groupBy", reason: `does not group by ${name}, a field of another model` };
    if (part !== undefined) return { parameter: "groupBy", reason: `does not group by ${name}, a part of a date` };
  }
  for (const { function: word, of, name } of measures) {
    if (word === "countDistinct") return { parameter: word, reason: "does not count distinct values" };
    if (word === "avg" && (of?.type === "Int" || of?.type === "BigInt"))
      return { parameter: word, reason: `rounds ${name}` };
  }
  if (orderBy.some(({ nulls }) => nulls !== undefined))
    return { parameter: "sort", reason: "does not sort groups with NULL at a given place" };
  if (having !== undefined) return { parameter: "having", reason: "does not compare every measure exactly" };
  if (keyOf(model) === undefined && orderBy.some(({ field }) => field.name === "count"))
    return { parameter: "sort", reason: `does not sort by count without a key of ${model.name}` };
  return undefined;
}

/** The error of an aggregate that Prisma Client cannot run. */
export function prismaAggregateError({ name }: Model, { parameter, reason }: AggregateReason) {
  const message = `${parameter} is not available here: ${name} is read by Prisma Client, which ${reason}.`;
  return httpErrors.ValidationError(message, {
    errors: [{ in: "query", path: `/${parameter}`, code: "Unsupported", message }],
  });
}

/** Runs an aggregate by Prisma Client. */
export async function aggregateByPrisma(
  client: PrismaHandle,
  model: Model,
  args: AggregateArgs,
  shown: number,
): Promise<JsonResult> {
  const { where = {}, groups, measures, orderBy, take, skip } = args;
  const functions = selectOf(measures);
  if (groups.length === 0) {
    if (skip > 0) return { json: "[]", found: 0 };
    const row = await callPrisma(client, model.delegate, "aggregate", { where, _count: { _all: true }, ...functions });
    return { json: JSON.stringify([toResult(row as Row, args)]), found: 1 };
  }
  const rows = (await callPrisma(client, model.delegate, "groupBy", {
    by: groups.map(({ of }) => of.name),
    where,
    ...{ take, skip, _count: { _all: true }, ...functions },
    orderBy: orderBy.map(({ field, direction }) => orderOf(field, direction, model, args)),
  })) as readonly Row[];
  return { json: JSON.stringify(rows.slice(0, shown).map((row) => toResult(row, args))), found: rows.length };
}

/** `{ _sum: { total: true } }`. */
function selectOf(measures: readonly Measure[]): Readonly<Record<string, Readonly<Record<string, true>>>> {
  const selected: Record<string, Record<string, true>> = {};
  for (const { function: word, of } of measures) {
    if (of === undefined) continue;
    const fields = selected[`_${word}`] ?? {};
    fields[of.name] = true;
    selected[`_${word}`] = fields;
  }
  return selected;
}

const keyOf = ({ uniqueKeys }: Model): StoredField | undefined =>
  uniqueKeys[0]?.fields.find(({ isRequired }) => isRequired);

function orderOf(field: StoredField, direction: "asc" | "desc", model: Model, { groups, measures }: AggregateArgs) {
  const group = groups.find((one) => one.field === field);
  if (group !== undefined) return { [group.of.name]: direction };
  const measure = measures.find((one) => one.field === field);
  if (measure?.of === undefined) return { _count: { [keyOf(model)?.name ?? ""]: direction } };
  return { [`_${measure.function}`]: { [measure.of.name]: direction } };
}

/** A group as SQL writes it. */
function toResult(row: Row, { groups, measures, shown }: AggregateArgs): Row {
  const result: Record<string, Record<string, unknown> | unknown> = {};
  if (groups.length > 0)
    result.group = Object.fromEntries(groups.map(({ name, of, field }) => [name, toJsonField(field, row[of.name])]));
  for (const { name, function: word, of, field } of measures) {
    if (!shown.has(name)) continue;
    const values = row[`_${word}`] as Row;
    if (of === undefined) result.count = values._all;
    else result[word] = { ...(result[word] as Row), [of.name]: toJsonField(field, exact(field, values[of.name])) };
  }
  return result;
}

/** Prisma Client returns the sum of integers as a number. */
const exact = ({ type }: StoredField, value: unknown): unknown =>
  typeof value === "number" && (type === "BigInt" || type === "Decimal") ? BigInt(value) : value;

import { isPlainObject } from "@servicekit/core/internal";
import type { Database, Model, Models, RelationField, StoredField } from "@servicekit/prisma";
import { allOf, type Filter, rowsWhere, toJsonField, toWhere } from "@servicekit/prisma/internal";
import { guard, type ReadableRows } from "../resource/filter/guard.js";
import { QueryIssues } from "../resource/filter/query-issues.js";
import { type Where } from "../resource/filter/where.js";
import type { Row } from "../resource/values/to-json.js";

/** Prisma's arguments of a read, or of a relation inside one; a `where` among them is still a filter. */
export type ReadArguments = Readonly<Record<string, unknown>>;

/** The rules that apply to reads. */
export interface ReadGuard {
  readonly models: Models;
  readonly readable: ReadableRows;
}

/** A read with the row rules of related models. */
export interface GuardedRead {
  readonly args: ReadArguments;
  /**
   * Adds the permitted rows of to-one relations to the result; others become `null`. Without it the result is complete, and
   * may be JSON.
   */
  readonly fill?: (rows: readonly Row[], database: Database) => Promise<void>;
}

/**
 * Adds row rules to the filter, the order and the tree of `select` and `include` of a read. To-many relations and
 * counts get a filter. The ORM supports none on a to-one relation: of such a row only the key is read first, and the
 * row itself by a separate query with the rule.
 *
 * @param parameter the query parameter for errors
 * @throws {HttpError} 400 for an order through a model with a row rule
 */
export async function guardRead(
  args: ReadArguments,
  model: Model,
  context: ReadGuard,
  parameter = "sort",
): Promise<GuardedRead> {
  const later: LaterRow[] = [];
  const guarded = await guardArguments(args, { model, context, parameter, path: [], later });
  if (later.length === 0) return { args: guarded };
  return { args: guarded, fill: (rows, database) => fillRows(rows, later, database) };
}

interface Place {
  readonly model: Model;
  readonly context: ReadGuard;
  readonly parameter: string;
  readonly path: readonly string[];
  readonly later: LaterRow[];
}

/** A to-one relation whose rows are read separately. */
interface LaterRow {
  /** The path from a row of the result to the relation. */
  readonly path: readonly string[];
  readonly model: Model;
  readonly key: readonly StoredField[];
  readonly rule: Where;
  readonly args: ReadArguments;
  /** The relations below these rows. */
  readonly later: readonly LaterRow[];
  /** Key fields that were not requested. */
  readonly unshown: readonly string[];
}

/** @param rule which rows there are at all */
async function guardArguments(args: ReadArguments, place: Place, rule?: Filter): Promise<ReadArguments> {
  const { model, context, parameter } = place;
  const guarded: Record<string, unknown> = { ...args };
  const where = await guardFilter(args.where as Filter | undefined, rule, model, context);
  if (where !== undefined) guarded.where = where;
  if (args.orderBy !== undefined) await checkOrder(args.orderBy, model, context, parameter);
  if (isPlainObject(args.select)) guarded.select = await guardTree(args.select, place);
  if (isPlainObject(args.include)) guarded.include = await guardTree(args.include, place);
  return guarded;
}

/** The filter of the request, combined with the row rule. */
async function guardFilter(
  filter: Filter | undefined,
  rule: Filter | undefined,
  model: Model,
  { readable }: ReadGuard,
): Promise<Where | undefined> {
  const guarded = filter && (await guard(filter, readable));
  const both = [rule, guarded].filter((one) => one !== undefined);
  return both.length === 0 ? undefined : toWhere(allOf(both), model);
}

async function guardTree(tree: ReadArguments, place: Place): Promise<ReadArguments> {
  const guarded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(tree)) {
    const field = place.model.fieldsByName.get(name);
    if (name === "_count") guarded[name] = await guardCounts(value, place);
    else if (field?.kind !== "relation" || value === false) guarded[name] = value;
    else guarded[name] = await guardRelation(field, isPlainObject(value) ? value : {}, place);
  }
  return guarded;
}

async function guardRelation(field: RelationField, args: ReadArguments, place: Place): Promise<unknown> {
  const { context } = place;
  const model = context.models.get(field.type);
  const rule = await context.readable(field.type);
  if (model === undefined) return args;
  const path = [...place.path, field.name];
  if (rule === undefined || field.isList) {
    const guarded = await guardArguments(args, { ...place, model, path }, rule);
    return Object.keys(guarded).length === 0 ? true : guarded;
  }
  const key = model.uniqueKeys[0]?.fields ?? [];
  const later: LaterRow[] = [];
  const guarded = await guardArguments(args, { ...place, model, path: [], later });
  const keySelect = Object.fromEntries(key.map(({ name }) => [name, true]));
  const select = isPlainObject(guarded.select) ? { ...guarded.select, ...keySelect } : undefined;
  const unshown =
    select === undefined ? [] : key.flatMap(({ name }) => ((guarded.select as Where)[name] === true ? [] : [name]));
  place.later.push({
    path,
    model,
    key,
    rule: toWhere(rule, model),
    args: select === undefined ? guarded : { ...guarded, select },
    later,
    unshown,
  });
  return { select: keySelect };
}

async function guardCounts(value: unknown, place: Place): Promise<unknown> {
  const named = isPlainObject(value) && isPlainObject(value.select) ? value.select : undefined;
  const lists = place.model.fields.filter((field) => field.kind === "relation" && field.isList);
  const counts = named ?? Object.fromEntries(lists.map(({ name }) => [name, true]));
  const select: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(counts)) {
    const field = place.model.fieldsByName.get(name);
    const related = place.context.models.get(field?.type ?? "");
    if (given === false || related === undefined) continue;
    const filter = isPlainObject(given) ? (given.where as Filter | undefined) : undefined;
    const where = await guardFilter(filter, await place.context.readable(related.name), related, place.context);
    select[name] = where === undefined ? true : { where };
  }
  return { select };
}

/** An order through a relation would reveal values that the caller may not read. */
async function checkOrder(order: unknown, model: Model, context: ReadGuard, parameter: string): Promise<void> {
  for (const entry of ([] as unknown[]).concat(order)) {
    for (const [name, inner] of isPlainObject(entry) ? Object.entries(entry) : []) {
      const field = model.fieldsByName.get(name);
      const related = field?.kind === "relation" ? context.models.get(field.type) : undefined;
      if (related === undefined) continue;
      if ((await context.readable(related.name)) !== undefined) {
        const issues = new QueryIssues();
        issues.add(parameter, "InvalidValue", `${parameter} cannot follow ${name}: you may not read all of its rows.`);
        throw issues.toError();
      }
      await checkOrder(inner, related, context, parameter);
    }
  }
}

/** Maximum number of keys per query, because each is a parameter. */
const maxKeys = 5000;

async function fillRows(rows: readonly Row[], later: readonly LaterRow[], database: Database): Promise<void> {
  for (const one of later) {
    const name = one.path.at(-1) ?? "";
    const holders = one.path
      .slice(0, -1)
      .reduce(stepInto, rows)
      .filter((row) => isPlainObject(row[name])) as Record<string, unknown>[];
    const keys = new Map(holders.map((row) => [keyText(one.key, row[name] as Row), row[name] as Row]));
    const found = await readPermitted([...keys.values()], one, database);
    for (const row of holders) {
      const permitted = found.get(keyText(one.key, row[name] as Row));
      row[name] = permitted === undefined ? null : { ...permitted };
    }
  }
}

const stepInto = (rows: readonly Row[], name: string): readonly Row[] =>
  rows.flatMap((row) => ([] as unknown[]).concat(row[name] ?? []) as Row[]);

async function readPermitted(keys: readonly Row[], one: LaterRow, database: Database): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  const names = one.key.map(({ name }) => name);
  for (let at = 0; at < keys.length; at += maxKeys) {
    const some = keys.slice(at, at + maxKeys);
    const isOne = rowsWhere(names, some);
    const rows = await database.of(one.model.name).findMany({ ...one.args, where: { AND: [one.rule, isOne] } });
    await fillRows(rows, one.later, database);
    for (const row of rows) {
      const text = keyText(one.key, row);
      for (const name of one.unshown) delete (row as Record<string, unknown>)[name];
      found.set(text, row);
    }
  }
  return found;
}

const keyText = (key: readonly StoredField[], row: Row): string =>
  JSON.stringify(key.map((field) => toJsonField(field, row[field.name])));

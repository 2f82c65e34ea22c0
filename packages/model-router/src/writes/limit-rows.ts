import { httpErrors } from "@servicekit/core";
import { isPlainObject } from "@servicekit/core/internal";
import type { Database, Delegate, Model } from "@servicekit/prisma";
import { queryRaw } from "@servicekit/prisma/internal";
import type { Where } from "../resource/filter/where.js";
import type { Row } from "../resource/values/to-json.js";
import { type AroundWrite, aroundWrites, type WriteQuery } from "./around-writes.js";
import { pick } from "./write-scope.js";

/** The maximum number of rows with equal values. */
export interface RowLimit {
  readonly max: number;
  /** Rows with equal values of these fields count together, all rows without any; those in which one is null do not count. */
  readonly fields: readonly string[];
  /** The message of the error. */
  readonly message: string;
}

/** The limits of models by their names. */
export type RowLimits = Readonly<Record<string, readonly RowLimit[]>>;

interface LimitContext {
  readonly limits: RowLimits;
  /** The condition of rows that are not deleted; `undefined` for all. */
  readonly present: (model: Model) => Where | undefined;
}

/**
 * The same database, whose creates of limited rows, moves to other values and restores of deleted rows are 409 above the limit.
 * They lock the limit until their transaction ends, so that concurrent ones do not exceed it together. For PostgreSQL.
 */
export function limitRows(database: Database, context: LimitContext): Database {
  if (Object.keys(context.limits).length === 0) return database;
  const wrapped: Database = {
    ...database,
    get reads() {
      return database.reads;
    },
    of: (model) => {
      const name = typeof model === "string" ? model : model.name;
      const plain = database.of(name);
      return context.limits[name] === undefined ? plain : limitedDelegate(plain, name, context, wrapped);
    },
    transaction: (work, options) =>
      database.inTransaction
        ? work(wrapped)
        : database.transaction((inside) => work(limitRows(inside, context)), options),
  };
  return Object.freeze(wrapped);
}

function limitedDelegate(plain: Delegate, name: string, context: LimitContext, database: Database): Delegate {
  const model = database.models.get(name) as Model;
  const limits = context.limits[name] ?? [];
  const present = context.present(model);
  const write: AroundWrite = async (query, run, again) => {
    const added = addedBy(query, limits, present);
    if (added === undefined) return run();
    if (!database.inTransaction) return database.transaction((inside) => again(inside.of(name)));
    const rows = await completeRows(added, limits, plain);
    const result = await run();
    for (const limit of limits) await checkLimit(limit, rows, { model, present, plain, database });
    return result;
  };
  return aroundWrites(plain, write);
}

/** Rows that a write adds to those that are counted. */
interface AddedRow {
  readonly data: Row;
  /** The condition of updated rows; `undefined` for a new one. */
  readonly where?: Where;
}

/** @returns `undefined` for a write that adds none */
function addedBy(
  query: WriteQuery,
  limits: readonly RowLimit[],
  present: Where | undefined,
): readonly AddedRow[] | undefined {
  const names = limits.flatMap(({ fields }) => fields);
  const adds = (data: Row): boolean =>
    names.some((name) => data[name] !== undefined) ||
    Object.keys(present ?? {}).some((name) => plainValue(data[name]) === null);
  switch (query.operation) {
    case "create":
      return [{ data: query.args.data }];
    case "createMany":
      return query.args.data.map((data) => ({ data }));
    case "update":
    case "updateMany": {
      const { where, data } = query.args;
      return adds(data) ? [{ data, where }] : undefined;
    }
    case "updateEach": {
      const changes = query.args.changes.filter(({ data }) => adds(data));
      return changes.length === 0 ? undefined : changes;
    }
    default:
      return undefined;
  }
}

/** Without the form `{ set: value }` of Prisma. */
const plainValue = (value: unknown): unknown => (isPlainObject(value) && "set" in value ? value.set : value);

/** The values by which the rows are counted. */
async function completeRows(
  added: readonly AddedRow[],
  limits: readonly RowLimit[],
  plain: Delegate,
): Promise<readonly Row[]> {
  const names = [...new Set(limits.flatMap(({ fields }) => fields))];
  const select = Object.fromEntries(names.map((name) => [name, true as const]));
  const rows: Row[] = [];
  for (const { data, where } of added) {
    const values = Object.fromEntries(names.map((name) => [name, plainValue(data[name])]));
    const set = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    const current = where === undefined || names.length === 0 ? [{}] : await plain.findMany({ where, select });
    rows.push(...current.map((row) => ({ ...row, ...set })));
  }
  return rows;
}

interface CountedModel {
  readonly model: Model;
  readonly present: Where | undefined;
  readonly plain: Delegate;
  readonly database: Database;
}

/** @throws {HttpError} 409 if rows with the same values are too many */
async function checkLimit(
  { max, fields, message }: RowLimit,
  rows: readonly Row[],
  { model, present, plain, database }: CountedModel,
): Promise<void> {
  const groups = new Map(
    rows.map((row) => [JSON.stringify(fields.map((name) => String(row[name]))), pick(row, fields)]),
  );
  // In one order, so that two requests do not deadlock.
  for (const [key, group] of [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    if (Object.values(group).some((value) => value === null || value === undefined)) continue;
    const name = `servicekit limit ${model.name} ${fields.join()} ${key}`;
    await queryRaw(database.client, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text", [name]);
    const count = await plain.count({ where: { AND: [group, ...(present === undefined ? [] : [present])] } });
    if (count > max) throw httpErrors.Conflict(message);
  }
}

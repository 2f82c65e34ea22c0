import { isPlainObject } from "@servicekit/core/internal";
import { rowsWhere } from "../conditions/rows-where.js";
import type { ErrorContext } from "../errors/error-context.js";
import { ormErrors } from "../errors/orm-errors.js";
import { writtenTooLarge } from "../errors/response-too-large.js";
import { toHttpError } from "../errors/to-http-error.js";
import { isInexact } from "../models/inexact-field.js";
import { isStored, storedFields } from "../models/is-stored.js";
import type { Model, Models, StoredField } from "../models/model.js";
import { capabilitiesOf } from "../providers/capabilities.js";
import type { Clause, CountArgs, Row, UpdateArgs, UpdateEachArgs } from "../queries/query-args.js";
import { exactFloats } from "../values/exact-float.js";
import { checkArguments } from "./check-arguments.js";
import type { ComparesComputed } from "./compares-computed.js";
import type { Delegate } from "./delegate.js";
import {
  type Executor,
  foundRows,
  type Query,
  type ReadQuery,
  type RecordedWrite,
  type Result,
  type SeenModels,
  type WriteQuery,
  writeKinds,
} from "./executor.js";
import { groupEqualRows } from "./group-equal-rows.js";
import { skipped } from "./intercept-writes.js";
import { isUnrepresentable, isUnrepresentableFilter } from "./is-unrepresentable.js";
import { lockMysqlRows, shareMysqlRows } from "./lock-mysql-rows.js";
import { deleteRows, type LockStrength, lockRows, type SharedRows, shareRows } from "./lock-rows.js";
import { meetsEveryRow } from "./meets-every-row.js";
import { namesRelation } from "./names-relation.js";
import type { PrismaHandle } from "./prisma-client-like.js";
import { isList, maxRowsPerCall, writeByPrisma } from "./prisma-executor.js";
import { isRepeatableRead, isRepeatableWrite, retry } from "./retry.js";
import type { ReviveRows } from "./revive-rows.js";
import { keyFields, keyValues, keyWhere } from "./row-key.js";
import { sizeOf } from "./rows-size.js";
import { searchByKeys, searchOf, withVector } from "./search-by-keys.js";
import { totalOfPage } from "./total-of-page.js";
import { updateEach, withKey } from "./update-each.js";

/** The dependencies of a delegate. */
export interface DelegateSource {
  readonly client: PrismaHandle;
  readonly models: Models;
  /** The database schema of models without one; `undefined` if unknown. */
  readonly schema: string | undefined;
  readonly exposeRaisedMessages: boolean | undefined;
  readonly executor: Executor;
  readonly revive: ReviveRows;
  /** Whether the client has query extensions, which must see every write. */
  readonly isExtended: boolean;
  readonly comparesComputed: ComparesComputed;
  /** Receives every failure inside a transaction; `undefined` outside, where single calls may be repeated. */
  readonly onFailure: ((error: unknown) => void) | undefined;
  /** Whether the database has the column with the text vectors of a model. */
  readonly hasVector: (model: Model) => Promise<boolean>;
  /** Number of retries of a single write after a conflict. */
  readonly retries: number;
  /** Maximum size in bytes of the rows of one bulk write. */
  readonly maxBytes: number | undefined;
  /** Writes in batches, all of them or none. */
  readonly inTransaction: <T>(work: (of: (model: Model) => Delegate) => Promise<T>) => Promise<T>;
}

/** Whether a condition searches for a text within a column. */
const hasPattern = (where: unknown): boolean => {
  if (Array.isArray(where)) return where.some(hasPattern);
  if (!isPlainObject(where)) return false;
  return Object.entries(where).some(
    ([word, value]) => /^(contains|startsWith|endsWith|mode)$/.test(word) || hasPattern(value),
  );
};

/** Such as `{ increment: 1 }`, which only Prisma supports; a JSON object may look the same. */
const isOperation = (value: unknown): boolean =>
  isPlainObject(value) &&
  ["set", "increment", "decrement", "multiply", "divide", "push", "unset"].some((word) => word in value);

const skippedError = () => ormErrors.RejectedByDatabase("The database did not store this record.", { cause: skipped });

const everyColumn = (model: Model): Clause => Object.fromEntries(storedFields(model).map(({ name }) => [name, true]));

/** The rows of a query that was run without models for JSON. */
function rowsOf(result: Result | undefined): readonly Row[] {
  if (result === undefined || "json" in result) throw new TypeError("This query has no rows.");
  return result.rows;
}

/** The row of a query that found one. */
const rowOf = (result: Result): Row => rowsOf(result)[0] as Row;

/** A write of the row that a condition names by a unique key. */
type MatchingWrite = Extract<WriteQuery, { readonly operation: "update" | "delete" }>;

/** Creates the delegate of one model. */
export function makeDelegate(model: Model, source: DelegateSource): Delegate {
  const { client, models, exposeRaisedMessages, executor, revive, onFailure, maxBytes, comparesComputed } = source;

  const guarded = async <T>(
    operation: ErrorContext["operation"],
    work: () => Promise<T>,
    data?: Clause,
  ): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      onFailure?.(error);
      throw toHttpError(error, { model, models, exposeRaisedMessages, operation, written: data && Object.keys(data) });
    }
  };
  const revived = (result: Result): Result =>
    "json" in result ? result : { ...result, rows: revive(model, result.rows) as readonly Row[] };
  const read = (query: ReadQuery, seen?: SeenModels): Promise<Result> => {
    const run = (given: ReadQuery): Promise<Result> => {
      const prepared = executor.prepare(model, given, seen);
      if (prepared !== undefined) return prepared();
      const search = searchOf(given);
      if (search !== undefined) return searchByKeys(model, given, search, source);
      throw new TypeError(`The engine of ${model.name} has no ${given.operation}.`);
    };
    const once = (): Promise<Result> => {
      checkArguments(query.args, ["where", "cursor"]);
      const stored = withVector(query, model);
      if (stored === query) return run(query);
      return source.hasVector(model).then((hasVector) => run(hasVector ? stored : query));
    };
    return guarded("read", async () =>
      revived(await (onFailure === undefined ? retry(once, 1, isRepeatableRead) : once())),
    );
  };
  /** Runs one write, with retries after a conflict outside a transaction. */
  const writing = <T>(operation: "create" | "update" | "delete", args: object, work: () => Promise<T>): Promise<T> => {
    const { data } = args as { readonly data?: Clause | readonly Clause[] };
    const written = data === undefined || isList(data) ? undefined : data;
    const once = (): Promise<T> =>
      guarded(
        operation,
        () => {
          checkArguments(args, ["where", "data"]);
          return work();
        },
        written,
      );
    return onFailure === undefined ? retry(once, source.retries, isRepeatableWrite) : once();
  };
  const write = <T>(
    operation: "update" | "delete",
    method: "updateManyAndReturn" | "deleteMany",
    args: object,
  ): Promise<T> =>
    writing(operation, args, async () => revive(model, await writeByPrisma(client, model, method, args)) as T);
  /** `undefined` if one query of the engine cannot do it. */
  const tryWrite = (query: WriteQuery, seen?: SeenModels): Promise<Result | undefined> =>
    tryPrepared(query, () => executor.prepare(model, query, seen));
  const tryPrepared = (query: RecordedWrite, prepare: () => (() => Promise<Result>) | undefined) => {
    const { operation, args } = query;
    return writing(writeKinds[operation], operation === "updateEach" ? { data: args.changes } : args, async () => {
      const result = await prepare()?.();
      return result && revived(result);
    });
  };
  const restricted = <Args extends { readonly where: object; readonly everything?: boolean }>(
    args: Args,
  ): Omit<Args, "everything"> => {
    const { everything, ...rest } = args;
    if (!Object.hasOwn(rest, "where")) throw new TypeError("A write of several rows requires a where.");
    checkArguments(rest, ["where"]);
    if (everything !== true && meetsEveryRow(rest.where)) {
      throw new TypeError("This where matches every row. Pass everything: true if this is intended.");
    }
    return rest;
  };

  // Rows that Prisma cannot compare or read back in such models, and patterns in some collations, are found and changed
  // by key.
  const isNamed = model.key !== undefined && source.schema !== undefined && !source.isExtended;
  const isByKey = (where: Clause, ...more: readonly Clause[]): boolean =>
    isNamed &&
    (isComputed(where) || hasPattern(where) || isUnrepresentableFilter(where) || more.some(isUnrepresentable));
  const isComputed = (where: Clause): boolean => comparesComputed(model, { where });
  const isReadInexactly = (select: Clause): boolean =>
    isNamed &&
    Object.keys(select).some((name) => model.fields.some((field) => field.name === name && isInexact(field)));
  /** Whether Prisma would evaluate a condition otherwise in a write than in a read. */
  const isRelated = (where: Clause): boolean => model.key !== undefined && namesRelation(where, model);
  const keyNames = (): readonly string[] => keyFields(model).map(({ name }) => name);
  /** Locked, and read again in their current state, because another transaction may have changed them. */
  const matchingKeys = async (where: Clause): Promise<readonly Row[]> => {
    const select = Object.fromEntries(keyNames().map((name) => [name, true]));
    const rows = await delegate.findMany({ where, select });
    if (rows.length === 0) return [];
    await delegate.lockEach(
      rows.map((row) => keyWhere(model, row)),
      { forDelete: true },
    );
    return delegate.findMany({ where: { AND: [rowsWhere(keyNames(), rows), where] }, select });
  };
  const keysOf = async (where: Clause): Promise<readonly Clause[]> =>
    (await matchingKeys(where)).map((row) => keyWhere(model, row));
  /** Conditions for some of the rows each, because a statement has a limited number of values. */
  const partsOf = (rows: readonly Row[]): readonly Clause[] =>
    Array.from({ length: Math.ceil(rows.length / maxRowsPerCall) }, (_, part) =>
      rowsWhere(keyNames(), rows.slice(part * maxRowsPerCall, (part + 1) * maxRowsPerCall)),
    );

  /** Inside a transaction, which the error aborts: nothing is written. */
  const fitting = (rows: readonly Row[]): readonly Row[] => {
    if (maxBytes !== undefined && onFailure !== undefined && sizeOf(rows, maxBytes) > maxBytes)
      throw writtenTooLarge(maxBytes);
    return rows;
  };

  /** A write of several rows with the arguments that its statement needs. */
  const completed = (query: RecordedWrite, seen: SeenModels | undefined): RecordedWrite => {
    switch (query.operation) {
      case "updateEach":
        return { ...query, args: eachWithKey(query.args, seen) };
      case "updateMany":
        return { ...query, args: restricted(query.args) };
      case "deleteMany":
        return { ...query, args: restricted(query.args) };
      default:
        return query;
    }
  };
  /** Rows are matched with their changes by their keys. */
  const eachWithKey = (args: UpdateEachArgs, seen: SeenModels | undefined): UpdateEachArgs =>
    seen === undefined ? { ...args, select: withKey(model, args.select) } : args;

  const written = <R extends Result | undefined>(query: RecordedWrite, result: R): R => {
    if (result === undefined || foundRows(result) > 0) return result;
    throw query.operation === "create" ? skippedError() : ormErrors.NotFound();
  };
  const writeOne = async (query: WriteQuery, seen?: SeenModels): Promise<Result> =>
    written(query, await tryWrite(query, seen)) ?? { rows: [] };
  /**
   * Writes one row. One with conditions on related rows is written by its key after a read: in a write, Prisma evaluates them otherwise,
   * so that the negation of a comparison with NULL is true.
   */
  const writeMatching = async (query: MatchingWrite, seen?: SeenModels): Promise<Result> => {
    const { where } = query.args;
    const key = model.uniqueKeys.find(({ name }) => Object.hasOwn(where, name));
    if (key === undefined || !namesRelation(where, model)) return writeOne(query, seen);
    if (onFailure === undefined) return source.inTransaction((of) => of(model).execute(query, seen));
    const byKey = { [key.name]: where[key.name] };
    await delegate.lock(byKey);
    const select = Object.fromEntries(key.fields.map(({ name }) => [name, true]));
    if ((await delegate.findUnique({ where, select })) === null) throw ormErrors.NotFound();
    return writeOne({ ...query, args: { ...query.args, where: byKey } } as MatchingWrite, seen);
  };
  const createMany = async (query: Extract<WriteQuery, { operation: "createMany" }>, seen?: SeenModels) => {
    const result = await tryWrite(query, seen);
    if (result !== undefined) return result;
    const { args } = query;
    if (onFailure === undefined) return { rows: await source.inTransaction((of) => of(model).createMany(args)) };
    const rows: Row[] = [];
    for (let start = 0; start < args.data.length; start += maxRowsPerCall) {
      const data = args.data.slice(start, start + maxRowsPerCall);
      rows.push(...rowsOf(await tryWrite({ operation: "createMany", args: { ...args, data } })));
    }
    return { rows: fitting(rows) };
  };
  const update = async (args: UpdateArgs): Promise<Row> => rowOf(await writeMatching({ operation: "update", args }));
  const changeEach = async (args: UpdateEachArgs, seen?: SeenModels): Promise<Result> => {
    const result = await tryWrite({ operation: "updateEach", args: eachWithKey(args, seen) }, seen);
    if (result !== undefined) return "rows" in result ? { rows: fitting(result.rows) } : result;
    if (onFailure === undefined) return { rows: await source.inTransaction((of) => of(model).updateEach(args)) };
    return guarded("update", async () => {
      checkArguments({ data: args.changes }, ["data"]);
      const updater = { client, executor, model, schema: model.schema ?? source.schema, update };
      return { rows: fitting(await updateEach(updater, args.changes, args.select)) };
    });
  };
  /** `undefined` if the engine has no estimate. */
  const estimate = async ({ where, search }: CountArgs): Promise<number | undefined> => {
    if (search !== undefined) return undefined;
    const prepared = executor.prepare(model, { operation: "estimate", args: where === undefined ? {} : { where } });
    if (prepared === undefined) return undefined;
    const once = () => guarded("read", prepared);
    return (await (onFailure === undefined ? retry(once, 1, isRepeatableRead) : once())).total;
  };
  const list = async (query: Extract<ReadQuery, { operation: "findMany" }>, seen?: SeenModels): Promise<Result> => {
    const { args, total, mayEstimate } = query;
    const result = await read(mayEstimate === true ? { ...query, total: undefined } : query, seen);
    if (total === undefined || result.total !== undefined) return result;
    const ofPage = totalOfPage(foundRows(result), args, total);
    if (ofPage !== undefined) return { ...result, total: ofPage };
    const estimated = mayEstimate === true ? await estimate(total) : undefined;
    if (estimated !== undefined) return { ...result, total: estimated, isEstimated: true };
    return { ...result, total: await delegate.count(total) };
  };
  const execute = (query: Query, seen?: SeenModels): Promise<Result> => {
    switch (query.operation) {
      case "findMany":
        return query.total === undefined ? read(query, seen) : list(query, seen);
      case "findFirst":
      case "count":
      case "aggregate":
      case "estimate":
      case "headline":
        return read(query, seen);
      case "findUnique": {
        const { args } = query;
        const where = exactFloats(model, args.where);
        return read(where === args.where ? query : { operation: "findUnique", args: { ...args, where } }, seen);
      }
      case "createMany":
        return createMany(query, seen);
      case "updateEach":
        return changeEach(query.args, seen);
      case "update":
      case "delete":
        return writeMatching(query, seen);
      default:
        return writeOne(query, seen);
    }
  };
  const { rowLocks } = capabilitiesOf(model.provider);
  const schema = model.schema ?? source.schema;
  /** Locks rows in the order of their keys, and returns their number. */
  const lockKeys = (wheres: readonly Clause[], strength: LockStrength): Promise<number> =>
    model.provider === "mysql"
      ? lockMysqlRows(
          client,
          model,
          wheres.map((where) => keyValues(model, where)),
        )
      : lockRows(client, model, schema ?? "public", wheres, strength);
  const fieldOf = (name: string): StoredField => {
    const field = model.fieldsByName.get(name);
    if (!isStored(field)) throw new TypeError(`${model.name} has no stored field ${name}.`);
    return field;
  };
  const share = (shared: SharedRows): Promise<number> =>
    model.provider === "mysql"
      ? shareMysqlRows(client, model, shared)
      : shareRows(client, model, schema ?? "public", shared);
  const delegate: Delegate = Object.freeze<Delegate>({
    execute,
    executeRecorded: async (query, entry, seen) => {
      const own = completed(query, seen);
      const result = await tryPrepared(own, () => executor.prepareRecorded?.(model, own, entry, seen));
      return own.operation === writeKinds[own.operation] ? written(own, result) : result;
    },
    findMany: async (args = {}) => rowsOf(await execute({ operation: "findMany", args })),
    findFirst: async (args = {}) => rowsOf(await execute({ operation: "findFirst", args }))[0] ?? null,
    findUnique: async (args) => rowsOf(await execute({ operation: "findUnique", args }))[0] ?? null,
    count: async (args = {}) => (await execute({ operation: "count", args })).total ?? 0,
    create: async (args) => rowOf(await execute({ operation: "create", args })),
    createMany: async (args) => rowsOf(await execute({ operation: "createMany", args })),
    update,
    updateMany: async (args) => {
      const { where, data, select } = restricted(args);
      if (isRelated(where)) {
        if (onFailure === undefined) return source.inTransaction((of) => of(model).updateMany(args));
        const rows: Row[] = [];
        for (const part of partsOf(await matchingKeys(where)))
          rows.push(...(await delegate.updateMany({ ...args, where: part })));
        return fitting(rows);
      }
      const isWhole = select === undefined || !(isByKey(where, data) || isReadInexactly(select));
      if (!isComputed(where) && (isWhole || Object.values(data).some(isOperation)))
        return fitting(await write<readonly Row[]>("update", "updateManyAndReturn", restricted(args)));
      if (onFailure === undefined) return source.inTransaction((of) => of(model).updateMany(args));
      const changes = (await keysOf(where)).map((key) => ({ where: key, data }));
      return changes.length === 0 ? [] : delegate.updateEach({ changes, select: select ?? everyColumn(model) });
    },
    updateEach: async (args) => rowsOf(await execute({ operation: "updateEach", args })),
    lock: async (where) => {
      if (onFailure === undefined) throw new TypeError("A row can only be locked inside a transaction.");
      return guarded("read", async () => {
        checkArguments({ where }, ["where"]);
        // The transaction has locked the database.
        if (!rowLocks) return (await delegate.findUnique({ where })) !== null;
        return (await lockKeys([where], "UPDATE")) > 0;
      });
    },
    lockEach: async (wheres, { forDelete = false } = {}) => {
      if (onFailure === undefined) throw new TypeError("Rows can only be locked inside a transaction.");
      if (!rowLocks || (model.provider === "postgresql" && schema === undefined) || wheres.length === 0) return;
      await guarded("read", async () => {
        checkArguments({ where: wheres }, ["where"]);
        return lockKeys(wheres, forDelete ? "UPDATE" : "NO KEY UPDATE");
      });
    },
    lockShared: async (rows, { unset } = {}) => {
      if (onFailure === undefined) throw new TypeError("Rows can only be locked inside a transaction.");
      const names = Object.keys(rows[0] ?? {});
      if (names.length === 0) return 0;
      return guarded("read", async () => {
        checkArguments({ where: rows }, ["where"]);
        if (rowLocks)
          return share({ fields: names.map(fieldOf), rows, unset: unset === undefined ? undefined : fieldOf(unset) });
        // The transaction has locked the database.
        const isUnset = unset === undefined ? [] : [{ [unset]: null }];
        return delegate.count({ where: { AND: [rowsWhere(names, rows), ...isUnset] } });
      });
    },
    groupEqual: (rows) => {
      const fields = Object.keys(rows[0] ?? {}).map(fieldOf);
      const own = capabilitiesOf(model.provider).databaseSchemas ? (schema ?? "public") : undefined;
      return guarded("read", () => groupEqualRows(client, model, own, { fields, rows }));
    },
    delete: async (args) => rowOf(await execute({ operation: "delete", args })),
    deleteMany: async (args) => {
      const { where } = restricted(args);
      if (isRelated(where)) {
        if (onFailure === undefined) return source.inTransaction((of) => of(model).deleteMany(args));
        let count = 0;
        for (const part of partsOf(await matchingKeys(where))) count += await delegate.deleteMany({ where: part });
        return count;
      }
      if (!isByKey(where)) return (await write<{ count: number }>("delete", "deleteMany", { where })).count;
      if (onFailure === undefined) return source.inTransaction((of) => of(model).deleteMany(args));
      const keys = await keysOf(where);
      return guarded("delete", () => deleteRows(client, model, model.schema ?? source.schema ?? "public", keys));
    },
  });
  return delegate;
}

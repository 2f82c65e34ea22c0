import {
  type ChangeEntry,
  foundRows,
  type RecordedWrite,
  type Result,
  type SeenModels,
  writeKinds,
} from "../database/executor.js";
import type { SqlLink, TextRow } from "../database/sql-link.js";
import { planChanges } from "../database/update-each.js";
import { ormErrors } from "../errors/orm-errors.js";
import { writtenTooLarge } from "../errors/response-too-large.js";
import { storedFields } from "../models/is-stored.js";
import type { Model } from "../models/model.js";
import type { Clause, UpdateEachArgs } from "../queries/query-args.js";
import { rowToJson } from "./column-text.js";
import { rowToValues } from "./column-value.js";
import { changedRows, deleteManySql, insertManySql, isTooLarge, updateManySql } from "./many-statement.js";
import { giveUp } from "./not-foldable.js";
import type { CompiledWrite, PreparedWrites } from "./prepared-writes.js";
import type { Shape } from "./shape.js";
import type { Statement } from "./statement.js";
import { insertedOf, type RecordedChange } from "./write-statement.js";

/** Compiles a write to SQL and returns the function that sends it; throws `notFoldable` if SQL does not support it. */
export type CompileWrite = (
  model: Model,
  query: RecordedWrite,
  seen?: SeenModels,
  entry?: ChangeEntry,
) => () => Promise<Result>;

/** What writes are compiled with. */
export interface SqlWriteSettings {
  readonly link: SqlLink;
  readonly writes: PreparedWrites;
  readonly open: () => Statement;
  /** The database schema of models without one. */
  readonly schema: string;
  readonly maxBytes: number | undefined;
}

/** Compiles writes to one statement each. */
export function sqlWrites({ link, writes, open, schema, maxBytes }: SqlWriteSettings): CompileWrite {
  const send = async (model: Model, sql: string, values: readonly unknown[]): Promise<readonly TextRow[]> => {
    try {
      return await link.query(sql, values);
    } catch (error) {
      if (maxBytes !== undefined && isTooLarge(error)) throw writtenTooLarge(maxBytes);
      throw ofModel(error, model);
    }
  };
  const writeOne = (model: Model, select: Clause | undefined, written: CompiledWrite, seen?: SeenModels) => {
    const { statement, values } = written;
    const shapes = seen && writes.shapesOf(model, select, statement, seen.model);
    return async (): Promise<Result> => {
      const [row] = await send(model, statement.sql, values);
      if (row === undefined) return { rows: [] };
      if (shapes === undefined) return { rows: [rowToValues(statement.shape, row, link.decimal)] };
      const { json, key } = shapes;
      return { json: rowToJson(json, row), found: 1, key: rowToValues(key, row, link.decimal) };
    };
  };
  const sendMany = async (
    model: Model,
    { sql, shape }: { readonly sql: string; readonly shape: Shape },
    values: readonly unknown[],
    seen: SeenModels | undefined,
  ): Promise<Result> => {
    const [row] = await send(model, sql, values);
    const rows = JSON.parse(row?.[0] ?? "[]") as readonly TextRow[];
    if (seen === undefined) return { rows: rows.map((one) => rowToValues(shape, one, link.decimal)) };
    return { json: `[${rows.map((one) => rowToJson(shape, one)).join(",")}]`, found: rows.length };
  };
  const updateEach = (
    model: Model,
    { changes, select }: UpdateEachArgs,
    seen: SeenModels | undefined,
    change: RecordedChange | undefined,
  ) => {
    const isChanged = changes.some(({ data }) => Object.keys(data).length > 0);
    if (!isChanged && !storedFields(model).some(({ isUpdatedAt }) => isUpdatedAt)) return giveUp();
    const own = open();
    // The list of changes, and its length.
    const planned = [own.parameter(undefined), own.parameter(undefined)].length;
    const { shape, locked, toSql } = changedRows(own, model, select, { seen, maxBytes, change });
    return async (): Promise<Result> => {
      const { statement } = planChanges({ model, schema: model.schema ?? schema }, changes, locked);
      if (statement === undefined) throw new TypeError(`The changes of ${model.name} change nothing.`);
      const values = [...statement.values, ...own.values.slice(planned)];
      const result = await sendMany(model, { sql: toSql(statement.sql), shape }, values, seen);
      if (foundRows(result) < changes.length) throw ormErrors.NotFound();
      return result;
    };
  };

  return (model, query, seen, entry) => {
    const { operation, args } = query;
    const now = new Date();
    const change = entry && recordedChange(writeKinds[operation], entry, now);
    switch (operation) {
      case "create":
        return writeOne(model, args.select, writes.create(model, args, now, change), seen);
      case "update":
        return writeOne(model, args.select, writes.update(model, args, now, change), seen);
      case "delete":
        return writeOne(model, args.select, writes.delete(model, args, change), seen);
      case "updateEach":
        return updateEach(model, args, seen, change);
      case "createMany": {
        const statement = open();
        const insert = insertManySql(statement, model, args, now, { seen, maxBytes, change });
        return () => sendMany(model, insert, statement.values, seen);
      }
      case "updateMany": {
        const statement = open();
        const update = updateManySql(statement, model, args, now, { seen, maxBytes, change: change ?? giveUp() });
        return () => sendMany(model, update, statement.values, seen);
      }
      case "deleteMany": {
        const statement = open();
        const remove = deleteManySql(statement, model, args, change ?? giveUp());
        return async () => {
          const [row] = await send(model, remove, statement.values);
          return { rows: [], total: Number(row?.[0]) };
        };
      }
    }
  };
}

/** The values of a change that do not depend on its row. */
function recordedChange(operation: string, { changes, data, fields }: ChangeEntry, now: Date): RecordedChange {
  // The key is that of the row.
  const { fields: set, values } = insertedOf(changes, { ...data, key: "", operation }, now);
  const isOwn = set.map(({ name }) => name !== "key");
  const own = set.filter((_, at) => isOwn[at]);
  const columns = {
    fields: own,
    names: own.map(({ name }) => name).join(),
    values: values.filter((_, at) => isOwn[at]),
  };
  return { model: changes, columns, fields };
}

/** Adds the written model to an error of the driver, as Prisma does. */
function ofModel(error: unknown, { name }: Model): unknown {
  if (!(error instanceof Error)) return error;
  const { meta } = error as Error & { readonly meta?: object };
  if (error.name !== "DriverAdapterError" && meta === undefined) return error;
  return Object.assign(error, { meta: { ...meta, modelName: name } });
}

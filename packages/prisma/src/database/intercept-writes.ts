import { isHttpError } from "@servicekit/core";
import { rowsWhere } from "../conditions/rows-where.js";
import { ormErrors } from "../errors/orm-errors.js";
import { toHttpError } from "../errors/to-http-error.js";
import type { Model } from "../models/model.js";
import type { Clause, Row } from "../queries/query-args.js";
import type { Delegate } from "./delegate.js";
import { executeByMethods } from "./execute-by-methods.js";
import { isRead, type WriteKind, writeKinds } from "./executor.js";
import { type Interception, type Interceptions, interceptionOf } from "./find-interceptions.js";
import { lockAll } from "./lock-all.js";
import { callPrisma, type PrismaHandle } from "./prisma-client-like.js";

/** The dependencies of writes to a model with triggers and rules. */
export interface InterceptedWrites {
  readonly client: PrismaHandle;
  readonly interceptions: () => Promise<Interceptions>;
  readonly isInside: boolean;
  readonly inTransaction: <T>(work: (of: (model: Model) => Delegate) => Promise<T>) => Promise<T>;
}

/**
 * Writes to tables with triggers or rules that may skip or replace the write. PostgreSQL then returns no row, as for a
 * missing row: so the row is locked and read first, all in one transaction, and an error rolls everything back. Other
 * tables are written directly.
 */
export function interceptWrites(plain: Delegate, model: Model, writes: InterceptedWrites): Delegate {
  const { client, interceptions, isInside, inTransaction } = writes;
  const names = model.key?.fields.map(({ name }) => name) ?? [];
  const keySelect = Object.fromEntries(names.map((name) => [name, true]));
  const keyOf = (row: Row): Clause => Object.fromEntries(names.map((name) => [name, row[name]]));

  const write = async <T>(
    kind: WriteKind,
    asUsual: () => Promise<T>,
    intercepted: (by: Interception["by"]) => Promise<T>,
    again: (delegate: Delegate) => Promise<T>,
  ): Promise<T> => {
    const found = interceptionOf(await interceptions(), model, kind);
    if (found === undefined || names.length === 0) return asUsual();
    return isInside ? intercepted(found.by) : inTransaction((of) => again(of(model)));
  };
  const lockAndRead = async (where: Clause, select: Clause | undefined): Promise<Row> => {
    await plain.lock(where);
    const row = await plain.findUnique({ where, ...(select && { select: { ...select, ...keySelect } }) });
    if (row === null) throw ormErrors.NotFound();
    return row;
  };
  /** Locked, and read again in their current state. */
  const lockFound = async (where: Clause): Promise<readonly Row[]> => {
    const found = await plain.findMany({ where, select: keySelect });
    const keys = found.map((row) => (names.length === 1 ? keyOf(row) : { [model.key?.name ?? ""]: keyOf(row) }));
    if (keys.length === 0) return [];
    await lockAll(plain, keys, { forDelete: true });
    return plain.findMany({ where: { AND: [rowsWhere(names, found), where] }, select: keySelect });
  };
  const byRule = async (method: "updateMany" | "deleteMany", args: object): Promise<void> => {
    try {
      await callPrisma(client, model.delegate, method, args);
    } catch (error) {
      throw toHttpError(error, { model, operation: method === "updateMany" ? "update" : "delete" });
    }
  };
  const shown = (row: Row, select: Clause | undefined): Row =>
    select === undefined
      ? row
      : Object.fromEntries(Object.entries(row).filter(([name]) => Object.hasOwn(select, name)));

  const created = async (data: Clause, select: Clause | undefined): Promise<Row> => {
    const row = names.every((name) => Object.hasOwn(data, name))
      ? await plain.findFirst({ where: keyOf(data), ...(select && { select }) })
      : null;
    if (row === null) throw ormErrors.RejectedByDatabase("The database did not store this record.");
    return row;
  };

  const delegate: Delegate = Object.freeze<Delegate>({
    ...plain,
    execute: async (query, seen) => {
      if (isRead(query) || interceptionOf(await interceptions(), model, writeKinds[query.operation]) === undefined)
        return plain.execute(query, seen);
      return executeByMethods(query, delegate) ?? plain.execute(query, seen);
    },
    executeRecorded: async (query, entry, seen) =>
      interceptionOf(await interceptions(), model, writeKinds[query.operation]) === undefined
        ? plain.executeRecorded(query, entry, seen)
        : undefined,
    create: (args) =>
      write(
        "create",
        () => plain.create(args),
        () => ifSkipped(plain.create(args), () => created(args.data, args.select)),
        (delegate) => delegate.create(args),
      ),
    createMany: (args) =>
      write(
        "create",
        () => plain.createMany(args),
        async () => {
          const rows = await plain.createMany(args);
          if (rows.length < args.data.length)
            throw ormErrors.RejectedByDatabase("The database did not store all of these records.");
          return rows;
        },
        (delegate) => delegate.createMany(args),
      ),
    update: (args) =>
      write(
        "update",
        () => plain.update(args),
        async (by) => {
          const { where, data, select } = args;
          const before = await lockAndRead(where, select);
          const key = keyOf(before);
          const after = { ...key, ...keyOf({ ...key, ...data }) };
          const readBack = async (): Promise<Row> =>
            (await plain.findFirst({ where: after, ...(select && { select }) })) ?? shown(before, select);
          if (by === "trigger") return ifSkipped(plain.update(args), readBack);
          await byRule("updateMany", { where: key, data });
          return readBack();
        },
        (delegate) => delegate.update(args),
      ),
    updateMany: (args) =>
      write(
        "update",
        () => plain.updateMany(args),
        async (by) => {
          const { where, data, select } = args;
          const found = await lockFound(where);
          if (by === "trigger") await plain.updateMany(args);
          else await byRule("updateMany", { where, data });
          const after = found.map((row) => ({ ...keyOf(row), ...keyOf({ ...row, ...data }) }));
          return plain.findMany({ where: rowsWhere(names, after), ...(select && { select }) });
        },
        (delegate) => delegate.updateMany(args),
      ),
    updateEach: (args) =>
      write(
        "update",
        () => plain.updateEach(args),
        async () => {
          const rows: Row[] = [];
          await plain.lockEach(args.changes.map(({ where }) => where));
          const inside = interceptWrites(plain, model, writes);
          for (const { where, data } of args.changes)
            rows.push(await inside.update({ where, data, select: args.select }));
          return rows;
        },
        (delegate) => delegate.updateEach(args),
      ),
    delete: (args) =>
      write(
        "delete",
        () => plain.delete(args),
        async (by) => {
          const { where, select } = args;
          const before = await lockAndRead(where, select);
          if (by === "trigger") await ifSkipped(plain.delete(args), async () => before);
          else await byRule("deleteMany", { where: keyOf(before) });
          return shown(before, select);
        },
        (delegate) => delegate.delete(args),
      ),
    deleteMany: (args) =>
      write(
        "delete",
        () => plain.deleteMany(args),
        async () => {
          const { length } = await lockFound(args.where);
          await plain.deleteMany(args);
          return length;
        },
        (delegate) => delegate.deleteMany(args),
      ),
  });
  return delegate;
}

/** The substitute of a row that a write did not return. */
async function ifSkipped(write: Promise<Row>, instead: () => Promise<Row>): Promise<Row> {
  try {
    return await write;
  } catch (error) {
    const isSkipped = isHttpError(error) && (error.code === "NotFound" || error.cause === skipped);
    if (!isSkipped) throw error;
    return instead();
  }
}

/** The cause of the error of a create that returned no row. */
export const skipped = new Error("The database returned no row for a create.");

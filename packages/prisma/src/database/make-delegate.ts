import { isPlainObject } from "@servicekit/core/internal";
import { rowsWhere } from "../conditions/rows-where.js";
import type { ErrorContext } from "../errors/error-context.js";
import { ormErrors } from "../errors/orm-errors.js";
import { writtenTooLarge } from "../errors/response-too-large.js";
import { toHttpError } from "../errors/to-http-error.js";
import { exactFloats } from "../exact-float.js";
import { isInexact } from "../inexact-field.js";
import type { Model, Models } from "../model.js";
import type { Clause, Row, UpdateArgs } from "../query-args.js";
import { checkArguments } from "./check-arguments.js";
import type { Delegate } from "./delegate.js";
import { skipped } from "./intercept-writes.js";
import { deleteRows, lockRows } from "./lock-rows.js";
import { meetsEveryRow } from "./meets-every-row.js";
import { callPrisma, type PrismaHandle } from "./prisma-client-like.js";
import type { ReadExecutor } from "./read-executor.js";
import { isRepeatableRead, isRepeatableWrite, retry } from "./retry.js";
import type { ReviveRows } from "./revive-rows.js";
import { keyFields } from "./row-key.js";
import { sizeOf } from "./rows-size.js";
import { saysMore } from "./says-more.js";
import { changeEach, updateEach } from "./update-each.js";
import type { WriteExecutor } from "./write-executor.js";

/** What a delegate works with. */
export interface DelegateSource {
  readonly client: PrismaHandle;
  readonly models: Models;
  /** The database schema of models that name none; `undefined` when it is not known. */
  readonly schema: string | undefined;
  readonly exposeRaisedMessages: boolean | undefined;
  readonly reads: ReadExecutor;
  readonly writes: WriteExecutor;
  readonly revive: ReviveRows;
  /** Whether the application has put something around the queries of the client, which must see every write. */
  readonly isExtended: boolean;
  /** Told of every failure inside a transaction; `undefined` outside, where single calls may be repeated. */
  readonly onFailure: ((error: unknown) => void) | undefined;
  /** How often a single write is repeated after a conflict. */
  readonly retries: number;
  /** How many bytes the rows of one bulk write may have. */
  readonly maxBytes: number | undefined;
  /** Writes in parts, all of them or none. */
  readonly inTransaction: <T>(work: (of: (model: Model) => Delegate) => Promise<T>) => Promise<T>;
}

/** Rows that are created by one statement: the engine holds the event loop for a quarter of a millisecond for each. */
const rowsAtOnce = 50;

const isList = (data: Clause | readonly Clause[]): data is readonly Clause[] => Array.isArray(data);

/** Whether a condition looks for a text within a column. */
const hasPattern = (where: unknown): boolean => {
  if (Array.isArray(where)) return where.some(hasPattern);
  if (!isPlainObject(where)) return false;
  return Object.entries(where).some(
    ([word, value]) => /^(contains|startsWith|endsWith|mode)$/.test(word) || hasPattern(value),
  );
};

/** Such as `{ increment: 1 }`, which only Prisma understands; an object of JSON may look alike. */
const isOperation = (value: unknown): boolean =>
  isPlainObject(value) &&
  ["set", "increment", "decrement", "multiply", "divide", "push", "unset"].some((word) => word in value);

const skippedError = () => ormErrors.RejectedByDatabase("The database did not store this record.", { cause: skipped });

type TakeOver<Args> = (model: Model, args: Args) => (() => Promise<Row | undefined>) | undefined;

/** Makes the delegate of one model. */
export function makeDelegate(model: Model, source: DelegateSource): Delegate {
  const { client, models, exposeRaisedMessages, reads, writes, revive, onFailure, maxBytes } = source;

  const guarded = async <T>(
    operation: ErrorContext["operation"],
    work: () => Promise<T>,
    data?: Clause,
  ): Promise<T> => {
    try {
      return revive(model, await work()) as T;
    } catch (error) {
      onFailure?.(error);
      throw toHttpError(error, { model, models, exposeRaisedMessages, operation, written: data && Object.keys(data) });
    }
  };
  const exactly = (args: object): object => {
    const { where, data } = args as { readonly where?: Clause; readonly data?: Clause | readonly Clause[] };
    return {
      ...args,
      ...(where === undefined ? {} : { where: exactFloats(model, where) }),
      ...(data === undefined
        ? {}
        : { data: isList(data) ? data.map((row) => exactFloats(model, row)) : exactFloats(model, data) }),
    };
  };
  const read = <T>(args: object, work: () => Promise<T>): Promise<T> =>
    guarded("read", async () => {
      checkArguments(args, ["where", "cursor"]);
      return onFailure === undefined ? retry(work, 1, isRepeatableRead) : work();
    });
  /** Text of the database is as it should be: only rows of the ORM are revived. */
  const text = async <T>(args: object, work: () => Promise<T>): Promise<T> => {
    checkArguments(args, ["where", "cursor"]);
    try {
      return await retry(work, 1, isRepeatableRead);
    } catch (error) {
      throw toHttpError(error, { model, models, exposeRaisedMessages, operation: "read" });
    }
  };
  /** Does one write, again after a conflict where it stands alone. */
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
    operation: "create" | "update" | "delete",
    method: "create" | "createManyAndReturn" | "update" | "updateManyAndReturn" | "delete" | "deleteMany",
    args: object,
  ): Promise<T> =>
    writing(operation, args, () => callPrisma(client, model.delegate, method, exactly(args)) as Promise<T>);
  /** Writes one row, past Prisma where that can be. */
  const writeOne = <Args extends object>(
    operation: "create" | "update" | "delete",
    args: Args,
    takeOver: TakeOver<Args>,
  ) =>
    writing(operation, args, async () => {
      const takenOver = takeOver(model, args);
      const row = (await (takenOver?.() ?? callPrisma(client, model.delegate, operation, exactly(args)))) as Row | null;
      // Of a row that a trigger skips Prisma makes null.
      if (row === undefined || row === null) throw operation === "create" ? skippedError() : ormErrors.NotFound();
      return row;
    });
  const restricted = <Args extends { readonly where: object; readonly everything?: boolean }>(
    args: Args,
  ): Omit<Args, "everything"> => {
    const { everything, ...rest } = args;
    if (!Object.hasOwn(rest, "where")) throw new TypeError("A write of several rows needs a where.");
    checkArguments(rest, ["where"]);
    if (everything !== true && meetsEveryRow(rest.where)) {
      throw new TypeError("This where meets every row; pass everything: true if that is meant.");
    }
    return rest;
  };

  // What Prisma cannot compare or read back in such models, and with patterns in some collations, is found and changed by key.
  const isNamed = model.key !== undefined && source.schema !== undefined && !source.isExtended;
  const isByKey = (where: Clause, ...more: readonly Clause[]): boolean =>
    isNamed && (hasPattern(where) || saysMore(where) || more.some(saysMore));
  const isReadInexactly = (select: Clause): boolean =>
    isNamed &&
    Object.keys(select).some((name) => model.fields.some((field) => field.name === name && isInexact(field)));
  /** Locked, and found again as they are then: another transaction may have changed them in between. */
  const keysOf = async (where: Clause): Promise<readonly Clause[]> => {
    const names = keyFields(model).map(({ name }) => name);
    const select = Object.fromEntries(names.map((name) => [name, true]));
    const keyOf = (row: Row): Clause => (names.length === 1 ? row : { [model.key?.name ?? ""]: row });
    const found = await delegate.findMany({ where, select });
    if (found.length === 0) return [];
    const schema = model.schema ?? source.schema ?? "public";
    await guarded("read", () => lockRows(client, model, schema, found.map(keyOf), "UPDATE"));
    const locked = await delegate.findMany({ where: { AND: [rowsWhere(names, found), where] }, select });
    return locked.map(keyOf);
  };

  /** Inside a transaction, which the error ends: nothing is written then. */
  const fitting = (rows: readonly Row[]): readonly Row[] => {
    if (maxBytes !== undefined && onFailure !== undefined && sizeOf(rows, maxBytes) > maxBytes)
      throw writtenTooLarge(maxBytes);
    return rows;
  };

  const update = (args: UpdateArgs): Promise<Row> => writeOne("update", args, writes.update);
  const delegate: Delegate = Object.freeze<Delegate>({
    findMany: (args = {}) => read(args, () => reads.findMany(model, args)),
    findFirst: (args = {}) => read(args, () => reads.findFirst(model, args)),
    findUnique: (args) => read(args, () => reads.findUnique(model, { ...args, where: exactFloats(model, args.where) })),
    count: (args = {}) => read(args, () => reads.count(model, args)),
    listJson: (args, seen, options = {}) => {
      const work = reads.listJson?.(model, args, seen, options);
      return work && text(args, work);
    },
    oneJson: (args, seen) => {
      const work = reads.oneJson?.(model, args, seen);
      return work && text(args, work);
    },
    create: (args) => writeOne("create", args, writes.create),
    createJson: (args, seen) =>
      writing("create", args, async () => {
        const takenOver = writes.createJson?.(model, args, seen);
        if (takenOver === undefined) return undefined;
        const told = await takenOver();
        if (told === undefined) throw skippedError();
        return told;
      }),
    createMany: async (args) => {
      const takenOver = await writing("create", args, async () => writes.createMany(model, args)?.());
      if (takenOver !== undefined) return takenOver;
      if (args.data.length <= rowsAtOnce) return write<readonly Row[]>("create", "createManyAndReturn", args);
      if (onFailure === undefined) return source.inTransaction((of) => of(model).createMany(args));
      const rows: Row[] = [];
      for (let start = 0; start < args.data.length; start += rowsAtOnce) {
        const data = args.data.slice(start, start + rowsAtOnce);
        rows.push(...(await write<readonly Row[]>("create", "createManyAndReturn", { ...args, data })));
      }
      return fitting(rows);
    },
    createManyJson: (args, seen) => writing("create", args, async () => writes.createManyJson?.(model, args, seen)?.()),
    update,
    updateJson: (args, seen) =>
      writing("update", args, async () => {
        const takenOver = writes.updateJson?.(model, args, seen);
        if (takenOver === undefined) return undefined;
        const told = await takenOver();
        if (told === undefined) throw ormErrors.NotFound();
        return told;
      }),
    updateMany: async (args) => {
      const { where, data, select } = restricted(args);
      const isWhole = select === undefined || !(isByKey(where, data) || isReadInexactly(select));
      if (isWhole || Object.values(data).some(isOperation))
        return fitting(await write<readonly Row[]>("update", "updateManyAndReturn", restricted(args)));
      if (onFailure === undefined) return source.inTransaction((of) => of(model).updateMany(args));
      const changes = (await keysOf(where)).map((key) => ({ where: key, data }));
      return changes.length === 0 ? [] : delegate.updateEach({ changes, select });
    },
    updateEach: ({ changes, select }) => {
      // What Prisma reads back must be what was changed.
      const isOne = (model.schema ?? source.schema) !== undefined && writes.updateEach(model, select) !== undefined;
      if (onFailure === undefined && !isOne)
        return source.inTransaction((of) => of(model).updateEach({ changes, select }));
      const once = (): Promise<readonly Row[]> =>
        guarded("update", async () => {
          checkArguments({ data: changes }, ["data"]);
          const updater = { client, reads, writes, model, schema: model.schema ?? source.schema, update };
          return fitting(await updateEach(updater, changes, select));
        });
      return onFailure === undefined ? retry(once, source.retries, isRepeatableWrite) : once();
    },
    updateEachJson: async ({ changes, select }, seen) => {
      const schema = model.schema ?? source.schema;
      const run = writes.updateEachJson?.(model, select, seen);
      if (schema === undefined || run === undefined) return undefined;
      return writing("update", { data: changes }, () => changeEach({ model, schema }, changes, run));
    },
    lock: async (where) => {
      if (onFailure === undefined) throw new TypeError("A row can be locked inside a transaction only.");
      return guarded("read", async () => {
        checkArguments({ where }, ["where"]);
        return (await lockRows(client, model, model.schema ?? source.schema ?? "public", [where], "UPDATE")) > 0;
      });
    },
    lockEach: async (wheres, { forDelete = false } = {}) => {
      if (onFailure === undefined) throw new TypeError("Rows can be locked inside a transaction only.");
      const schema = model.schema ?? source.schema;
      if (schema === undefined || wheres.length < 2) return;
      await guarded("read", async () => {
        checkArguments({ where: wheres }, ["where"]);
        return lockRows(client, model, schema, wheres, forDelete ? "UPDATE" : "NO KEY UPDATE");
      });
    },
    delete: (args) => writeOne("delete", args, writes.delete),
    deleteMany: async (args) => {
      if (!isByKey(args.where)) return (await write<{ count: number }>("delete", "deleteMany", restricted(args))).count;
      if (onFailure === undefined) return source.inTransaction((of) => of(model).deleteMany(args));
      const keys = await keysOf(restricted(args).where);
      return guarded("delete", () => deleteRows(client, model, model.schema ?? source.schema ?? "public", keys));
    },
  });
  return delegate;
}

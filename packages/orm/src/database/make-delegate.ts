import type { ErrorContext } from "../errors/error-context.js";
import { ormErrors } from "../errors/orm-errors.js";
import { writtenTooLarge } from "../errors/response-too-large.js";
import { toHttpError } from "../errors/to-http-error.js";
import { exactFloats } from "../exact-float.js";
import type { Model, Models } from "../model.js";
import type { Clause, Row, UpdateArgs } from "../query-args.js";
import { checkArguments } from "./check-arguments.js";
import type { Delegate } from "./delegate.js";
import { lockRows } from "./lock-rows.js";
import { meetsEveryRow } from "./meets-every-row.js";
import { callPrisma, type PrismaHandle } from "./prisma-client-like.js";
import type { ReadExecutor } from "./read-executor.js";
import { isRepeatableRead, isRepeatableWrite, retry } from "./retry.js";
import type { ReviveRows } from "./revive-rows.js";
import { sizeOf } from "./rows-size.js";
import { changeEach, updateEach } from "./update-each.js";
import type { WriteExecutor } from "./write-executor.js";

/** What a delegate works with. */
export interface DelegateSource {
  readonly client: PrismaHandle;
  readonly models: Models;
  /** The database schema of models that name none; `undefined` when it is not known. */
  readonly schema: string | undefined;
  readonly reads: ReadExecutor;
  readonly writes: WriteExecutor;
  readonly revive: ReviveRows;
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

type TakeOver<Args> = (model: Model, args: Args) => (() => Promise<Row | undefined>) | undefined;

/** Makes the delegate of one model. */
export function makeDelegate(model: Model, source: DelegateSource): Delegate {
  const { client, models, reads, writes, revive, onFailure, maxBytes } = source;

  const guarded = async <T>(
    operation: ErrorContext["operation"],
    work: () => Promise<T>,
    data?: Clause,
  ): Promise<T> => {
    try {
      return revive(model, await work()) as T;
    } catch (error) {
      onFailure?.(error);
      throw toHttpError(error, { model, models, operation, written: data && Object.keys(data) });
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
      throw toHttpError(error, { model, models, operation: "read" });
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
      if (takenOver === undefined) return callPrisma(client, model.delegate, operation, exactly(args)) as Promise<Row>;
      const row = await takenOver();
      if (row === undefined) throw ormErrors.NotFound();
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

  /** Inside a transaction, which the error ends: nothing is written then. */
  const fitting = (rows: readonly Row[]): readonly Row[] => {
    if (maxBytes !== undefined && onFailure !== undefined && sizeOf(rows, maxBytes) > maxBytes)
      throw writtenTooLarge(maxBytes);
    return rows;
  };

  const update = (args: UpdateArgs): Promise<Row> => writeOne("update", args, writes.update);
  return Object.freeze<Delegate>({
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
    createJson: (args, seen) => writing("create", args, async () => writes.createJson?.(model, args, seen)?.()),
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
    updateMany: async (args) => fitting(await write<readonly Row[]>("update", "updateManyAndReturn", restricted(args))),
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
    deleteMany: async (args) => (await write<{ count: number }>("delete", "deleteMany", restricted(args))).count,
  });
}

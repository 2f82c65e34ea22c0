import type { Model } from "../model.js";
import type { Clause, CreateArgs, CreateManyArgs, DeleteArgs, Row, UpdateArgs } from "../query-args.js";
import type { PrismaHandle } from "./prisma-client-like.js";
import type { SeenModels } from "./read-executor.js";

/** What is told of a row that was written, in the place of the row. */
export interface WrittenJson {
  /** What an answer shows of it. */
  readonly json: string;
  /** The values of its key, as far as they were selected. */
  readonly key: Row;
}

/**
 * Takes writes over from Prisma. Each method looks at the arguments alone, and gives `undefined` for those that Prisma must
 * carry out; nothing is written before what it gives is called. An error is that of the driver, as Prisma has it.
 */
export interface WriteExecutor {
  /** `undefined` as the outcome: a trigger skipped the row. */
  create(model: Model, args: CreateArgs): (() => Promise<Row | undefined>) | undefined;
  /** The same, with what an answer shows of the row as JSON. */
  createJson?(model: Model, args: CreateArgs, seen: SeenModels): (() => Promise<WrittenJson | undefined>) | undefined;
  /** All rows or none, in the order of `data`. */
  createMany(model: Model, args: CreateManyArgs): (() => Promise<readonly Row[]>) | undefined;
  /** The same, with each row as the JSON that an answer shows of it. */
  createManyJson?(model: Model, args: CreateManyArgs, seen: SeenModels): (() => Promise<readonly string[]>) | undefined;
  /** `undefined` as the outcome: no row met the condition. */
  update(model: Model, args: UpdateArgs): (() => Promise<Row | undefined>) | undefined;
  /** The same, with what an answer shows of the row as JSON. */
  updateJson?(model: Model, args: UpdateArgs, seen: SeenModels): (() => Promise<WrittenJson | undefined>) | undefined;
  /**
   * Runs the change of many rows that is given, and gives them back in the order of their changes: in its SQL the table is
   * `t`, and `i.n` the number of a change; `undefined` for columns that only Prisma can read.
   */
  updateEach(model: Model, select: Clause): RunChanges<Row> | undefined;
  /** The same, with each row as the JSON that an answer shows of it. */
  updateEachJson?(model: Model, select: Clause, seen: SeenModels): RunChanges<string> | undefined;
  /** `undefined` as the outcome: no row met the condition. */
  delete(model: Model, args: DeleteArgs): (() => Promise<Row | undefined>) | undefined;
}

/** Runs the SQL of a change of many rows, and gives them back in one form or the other. */
export type RunChanges<Told> = (update: string, values: readonly unknown[]) => Promise<readonly Told[]>;

/** Makes the executor of a client; it is called again with the client of each transaction. */
export type MakeWriteExecutor = (client: PrismaHandle) => WriteExecutor;

/** Leaves everything to Prisma. */
export const prismaWrites: MakeWriteExecutor = () => ({
  create: () => undefined,
  createMany: () => undefined,
  update: () => undefined,
  updateEach: () => undefined,
  delete: () => undefined,
});

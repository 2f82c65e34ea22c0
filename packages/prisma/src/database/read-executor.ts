import type { Model, Models } from "../model.js";
import type { CountArgs, ReadArgs, Row, UniqueArgs } from "../query-args.js";
import { callPrisma, type PrismaHandle } from "./prisma-client-like.js";

/** The models as somebody sees them: what is hidden in them is left out of an answer. */
export interface SeenModels {
  readonly model: Model;
  readonly models: Models;
}

/** What is asked of a list that is read as JSON. */
export interface JsonListOptions {
  /** Rows that are counted besides. */
  readonly total?: CountArgs | undefined;
  /** How many of the rows are shown at most; those behind them only tell that they are there. */
  readonly shown?: number | undefined;
}

/** The rows of a list as the JSON that an answer shows. */
export interface JsonList {
  /** The JSON of the rows that are shown; of a long list its bytes. */
  readonly json: string | Buffer;
  /** How many rows were found. */
  readonly found: number;
  /** The JSON of the last row that is shown. */
  readonly last: string | undefined;
  /** How many rows meet {@link JsonListOptions.total}, where that was asked. */
  readonly total: number | undefined;
}

/** Carries reads out. Every read of a database goes through one, so that another can take reads over from Prisma. */
export interface ReadExecutor {
  findMany(model: Model, args: ReadArgs): Promise<readonly Row[]>;
  findFirst(model: Model, args: ReadArgs): Promise<Row | null>;
  findUnique(model: Model, args: UniqueArgs): Promise<Row | null>;
  count(model: Model, args: CountArgs): Promise<number>;
  /** Reads a list as JSON; `undefined` where rows must be read instead. */
  listJson?(
    model: Model,
    args: ReadArgs,
    seen: SeenModels,
    options: JsonListOptions,
  ): (() => Promise<JsonList>) | undefined;
  /** Reads one row as JSON; `undefined` where the row must be read instead. */
  oneJson?(model: Model, args: UniqueArgs, seen: SeenModels): (() => Promise<string | Buffer | null>) | undefined;
}

/** Makes the executor of a client; it is called again with the client of each transaction. */
export type MakeReadExecutor = (client: PrismaHandle) => ReadExecutor;

/** Reads with Prisma itself. */
export const prismaReads: MakeReadExecutor = (client) => ({
  findMany: (model, args) => callPrisma(client, model.delegate, "findMany", args) as Promise<readonly Row[]>,
  findFirst: (model, args) => callPrisma(client, model.delegate, "findFirst", args) as Promise<Row | null>,
  findUnique: (model, args) => callPrisma(client, model.delegate, "findUnique", args) as Promise<Row | null>,
  count: (model, args) => callPrisma(client, model.delegate, "count", args) as Promise<number>,
});

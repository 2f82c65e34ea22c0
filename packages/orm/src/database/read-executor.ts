import type { Model } from "../model.js";
import { callPrisma, type PrismaHandle } from "./prisma-client-like.js";
import type { CountArgs, ReadArgs, Row, UniqueArgs } from "./query-args.js";

/** Carries reads out. Every read of a database goes through one, so that another can take reads over from Prisma. */
export interface ReadExecutor {
  findMany(model: Model, args: ReadArgs): Promise<readonly Row[]>;
  findFirst(model: Model, args: ReadArgs): Promise<Row | null>;
  findUnique(model: Model, args: UniqueArgs): Promise<Row | null>;
  count(model: Model, args: CountArgs): Promise<number>;
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

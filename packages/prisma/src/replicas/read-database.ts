import type { Delegate } from "../database/delegate.js";
import type { Database } from "../database/make-database.js";
import type { PrismaClientLike } from "../database/prisma-client-like.js";
import type { Model, Models } from "../models/model.js";
import type { ReplicatedDatabase } from "./with-replicas.js";

/** The reads of the rows of one model. */
export type ReadDelegate = Pick<Delegate, "findMany" | "findFirst" | "findUnique" | "count">;

/** A database that only reads. Replicas serve its reads if there are any. */
export interface ReadDatabase<Client extends PrismaClientLike = PrismaClientLike> {
  readonly models: Models;
  /** The rows of one model. */
  of(model: Model | string): ReadDelegate;
  /**
   * Runs reads with the Prisma client of the server that {@link of} uses too, for what it lacks, such as `groupBy`, SQL and
   * several reads of one snapshot in `$transaction`. After a failure of the replica they are repeated on the primary.
   *
   * @throws {TypeError} if the work writes, and a replica rejects it
   * @example
   * const byCategory = await read.run((client) => client.product.groupBy({ by: ["categoryId"], _count: true }));
   */
  run<T>(work: (client: Client) => PromiseLike<T>): Promise<T>;
}

/**
 * Creates the read-only handle of a database.
 *
 * @param withClient runs reads on a replica; without it they run on the database
 */
export function readDatabase(
  { models, reads }: Pick<Database, "models" | "reads">,
  withClient: ReplicatedDatabase["withClient"] = async (work) => work(reads.client),
): ReadDatabase {
  return Object.freeze<ReadDatabase>({
    models,
    of: (model) => {
      const { findMany, findFirst, findUnique, count } = reads.of(model);
      return { findMany, findFirst, findUnique, count };
    },
    run: (work) => withClient((client) => work(client as PrismaClientLike)),
  });
}

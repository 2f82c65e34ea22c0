import type { Delegate } from "../database/delegate.js";
import type { Database } from "../database/make-database.js";
import type { Model, Models } from "../models/model.js";

/** The reads of the rows of one model. */
export type ReadDelegate = Pick<Delegate, "findMany" | "findFirst" | "findUnique" | "count">;

/** A database that only reads. Replicas serve its reads if there are any. */
export interface ReadDatabase {
  readonly models: Models;
  /** The rows of one model. */
  of(model: Model | string): ReadDelegate;
}

/** Creates the read-only handle of a database. */
export function readDatabase({ models, reads }: Pick<Database, "models" | "reads">): ReadDatabase {
  return Object.freeze<ReadDatabase>({
    models,
    of: (model) => {
      const { findMany, findFirst, findUnique, count } = reads.of(model);
      return { findMany, findFirst, findUnique, count };
    },
  });
}

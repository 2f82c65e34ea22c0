import type { ModelEngines } from "../database/model-engine.js";
import { hasExtensions, hasForeignKeys } from "../database/prisma-reason.js";
import { type MakeReadExecutor, prismaReads } from "../database/read-executor.js";
import { type MakeWriteExecutor, prismaWrites } from "../database/write-executor.js";
import { type Models } from "../model.js";
import { type SqlLink } from "../sql-link.js";
import { exactReads, exactWrites } from "./exact-ways.js";
import { makeSqlReads } from "./make-sql-reads.js";
import { makeSqlWrites } from "./make-sql-writes.js";
import { type Engine, modelEngines, reasonForAll } from "./model-engines.js";

export interface EngineSettings {
  /** A client that was made with the adapter. */
  readonly client: object;
  /** The result of `makePostgresAdapter` of `@servicekit/prisma/postgres`. */
  readonly adapter: { readonly link: SqlLink };
  readonly models: Models;
  /** The database schema of models that name none. */
  readonly schema: string;
  /** With `"prisma"`, SQL runs only the queries whose values Prisma Client cannot represent. @default "auto" */
  readonly engine?: Engine;
  /** The maximum size of the rows of one response, in bytes; no limit by default. */
  readonly maxBytes?: number | undefined;
}

/** The executors of a database, and the engine of each model. */
export interface ChosenEngine {
  readonly reads: MakeReadExecutor;
  readonly writes: MakeWriteExecutor;
  readonly engines: ModelEngines;
}

/** Runs each query of an eligible model as one SQL statement if its result is that of Prisma Client, and on Prisma Client otherwise. */
export function chooseEngine({ adapter, engine = "auto", ...own }: EngineSettings): ChosenEngine {
  const { client, models } = own;
  const engines = modelEngines(client, models, engine);
  // An extension may restrict the rows of a query, which SQL would ignore.
  if (hasExtensions(client)) return { reads: prismaReads, writes: prismaWrites, engines };
  const settings = { ...own, link: adapter.link };
  if (reasonForAll(client, models, engine) === undefined)
    return { reads: makeSqlReads(settings), writes: makeSqlWrites(settings), engines };
  return {
    reads: exactReads(settings),
    writes: hasForeignKeys(client) ? exactWrites(settings) : prismaWrites,
    engines,
  };
}

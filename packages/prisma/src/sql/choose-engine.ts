import { hasExtensions, logsQueries } from "../database/client-options.js";
import type { MakeExecutor } from "../database/executor.js";
import type { ModelEngines } from "../database/model-engine.js";
import { prismaExecutor } from "../database/prisma-executor.js";
import type { SqlLink } from "../database/sql-link.js";
import type { Models } from "../models/model.js";
import { exactExecutor } from "./exact-executor.js";
import { type Engine, modelEngines } from "./model-engines.js";
import { sqlExecutor } from "./sql-executor.js";

export interface EngineSettings {
  /** A client created with the adapter. */
  readonly client: object;
  /** The result of `makePostgresAdapter` of `@servicekit/prisma/postgres`. */
  readonly adapter: { readonly link: SqlLink };
  readonly models: Models;
  /** The database schema of models without one. */
  readonly schema: string;
  /** With `"prisma"`, SQL runs only the queries whose values Prisma Client cannot represent. @default "auto" */
  readonly engine?: Engine;
  /** The maximum size of the rows of one response, in bytes; no limit by default. */
  readonly maxBytes?: number | undefined;
}

/** The executor of a database, and the engine of each model. */
export interface ChosenEngine {
  readonly executor: MakeExecutor;
  readonly engines: ModelEngines;
}

/**
 * Decides for each model whether SQL or Prisma Client runs its queries. A query that SQL cannot express, or that reads a related
 * model of Prisma Client, runs on Prisma Client.
 */
export function chooseEngine({ adapter, engine = "auto", ...own }: EngineSettings): ChosenEngine {
  const { client, models } = own;
  const engines = modelEngines(client, models, engine);
  // An extension may restrict the rows of a query, which SQL would ignore.
  if (hasExtensions(client)) return { executor: prismaExecutor, engines };
  const settings = { ...own, link: adapter.link };
  const eligible = new Map([...models].filter(([name]) => engines.get(name)?.engine === "sql"));
  const makeSql = sqlExecutor({ ...settings, models: eligible });
  const makeExact = exactExecutor(
    { ...settings, byClient: logsQueries(client) },
    [...models.values()].every(({ hasForeignKeys }) => hasForeignKeys),
  );
  const executor: MakeExecutor = (handle) => {
    const sql = makeSql(handle);
    const exact = makeExact(handle);
    return {
      prepare: (model, query, seen) => sql.prepare(model, query, seen) ?? exact.prepare(model, query, seen),
      prepareRecorded: (model, query, entry, seen) => sql.prepareRecorded?.(model, query, entry, seen),
    };
  };
  return { executor, engines };
}

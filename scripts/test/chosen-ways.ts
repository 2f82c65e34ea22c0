import { prismaReads } from "../../packages/prisma/src/database/read-executor.js";
import {
  type DatabaseSettings,
  type MakeReadExecutor,
  type MakeWriteExecutor,
  type Models,
} from "../../packages/prisma/src/index.js";
import { chooseEngine, makeSqlReads, makeSqlWrites, prismaWrites } from "../../packages/prisma/src/internal.js";
import type { PostgresAdapter } from "../../packages/prisma/src/postgres/index.js";
import { makeComparedReads } from "./compare-reads.js";

/**
 * Who reads and writes in a test: as the umbrella chooses it, but for `READS=both`, which compares each read with that of
 * Prisma, and `READS=sql` and `WRITES=sql`, which ask by SQL though the client tells of its queries.
 */
export function chosenWays(client: object, models: Models): Required<Pick<DatabaseSettings, "reads" | "writes">> {
  const { adapter } = (client as { readonly _engineConfig: { readonly adapter: PostgresAdapter } })._engineConfig;
  const choice = { client, adapter, models, schema: "public" };
  const own = { ...choice, link: adapter.link };
  const readers: Readonly<Record<string, () => MakeReadExecutor>> = {
    both: () => makeComparedReads(client, models),
    sql: () => makeSqlReads(own),
    prisma: () => prismaReads,
  };
  const writers: Readonly<Record<string, () => MakeWriteExecutor>> = {
    sql: () => makeSqlWrites(own),
    prisma: () => prismaWrites,
  };
  const { reads, writes } = chooseEngine(choice);
  return {
    reads: readers[process.env.READS ?? ""]?.() ?? reads,
    writes: writers[process.env.WRITES ?? ""]?.() ?? writes,
  };
}

import path from "node:path";
import { readModels } from "@servicekit/prisma";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import type { RouteStep } from "@servicekit/router";
import { withAdapter } from "../../../scripts/test/client-adapter.js";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { defaultModelRouterSettings, type ModelRouterSettings, makeModelRouter } from "../src/index.js";
import { PrismaClient } from "./generated/shelf/client/client.js";
import { models as data } from "./generated/shelf/models.js";
import { type Served, serveModels } from "./serve-models.js";

export const shelfModels = readModels(data);

/** A database with every kind of column, key and relation, served over HTTP. */
export interface Shelf extends Served {
  readonly client: PrismaClient;
  /** Queries PostgreSQL directly. */
  sql<Row extends object = Record<string, unknown>>(text: string, ...values: unknown[]): Promise<Row[]>;
  /** The statements of some work. */
  statements(work: () => Promise<unknown>): Promise<string[]>;
  /** The same database with other settings; closed with this one. */
  serve(settings: Partial<ModelRouterSettings>, steps?: readonly RouteStep[]): Promise<Served>;
  /** Another client of the same database, which has no connection yet. */
  unconnected(): PrismaClient;
  /** Deletes all rows, and restarts all ids at 1. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function startShelf(serverUrl: string, settings: Partial<ModelRouterSettings> = {}): Promise<Shelf> {
  const created = await createPushedDatabase(serverUrl, path.join(import.meta.dirname, "fixtures/shelf/schema"));
  // A busy machine must not make a test fail: the limit itself is tested with the ORM.
  const makeAdapter = () =>
    makePostgresAdapter({ url: created.url, timeouts: { poolWaitMs: 20_000, statementMs: 20_000 } });
  const own = new PrismaClient({ adapter: makeAdapter() });
  const sql: Shelf["sql"] = (text, ...values) => own.$queryRawUnsafe(text, ...values);
  await sql(
    `CREATE VIEW "NoteCount" AS SELECT note, count(*) AS count FROM "TextKey" WHERE note IS NOT NULL GROUP BY 1`,
  );
  await sql(`CREATE VIEW "LongNote" AS SELECT id, note FROM "IntKey" WHERE length(note) > 3`);
  const adapter = makeAdapter();
  const client = withAdapter(new PrismaClient({ adapter, log: [{ emit: "event", level: "query" }] }), adapter);
  let received: string[] = [];
  client.$on("query", ({ query }) => received.push(query));
  const served = await serveModels(client, shelfModels, settings);
  const others: Served[] = [];
  return {
    ...served,
    client,
    sql,
    statements: async (work) => {
      received = [];
      await work();
      return received.filter((query) => !/^(BEGIN|COMMIT|ROLLBACK)\b/.test(query));
    },
    serve: async (more, steps) => {
      const other = await serveModels(client, shelfModels, more, steps);
      others.push(other);
      return other;
    },
    unconnected: () => {
      const other = makeAdapter();
      return withAdapter(new PrismaClient({ adapter: other }), other);
    },
    clear: async () => {
      const tables = [...shelfModels.values()].filter(({ isView }) => !isView).map(({ table }) => table);
      await sql(emptyTables(...tables, "_BookToTag"));
    },
    close: async () => {
      await Promise.all([served, ...others].map((one) => one.stop()));
      await client.$disconnect();
      await own.$disconnect();
      await created.drop();
    },
  };
}

/** The issues that prevent startup with these settings. */
export function issuesOf({ database }: Shelf, given: Partial<ModelRouterSettings>, models = shelfModels): unknown {
  try {
    makeModelRouter({ models, database, users: undefined, settings: { ...defaultModelRouterSettings, ...given } });
    return "no error";
  } catch (error) {
    return (error as { issues?: unknown }).issues;
  }
}

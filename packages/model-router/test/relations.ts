import path from "node:path";
import { readModels } from "@servicekit/prisma";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import type { RouteStep } from "@servicekit/router";
import { withAdapter } from "../../../scripts/test/client-adapter.js";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import type { ModelRouterOptions, ModelRouterSettings } from "../src/index.js";
import { PrismaClient } from "./generated/relations/client/client.js";
import { models as data } from "./generated/relations/models.js";
import { type Served, serveModels } from "./serve-models.js";

/** The tables of many-to-many relations. */
export const linkTables = ["_ArticleToLabel", "_related", "_GroupToUser"];
export const relationModels = readModels(data);

/** A database with relations of every kind, served over HTTP. */
export interface Relations extends Served {
  /** Queries PostgreSQL directly. */
  sql<Row extends object = Record<string, unknown>>(text: string): Promise<Row[]>;
  /** The statements of some work. */
  statements(work: () => Promise<unknown>): Promise<string[]>;
  /** The same database with other settings; closed with this one. */
  serve(
    settings: Partial<ModelRouterSettings>,
    options?: Partial<ModelRouterOptions>,
    steps?: readonly RouteStep[],
  ): Promise<Served>;
  /** Deletes all rows, and restarts all ids at 1. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function startRelations(
  serverUrl: string,
  settings: Partial<ModelRouterSettings> = {},
  options: Partial<ModelRouterOptions> = {},
): Promise<Relations> {
  const created = await createPushedDatabase(serverUrl, path.join(import.meta.dirname, "fixtures/relations"));
  const makeAdapter = () =>
    makePostgresAdapter({ url: created.url, timeouts: { poolWaitMs: 20_000, statementMs: 20_000 } });
  const own = new PrismaClient({ adapter: makeAdapter() });
  const adapter = makeAdapter();
  const client = withAdapter(new PrismaClient({ adapter, log: [{ emit: "event", level: "query" }] }), adapter);
  let received: string[] = [];
  client.$on("query", ({ query }) => received.push(query));
  const served = await serveModels(client, relationModels, settings, [], options);
  const others: Served[] = [];
  return {
    ...served,
    sql: (text) => own.$queryRawUnsafe(text),
    statements: async (work) => {
      received = [];
      await work();
      return received.filter((query) => !/^(BEGIN|COMMIT|ROLLBACK)\b/.test(query));
    },
    serve: async (more, otherOptions, steps) => {
      const other = await serveModels(client, relationModels, more, steps, otherOptions);
      others.push(other);
      return other;
    },
    clear: async () => {
      await own.$queryRawUnsafe(emptyTables(...relationModels.keys(), ...linkTables));
    },
    close: async () => {
      await Promise.all([served, ...others].map((one) => one.stop()));
      await client.$disconnect();
      await own.$disconnect();
      await created.drop();
    },
  };
}

/** Relations of every kind, settable in bodies. */
export const writableRelations: ModelRouterSettings["models"] = {
  Order: { writable: ["lines"] },
  Article: { writable: ["notes", "summary", "labels", "owner", "related"] },
  Note: { writable: ["replies"] },
  Owner: { writable: ["articles"] },
  Product: { writable: ["stock"] },
  Stock: { writable: ["counts", "shelf"] },
  Count: { writable: ["stock"] },
  Summary: { writable: ["article"] },
  Label: { writable: ["articles"] },
};

/** Deletes all rows, and inserts those that others connect to. */
export async function fillRelations({ clear, sql }: Relations): Promise<void> {
  await clear();
  await sql(`INSERT INTO "Product" (name) VALUES ('bolt'), ('nut'), ('nail')`);
  await sql(`INSERT INTO "Owner" (name, email, secret) VALUES ('Ann', 'ann@x', 's1'), ('Bob', 'bob@x', 's2')`);
  await sql(`INSERT INTO "Label" (name, color) VALUES ('red', '#f00'), ('blue', '#00f'), ('green', NULL)`);
  await sql(`INSERT INTO "Shelf" (code) VALUES ('A1'), ('A2')`);
}

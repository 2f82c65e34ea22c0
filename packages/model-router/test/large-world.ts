import path from "node:path";
import { readModels } from "@servicekit/prisma";
import { prismaExecutor } from "@servicekit/prisma/internal";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import { withAdapter } from "../../../scripts/test/client-adapter.js";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import type { ModelRouterOptions, ModelRouterSettings } from "../src/index.js";
import { PrismaClient } from "./generated/large/client/client.js";
import { models as data } from "./generated/large/models.js";
import { type Served, serveModels } from "./serve-models.js";

const models = readModels(data);

/** A database for many rows, and a partitioned table. */
export interface LargeWorld {
  /** Executes SQL on PostgreSQL. */
  sql(text: string): Promise<unknown>;
  serve(settings?: Partial<ModelRouterSettings>, more?: Partial<ModelRouterOptions>): Promise<Served>;
  /** The same, with each query by Prisma Client. */
  serveByPrisma(): Promise<Served>;
  close(): Promise<void>;
}

export async function openLarge(serverUrl: string): Promise<LargeWorld> {
  const { url, drop } = await createPushedDatabase(serverUrl, path.join(import.meta.dirname, "fixtures/large"));
  const adapter = makePostgresAdapter({ url, timeouts: { poolWaitMs: 60_000, statementMs: 60_000 } });
  const client = withAdapter(new PrismaClient({ adapter }), adapter);
  await client.$connect();
  const open: Served[] = [];
  const keep = async (served: Promise<Served>): Promise<Served> => {
    open.push(await served);
    return served;
  };
  return {
    sql: (text) => client.$queryRawUnsafe(text),
    serve: (settings, more) => keep(serveModels(client, models, settings, [], more)),
    serveByPrisma: () => keep(serveModels(client, models, {}, [], {}, { executor: prismaExecutor })),
    close: async () => {
      await Promise.all(open.map((one) => one.stop()));
      await client.$disconnect();
      await drop();
    },
  };
}

/** Adds entries: of ten sensors, one in four of the kind `rare`. */
export const entriesSql = (count: number): string =>
  `INSERT INTO "Entry" (kind, weight, "sensorId")
   SELECT CASE WHEN n % 4 = 0 THEN 'rare' ELSE 'common' END, n % 1000, n % 10 + 1 FROM generate_series(1, ${count}) AS n`;

export const sensorsSql = `INSERT INTO "Sensor" (id, name) SELECT n, 'Sensor ' || n FROM generate_series(1, 10) AS n`;

/** Replaces the table of readings by a partitioned one, with a partition for each month of a year. */
export const partitionSql: readonly string[] = [
  `DROP TABLE "Reading"`,
  `CREATE TABLE "Reading" (
     "sensorId" integer NOT NULL REFERENCES "Sensor" (id) ON UPDATE CASCADE ON DELETE RESTRICT,
     day date NOT NULL, value integer NOT NULL, note text,
     PRIMARY KEY ("sensorId", day)
   ) PARTITION BY RANGE (day)`,
  ...Array.from({ length: 12 }, (_, month) => {
    const first = new Date(Date.UTC(2026, month, 1)).toISOString().slice(0, 10);
    const next = new Date(Date.UTC(2026, month + 1, 1)).toISOString().slice(0, 10);
    return `CREATE TABLE "Reading_${month + 1}" PARTITION OF "Reading" FOR VALUES FROM ('${first}') TO ('${next}')`;
  }),
];

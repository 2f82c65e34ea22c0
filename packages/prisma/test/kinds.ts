import path from "node:path";
import pg from "pg";
import { expect } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { type Database, makeDatabase, readModels } from "../src/index.js";
import { chooseEngine } from "../src/internal.js";
import { makePostgresAdapter, type PostgresSettings } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { models as data } from "./generated/kinds/models.js";

/** A database with the tables of the fixture `kinds`. */
export interface Kinds {
  readonly url: string;
  readonly database: Database;
  /** A second database value over separate connections. */
  open(settings?: Partial<PostgresSettings>): Database;
  /** Another one that executes by SQL what SQL can, or everything through Prisma Client. */
  openEngine(engine: "auto" | "prisma"): Database;
  /** Another one whose client logs its queries, and the statements of its log. */
  openLogged(): { readonly database: Database; readonly statements: readonly string[] };
  /** Runs SQL without the ORM. */
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Locks a table against reads and writes until the returned function is called. */
  lockTable(table: string): Promise<() => Promise<void>>;
  /** Waits until a session of this database waits for a lock. */
  whenBlocked(): Promise<void>;
  close(): Promise<void>;
}

export const models = readModels(data);

export async function openKinds(serverUrl: string): Promise<Kinds> {
  const { url, drop } = await createPushedDatabase(
    serverUrl,
    path.join(import.meta.dirname, "fixtures/kinds/schema.prisma"),
  );
  const opened: Database[] = [];
  const open: Kinds["open"] = (settings) => {
    const client = new PrismaClient({ adapter: makePostgresAdapter({ url, ...settings }) });
    const database = makeDatabase({ client, models });
    opened.push(database);
    return database;
  };
  const openEngine: Kinds["openEngine"] = (engine) => {
    const adapter = makePostgresAdapter({ url });
    const common = { client: new PrismaClient({ adapter }), models, schema: "public" };
    const database = makeDatabase({ ...common, ...chooseEngine({ ...common, adapter, engine }) });
    opened.push(database);
    return database;
  };
  const openLogged: Kinds["openLogged"] = () => {
    const adapter = makePostgresAdapter({ url });
    const statements: string[] = [];
    const client = new PrismaClient({ adapter, log: [{ emit: "event", level: "query" }] });
    client.$on("query", ({ query }) => statements.push(query));
    const common = { client, models, schema: "public" };
    const database = makeDatabase({ ...common, ...chooseEngine({ ...common, adapter }) });
    opened.push(database);
    return { database, statements };
  };
  const pool = new pg.Pool({ connectionString: url, max: 5 });
  pool.on("error", () => undefined);
  const sql: Kinds["sql"] = async (text, values = []) => (await pool.query(text, [...values])).rows;
  const blocked = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return {
    url,
    database: open(),
    open,
    openEngine,
    openLogged,
    sql,
    lockTable: async (table) => {
      const connection = await pool.connect();
      await connection.query(`BEGIN; LOCK TABLE "${table}" IN ACCESS EXCLUSIVE MODE`);
      return async () => {
        await connection.query("COMMIT");
        connection.release();
      };
    },
    whenBlocked: () => expect.poll(() => sql(blocked)).toHaveLength(1),
    close: async () => {
      await Promise.all(opened.map((database) => database.disconnect()));
      await pool.end();
      await drop();
    },
  };
}

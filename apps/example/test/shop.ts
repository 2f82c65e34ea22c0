import type { AddressInfo } from "node:net";
import path from "node:path";
import { PassThrough } from "node:stream";
import service, { type FetchHandler, type ServiceInitConfig } from "@servicekit/service";
import { applyMigrations } from "@servicekit/service/dev-database";
import { inject } from "vitest";
import { createFilledDatabase } from "../../../scripts/test/template-database.js";
import { makeShopConfig } from "../src/app.js";
import { createClient } from "../src/database.js";
import type { PrismaClient } from "../src/generated/prisma/client.js";
import { seed } from "../src/seed.js";
import { type Api, makeApi } from "./api.js";

/** The complete shop on a separate database, over real HTTP. */
export interface Shop extends Api {
  readonly url: string;
  /** Handles requests without the network. */
  readonly fetch: FetchHandler;
  readonly databaseUrl: string;
  /** For statements of the tests, which compare the results of the API with those of SQL. */
  readonly database: PrismaClient;
  /** The rows of a SELECT, with numbers as JavaScript numbers if they are exact. */
  sql<Row extends object>(statement: string): Promise<Row[]>;
  /** The first column of the first row, as text. */
  value(statement: string): Promise<string>;
  close(): Promise<void>;
}

const folder = path.join(import.meta.dirname, "..");
const migrations = path.join(folder, "prisma", "migrations");
const sources = [migrations, path.join(folder, "src", "seed.ts"), path.join(folder, "src", "seed")];

/** A new database on the test server, migrated and seeded. @param more writes other rows, identified by `key` */
export function createShopDatabase(more?: {
  readonly key: string;
  fill(client: PrismaClient): Promise<unknown>;
}): Promise<{ readonly url: string; drop(): Promise<void> }> {
  return createFilledDatabase(inject("postgresUrl"), {
    sources,
    ...(more && { key: more.key }),
    fill: async (url) => {
      await applyMigrations(url, migrations);
      const client = createClient(url);
      await seed(client, new PassThrough());
      await more?.fill(client);
      await client.$disconnect();
    },
  });
}

/** Starts the shop on a free port. @param more is merged over its configuration */
export async function startShop(more: ServiceInitConfig = {}): Promise<Shop> {
  const created = await createShopDatabase();
  const { server, fetch, close } = await service.create(
    { ...makeShopConfig(), middlewares: { requestLogger: false, rateLimit: { limit: 1_000_000 } }, ...more },
    { directory: path.join(import.meta.dirname, ".."), environment: { DATABASE_URL: created.url } },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const database = createClient(created.url);
  const sql = <Row extends object>(statement: string) => database.$queryRawUnsafe<Row[]>(statement);
  return {
    ...makeApi(url),
    url,
    fetch,
    databaseUrl: created.url,
    database,
    sql,
    value: async (statement) => String(Object.values((await sql(statement))[0] ?? {})[0]),
    close: async () => {
      await close();
      await database.$disconnect();
      await created.drop();
    },
  };
}

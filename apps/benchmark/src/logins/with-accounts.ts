import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { applyMigrations, createDatabase, startDevDatabase } from "@servicekit/service/dev-database";
import { type Child, startChild } from "../measure/child.js";

const example = path.join(import.meta.dirname, "..", "..", "..", "example");

interface Seed {
  readonly seedPassword: string;
  seedAccounts(client: unknown): Promise<unknown>;
}
interface Client {
  createClient(url: string): { $disconnect(): Promise<void> };
}

/** The example in a separate process. */
export interface AccountsChild {
  readonly url: string;
  /** The password of every account. */
  readonly password: string;
  readonly child: Child;
}

/** The built example with a separate database, with the accounts of its seed. */
export interface AccountsDatabase {
  readonly url: string;
  /** The environment of a process that serves it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The folder of the example. */
  readonly example: string;
}

/** Creates a database with the tables and the accounts of the example, passes it to the work, and drops it. */
export async function withAccountsDatabase<T>(work: (database: AccountsDatabase) => Promise<T>): Promise<T> {
  if (!fs.existsSync(path.join(example, "dist", "app.js"))) throw new Error("The example is not built: npm run build");
  const { seedAccounts } = await loadSeed();
  const { createClient } = await load<Client>("database.js");
  const directory = path.join(import.meta.dirname, "..", "..", ".data", "db");
  const given = process.env.DATABASE_URL;
  const server = given ? undefined : await startDevDatabase({ directory });
  try {
    const database = await createDatabase(given || server?.url || "");
    try {
      await applyMigrations(database.url, path.join(example, "prisma", "migrations"));
      const client = createClient(database.url);
      await seedAccounts(client).finally(() => client.$disconnect());
      const environment = { DATABASE_URL: database.url, JWT_SECRET: randomBytes(48).toString("base64url") };
      return await work({ url: database.url, environment, example });
    } finally {
      await database.drop();
    }
  } finally {
    await server?.stop();
  }
}

/** Fills the shop with the rows of its seed. */
export async function fillShop(url: string): Promise<void> {
  const { seed } = await load<{ seed(client: unknown, terminal: object): Promise<number> }>("seed.js");
  const client = (await load<Client>("database.js")).createClient(url);
  await seed(client, { isTTY: false, write: () => true }).finally(() => client.$disconnect());
}

/**
 * Serves the built example, with the accounts of its seed, with a separate database.
 *
 * @param name the name of the server in `processes/serve.ts`
 */
export function withAccounts<T>(name: string, work: (shop: AccountsChild) => Promise<T>): Promise<T> {
  return withAccountsDatabase(async ({ environment }) => {
    const { seedPassword } = await loadSeed();
    const child = await startChild("serve.js", [name, example], environment);
    try {
      return await work({ url: `http://127.0.0.1:${child.ready}`, password: seedPassword, child });
    } finally {
      await child.end();
    }
  });
}

const load = <M>(...file: string[]): Promise<M> => import(pathToFileURL(path.join(example, "dist", ...file)).href);
export const loadSeed = (): Promise<Seed> => load("seed", "accounts.js");

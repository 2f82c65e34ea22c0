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

/** The example in a process of its own. */
export interface AccountsChild {
  readonly url: string;
  /** Of every account. */
  readonly password: string;
  readonly child: Child;
}

/**
 * Serves the built example, with the accounts of its seed, over a database of its own.
 *
 * @param name the server, of those that `processes/serve.ts` knows
 */
export async function withAccounts<T>(name: string, work: (shop: AccountsChild) => Promise<T>): Promise<T> {
  if (!fs.existsSync(path.join(example, "dist", "app.js"))) throw new Error("The example is not built: npm run build");
  const load = <M>(...file: string[]): Promise<M> => import(pathToFileURL(path.join(example, "dist", ...file)).href);
  const { seedAccounts, seedPassword } = await load<Seed>("seed", "accounts.js");
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
      const child = await startChild("serve.js", [name, example], environment);
      try {
        return await work({ url: `http://127.0.0.1:${child.ready}`, password: seedPassword, child });
      } finally {
        await child.end();
      }
    } finally {
      await database.drop();
    }
  } finally {
    await server?.stop();
  }
}

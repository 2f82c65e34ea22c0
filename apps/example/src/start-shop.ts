import cluster from "node:cluster";
import { randomBytes } from "node:crypto";
import path from "node:path";
import service, { type Environment, type RunningService, StartupError } from "@servicekit/service";
import { applyMigrations, startDevDatabase } from "@servicekit/service/dev-database";
import { readAccounts } from "./accounts/accounts.js";
import { makeShopConfig } from "./app.js";
import { createClient } from "./database.js";
import { findRunning } from "./running-shop.js";
import { seedAccounts, seedPassword } from "./seed/accounts.js";
import { seed } from "./seed.js";

export interface StartOptions {
  /** The folder with `service.config.ts` and `prisma/migrations`; the embedded database is in its `.data/db`. */
  readonly directory: string;
  /**
   * Reads `DATABASE_URL` (without it an embedded PostgreSQL is started), `PORT` (8000), `HOST` (localhost) and
   * `ACCOUNTS` (`static`, `dynamic`, or unset for an open shop). Results are written back to the environment, because
   * workers run the program again.
   */
  readonly environment: Record<string, string | undefined>;
  readonly describe: (line: string) => void;
}

/**
 * Starts the database, migrates, seeds and serves. SIGTERM and SIGINT stop the service, then the database.
 *
 * @throws {StartupError} if the shop, or another program, already listens at the address
 */
export async function startShop({ directory, environment, describe }: StartOptions): Promise<RunningService> {
  const accounts = readAccounts(environment.ACCOUNTS);
  // The process that started the workers has already done everything before the service.
  if (cluster.isWorker) return service.init(makeShopConfig(accounts), { directory, environment });
  await checkAddress(environment);
  const database = environment.DATABASE_URL
    ? undefined
    : await startDevDatabase({ directory: path.join(directory, ".data", "db"), log: describe });
  try {
    const databaseUrl = environment.DATABASE_URL || database?.url || "";
    await applyMigrations(databaseUrl, path.join(directory, "prisma", "migrations"), { log: describe });
    const client = createClient(databaseUrl);
    const hasAccounts = accounts.authentication !== undefined;
    const isDevelopment = environment.NODE_ENV !== "production";
    try {
      const rows = await seed(client);
      if (rows > 0) describe(`Seeded ${rows.toLocaleString("en-US")} rows.`);
      // These passwords are public.
      if (hasAccounts && isDevelopment) await seedAccounts(client);
    } finally {
      await client.$disconnect();
    }
    environment.DATABASE_URL = databaseUrl;
    if (hasAccounts && isDevelopment) environment.JWT_SECRET ??= randomBytes(48).toString("base64url");
    const shop = await service.init(makeShopConfig(accounts), { directory, environment });
    for (const line of hasAccounts ? signInTour(shop.url, isDevelopment) : tour(shop.url)) describe(line);
    return { ...shop, close: () => shop.close().then(() => database?.stop()) };
  } catch (error) {
    await database?.stop();
    throw error;
  }
}

async function checkAddress({ PORT, HOST }: Environment): Promise<void> {
  const port = Number(PORT || 8000);
  // Any free port, or none: the service itself reports a problem with it.
  if (!(port > 0 && port <= 65535)) return;
  const host = HOST || "localhost";
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const running = await findRunning(url);
  if (running === "none") return;
  const who = running === "shop" ? "The shop is running already" : "Another program is listening";
  const message = `${who} at ${url}. Stop it first, or choose another port: PORT=${port + 1} npm start`;
  throw new StartupError([{ where: "the port", message }]);
}

/** The lines for a new user: every one of them works as printed. */
function tour(url: string): readonly string[] {
  return [
    "",
    `Harbour & Pine is open: ${url}/api`,
    "",
    "Try:",
    `  curl '${url}/api/products?status=ACTIVE&price__lt=50&sort=-price&limit=3&fields=name,price&include=category'`,
    `  curl -X POST ${url}/api/tags -H 'Content-Type: application/json' -d '{"name": "my own"}'`,
    `  curl -X POST ${url}/api/products -H 'Content-Type: application/json' -d '{"name": "Tin Mug", "price": "4.999"}'`,
    "",
    "Stop it with Ctrl+C.",
  ];
}

/** The same for a shop with accounts; those of the seed exist in development only. */
function signInTour(url: string, isDevelopment: boolean): readonly string[] {
  const opened = ["", `Harbour & Pine is open, with accounts: ${url}/api`, ""];
  if (!isDevelopment) return [...opened, "Stop it with Ctrl+C."];
  return [
    ...opened,
    "In development these can sign in: ada and ben (customers), edda and will (staff), root (superuser).",
    `The password of each is: ${seedPassword}`,
    "",
    "Try:",
    `  curl -c jar ${url}/api/auth/login -H 'Content-Type: application/json' -d '{"username": "ada", "password": "${seedPassword}"}'`,
    `  curl -b jar '${url}/api/orders?fields=reference,status,total'`,
    `  curl -b jar -X POST ${url}/api/tags -H 'Content-Type: application/json' -d '{"name": "my own"}'`,
    "",
    "Stop it with Ctrl+C.",
  ];
}

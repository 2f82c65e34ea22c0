import cluster from "node:cluster";
import { randomBytes } from "node:crypto";
import path from "node:path";
import service, { type Environment, type RunningService, StartError } from "@servicekit/service";
import { applyMigrations, startDevDatabase } from "@servicekit/service/dev-database";
import { readAccounts } from "./accounts/accounts.js";
import { makeShopConfig } from "./app.js";
import { createClient } from "./database.js";
import { findRunning } from "./running-shop.js";
import { seedAccounts, seedPassword } from "./seed/accounts.js";
import { seed } from "./seed.js";

export interface StartOptions {
  /** The folder with `service.config.ts` and `prisma/migrations`; the embedded database gets `.data/db` in it. */
  readonly directory: string;
  /**
   * `DATABASE_URL` (an embedded PostgreSQL is started without it), `PORT` (8000), `HOST` (localhost) and `ACCOUNTS`
   * (`static`, `dynamic`, or an open shop without it) are read. What the shop makes of them is written there, where workers,
   * which run the program again, find it.
   */
  readonly environment: Record<string, string | undefined>;
  readonly say: (line: string) => void;
}

/**
 * Brings up the database, migrates, seeds and serves. SIGTERM and SIGINT stop the service, then the database.
 *
 * @throws {StartError} when the shop, or another program, listens at the address already
 */
export async function startShop({ directory, environment, say }: StartOptions): Promise<RunningService> {
  const accounts = readAccounts(environment.ACCOUNTS);
  // All that comes before the service was done by the process that started the workers.
  if (cluster.isWorker) return service.init(makeShopConfig(accounts), { directory, environment });
  await checkAddress(environment);
  const database = environment.DATABASE_URL
    ? undefined
    : await startDevDatabase({ directory: path.join(directory, ".data", "db"), log: say });
  try {
    const databaseUrl = environment.DATABASE_URL || database?.url || "";
    await applyMigrations(databaseUrl, path.join(directory, "prisma", "migrations"), { log: say });
    const client = createClient(databaseUrl);
    const hasAccounts = accounts.authentication !== undefined;
    const isDevelopment = environment.NODE_ENV !== "production";
    try {
      const rows = await seed(client);
      if (rows > 0) say(`Seeded ${rows.toLocaleString("en-US")} rows.`);
      // Everybody knows these passwords.
      if (hasAccounts && isDevelopment) await seedAccounts(client);
    } finally {
      await client.$disconnect();
    }
    environment.DATABASE_URL = databaseUrl;
    if (hasAccounts && isDevelopment) environment.JWT_SECRET ??= randomBytes(48).toString("base64url");
    const shop = await service.init(makeShopConfig(accounts), { directory, environment });
    for (const line of hasAccounts ? signInTour(shop.url, isDevelopment) : tour(shop.url)) say(line);
    return { ...shop, close: () => shop.close().then(() => database?.stop()) };
  } catch (error) {
    await database?.stop();
    throw error;
  }
}

async function checkAddress({ PORT, HOST }: Environment): Promise<void> {
  const port = Number(PORT || 8000);
  // Any free port, or none: the service itself says what is wrong with it.
  if (!(port > 0 && port <= 65535)) return;
  const host = HOST || "localhost";
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const running = await findRunning(url);
  if (running === "nobody") return;
  const who = running === "shop" ? "The shop is running already" : "Another program is listening";
  const message = `${who} at ${url}. Stop it first, or choose another port: PORT=${port + 1} npm start`;
  throw new StartError([{ where: "the port", message }]);
}

/** The lines that a new user sees: every one of them works as it stands. */
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

/** The same for a shop with accounts; those of the seed are there in development only. */
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

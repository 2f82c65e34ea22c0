import fs from "node:fs";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import service, { type ServiceInitConfig } from "@servicekit/service";
import { type ModelsData, readModels } from "../../../../packages/prisma/src/index.js";
import { createMysqlDatabase } from "../../../../scripts/test/mysql-database.js";
import type { TestedProvider } from "../../../../scripts/test/provider-database.js";
import { createSqliteDatabase } from "../../../../scripts/test/sqlite-database.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";
import { fixedAccounts } from "../../src/accounts/static.js";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import { makeShopRows, type ShopRows } from "../../src/seed/shop-rows.js";
import { quickHash, secret } from "../accounts/account-shop.js";
import { amounts, generatePortableShop } from "./portable-schema.js";

/** A response, as far as it is compared. */
export interface PortableReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A request over HTTP. */
export interface PortableRequest {
  readonly method: string;
  /** Below `/api`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData | undefined;
}

/** The shop with the rows of its seed in a database of one provider. */
export interface PortableShop {
  readonly provider: TestedProvider;
  send(request: PortableRequest): Promise<PortableReply>;
  /** The next id of each model that counts: rejected rows use up ids in some databases. */
  countFrom(next: number): Promise<void>;
  close(): Promise<void>;
}

const { Product, Order, Supplier, Review, ...others } = fixedAccounts.models;
const logo = { type: "single", field: "logo", maxSize: 512 * 1024, allowedFileTypes: ["png"] } as const;

/** The configuration of the shop without what only PostgreSQL offers. */
const config: ServiceInitConfig = {
  authentication: {
    ...fixedAccounts.authentication,
    mode: "static",
    password: { cost: 4 },
    rateLimit: { windowMs: 1000, limit: 1_000_000 },
  },
  middlewares: { requestLogger: false, rateLimit: { limit: 1_000_000 } },
  timeouts: { poolWait: 20_000, statement: 20_000 },
  models: {
    ...others,
    Product: { ...Product, export: true, import: true, aggregate: true },
    Order: { ...Order, aggregate: true, export: true },
    Supplier: { ...Supplier, uploads: { createOne: logo, updateOne: logo } },
    Review: { ...Review, aggregate: true },
  },
};

/** @param serverUrl the PostgreSQL server; other providers do not use it */
export async function startPortableShop(provider: TestedProvider, serverUrl: string): Promise<PortableShop> {
  const { schema, output } = await generatePortableShop(provider);
  const { PrismaClient: Client } = (await import(path.join(output, "client/client.ts"))) as {
    PrismaClient: typeof PrismaClient;
  };
  const { models } = (await import(path.join(output, "models.ts"))) as {
    models: ModelsData;
  };
  const database = await makers[provider]({ serverUrl, schema, models });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-portable-shop-"));
  let client: PrismaClient | undefined;
  const made = await service.create(
    {
      ...config,
      fileUpload: { baseUploadDir: folder },
      database: {
        models,
        client: ({ adapter }) => {
          client = new Client({ adapter: adapter as never });
          return client;
        },
      },
    } as ServiceInitConfig,
    { directory: folder, environment: { DATABASE_URL: database.url, NODE_ENV: "test", JWT_SECRET: secret }, argv: [] },
  );
  if (client === undefined) throw new Error("The service has not made a client.");
  const opened: PrismaClient = client;
  await writeRows(opened, provider);
  await new Promise<void>((resolve) => made.server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(made.server.address() as AddressInfo).port}/api`;
  return {
    provider,
    send: async ({ method, path: place, headers, body }) => {
      const response = await fetch(url + place, { method, headers, ...(body === undefined ? {} : { body }) });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    countFrom: (next) => countFrom(opened, provider, next),
    close: async () => {
      await made.close();
      await opened.$disconnect();
      await database.drop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface PortableSource {
  readonly serverUrl: string;
  /** The file of the schema. */
  readonly schema: string;
  readonly models: ModelsData;
}

/** A database with the tables of the portable schema. */
const makers: Readonly<Record<TestedProvider, (source: PortableSource) => Promise<{ url: string; drop(): unknown }>>> =
  {
    postgresql: ({ serverUrl, schema }) => createPushedDatabase(serverUrl, schema),
    sqlite: ({ schema }) => createSqliteDatabase(schema),
    mysql: ({ models }) => createMysqlDatabase(readModels(models)),
  };

/** The ids of the seed, which are the same on every provider. */
export function seededIds(): ReadonlySet<string> {
  const rows = Object.values(makeShopRows(2025)).flat() as readonly { readonly id?: unknown }[];
  return new Set(rows.flatMap(({ id }) => (typeof id === "string" ? [id] : [])));
}

/** The rows of the seed, with amounts in hundredths, and the accounts. */
async function writeRows(client: PrismaClient, provider: TestedProvider): Promise<void> {
  const rows = makeShopRows(2025);
  for (const [name, list] of steps(rows)) {
    const delegate = client[name] as unknown as { createMany(options: { data: readonly unknown[] }): Promise<unknown> };
    await delegate.createMany({ data: list.map(inHundredths) });
  }
  const pairs = rows.productTags.map(({ productId, tagId }) => `(${productId}, ${tagId})`);
  await client.$executeRawUnsafe(`INSERT INTO ${quoted(provider, "_ProductToTag")} VALUES ${pairs.join(", ")}`);
  const customers = rows.customers.slice(0, 2);
  const users = [
    { username: "ada", role: "CUSTOMER", customerId: customers[0]?.id ?? null },
    { username: "ben", role: "CUSTOMER", customerId: customers[1]?.id ?? null },
    { username: "edda", role: "STAFF", customerId: null },
    { username: "root", role: "STAFF", customerId: null, isSuperUser: true },
  ] as const;
  for (const [at, user] of users.entries())
    await client.user.create({
      data: { id: at + 1, ...user, email: `${user.username}@example.com`, password: quickHash, emailVerified: true },
    });
  await countFrom(client, provider, 10_000);
}

const steps = (rows: ShopRows) =>
  [
    ["setting", rows.settings],
    ["supplier", rows.suppliers],
    ["category", rows.categories],
    ["tag", rows.tags],
    ["product", rows.products],
    ["productImage", rows.images],
    ["productSupplier", rows.productSuppliers],
    ["customer", rows.customers],
    ["address", rows.addresses],
    ["coupon", rows.coupons],
    ["order", rows.orders],
    ["orderItem", rows.items],
    ["payment", rows.payments],
    ["review", rows.reviews],
    ["stockMovement", rows.movements],
  ] as const;

function inHundredths(row: object): object {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    amounts.has(name) && value !== null ? Math.round(Number(value) * 100) : value,
  ]);
  return Object.fromEntries(entries);
}

/** The tables whose ids count. */
const counted = [
  ...["categories", "tags", "products", "addresses", "orders", "reviews", "stock_movements", "users"],
] as const;

async function countFrom(client: PrismaClient, provider: TestedProvider, next: number): Promise<void> {
  for (const table of counted) await client.$executeRawUnsafe(counters[provider](table, next));
}

/** The statement that sets the next id of a table. */
const counters: Readonly<Record<TestedProvider, (table: string, next: number) => string>> = {
  postgresql: (table, next) => `ALTER SEQUENCE ${table}_id_seq RESTART WITH ${next}`,
  sqlite: (table, next) => `UPDATE sqlite_sequence SET seq = ${next - 1} WHERE name = '${table}'`,
  mysql: (table, next) => `ALTER TABLE ${table} AUTO_INCREMENT = ${next}`,
};

const quotes: Readonly<Record<TestedProvider, string>> = { postgresql: '"', sqlite: '"', mysql: "`" };
const quoted = (provider: TestedProvider, name: string): string => quotes[provider] + name + quotes[provider];

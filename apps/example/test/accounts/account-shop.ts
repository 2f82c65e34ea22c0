import type { AddressInfo } from "node:net";
import path from "node:path";
import { PassThrough } from "node:stream";
import service, { type AuthConfig, type Environment, type Service, type ServiceInitConfig } from "@servicekit/service";
import { pino } from "pino";
import { readAccounts } from "../../src/accounts/accounts.js";
import { makeShopConfig } from "../../src/app.js";
import { createClient } from "../../src/database.js";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import { seedAccounts, seedPassword } from "../../src/seed/accounts.js";
import { type Api, makeApi, type Reply, type Row } from "../api.js";
import { createShopDatabase } from "../shop.js";

export const secret = "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e";
export const password = seedPassword;

/** The same password at the lowest cost, so that tests are fast. */
export const quickHash = "$2b$04$87Sw9xr1/1PSaahran3.BOeigP2EFzo9LU1wz17PXIuy.ATxuBTu6";

/** The shop's rows with the accounts of the seed. */
export interface AccountDatabase {
  readonly url: string;
  readonly client: PrismaClient;
  /** The ids of a user's customer and of its rows. */
  own(
    username: string,
  ): Promise<{ id: number; customerId: string; orderId: number; addressId: number; reviewId: number }>;
  drop(): Promise<void>;
}

export async function createAccountDatabase(): Promise<AccountDatabase> {
  const created = await createShopDatabase({
    key: `accounts ${quickHash}`,
    fill: async (client) => {
      await seedAccounts(client);
      await client.user.updateMany({ data: { password: quickHash } });
    },
  });
  const client = createClient(created.url);
  return {
    url: created.url,
    client,
    own: async (username) => {
      const { id, customerId } = await client.user.findUniqueOrThrow({ where: { username } });
      const where = { customerId: customerId ?? "" };
      const order = await client.order.findFirstOrThrow({ where, orderBy: { id: "asc" } });
      const address = await client.address.findFirstOrThrow({ where, orderBy: { id: "asc" } });
      const review = await client.review.findFirstOrThrow({ where, orderBy: { id: "asc" } });
      return { id, ...where, orderId: order.id, addressId: address.id, reviewId: review.id };
    },
    drop: async () => {
      await client.$disconnect();
      await created.drop();
    },
  };
}

export interface AccountShopOptions {
  readonly database: AccountDatabase;
  readonly accounts: "static" | "dynamic";
  readonly authentication?: Partial<AuthConfig>;
  readonly config?: ServiceInitConfig;
  readonly environment?: Environment;
}

type Headers = Record<string, string>;

/** A shop with accounts, over real HTTP. */
export interface AccountShop extends Api {
  readonly url: string;
  readonly service: Service;
  /** The log. */
  log(): string;
  /** A fresh token, by a login. */
  tokenOf(username: string, withPassword?: string): Promise<string>;
  /** A request of a user, who is signed in once; anonymous for `undefined`. */
  as<Body = { data: Row }>(
    username: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers?: Headers,
  ): Promise<Reply<Body>>;
  close(): Promise<void>;
}

let signedUp = 0;
/** A new user for one test. */
export async function signUp(shop: AccountShop, more: object = {}) {
  signedUp += 1;
  const body = { username: `user${signedUp}`, email: `user${signedUp}@example.com`, password: "a long password" };
  const reply = await shop.call<{ data: Row }>("POST", "/api/auth/signup", { ...body, ...more });
  return { ...body, response: reply, id: reply.body.data?.id as number };
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The service configuration of the tests. */
export function accountConfig({ accounts, authentication, config }: Omit<AccountShopOptions, "database">) {
  const shop = makeShopConfig(readAccounts(accounts));
  return {
    ...shop,
    ...config,
    authentication: {
      mode: accounts,
      ...shop.authentication,
      password: { cost: 4 },
      rateLimit: { windowMs: 1000, limit: 1_000_000 },
      ...authentication,
    },
    models: { ...shop.models, ...config?.models },
    use: [...shop.use, ...(config?.use ?? [])],
    middlewares: { rateLimit: { limit: 1_000_000 }, ...config?.middlewares },
  } satisfies ServiceInitConfig;
}

/** Starts a shop with accounts on a free port. */
export async function startAccounts(options: AccountShopOptions): Promise<AccountShop> {
  const log = new PassThrough();
  let text = "";
  log.on("data", (chunk) => (text += chunk));
  const made = await service.create(
    { logger: pino({ level: "trace" }, log), ...accountConfig(options) },
    {
      directory: path.join(import.meta.dirname, "..", ".."),
      environment: { DATABASE_URL: options.database.url, JWT_SECRET: secret, NODE_ENV: "test", ...options.environment },
    },
  );
  await new Promise<void>((resolve) => made.server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(made.server.address() as AddressInfo).port}`;
  const api = makeApi(url);
  const tokens = new Map<string, string>();
  const tokenOf: AccountShop["tokenOf"] = async (username, withPassword = password) => {
    const reply = await api.call<{ accessToken: string }>("POST", "/api/auth/login", {
      username,
      password: withPassword,
    });
    if (reply.status !== 200) throw new Error(`${username} cannot sign in: ${reply.text}`);
    tokens.set(username, reply.body.accessToken);
    return reply.body.accessToken;
  };
  return {
    ...api,
    url,
    service: made,
    log: () => text,
    tokenOf,
    as: async <Body = { data: Row }>(
      username: string | undefined,
      method: string,
      target: string,
      body?: unknown,
      headers: Headers = {},
    ) => {
      const token = username === undefined ? undefined : (tokens.get(username) ?? (await tokenOf(username)));
      const signed = token === undefined ? headers : { authorization: `Bearer ${token}`, ...headers };
      // The pages of the documentation are not API routes, and are in no document.
      if (target.startsWith("/api/api-docs")) return readPage<Body>(url + target, method, signed);
      return api.call<Body>(method, target, body, signed);
    },
    close: () => made.close(),
  };
}

async function readPage<Body>(url: string, method: string, headers: Headers): Promise<Reply<Body>> {
  const response = await fetch(url, { method, headers, redirect: "manual" });
  return { status: response.status, headers: response.headers, text: await response.text(), body: undefined as Body };
}

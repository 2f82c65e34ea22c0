import type { AddressInfo } from "node:net";
import service, { type ServiceInitConfig } from "@servicekit/service";
import { createClient } from "../src/database.js";
import { PrismaClient } from "../src/generated/prisma/client.js";
import { models } from "../src/generated/service/models.js";
import { createAccountDatabase, password, secret } from "./accounts/account-shop.js";
import { createShopDatabase } from "./shop.js";

export interface OpenResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  readonly body: any;
  readonly text: string;
}

/** The shop's models with the umbrella, without the rest of the shop. */
export interface OpenShop {
  readonly url: string;
  readonly databaseUrl: string;
  readonly database: PrismaClient;
  /** A string body is sent unchanged. The path is below `/api`. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<OpenResponse>;
  close(): Promise<void>;
}

export const shopPaths = {
  Setting: "settings",
  Supplier: "suppliers",
  Category: "categories",
  Tag: "tags",
  Product: "products",
  ProductImage: "product-images",
  ProductSupplier: "product-suppliers",
  Customer: "customers",
  Address: "addresses",
  Coupon: "coupons",
  Order: "orders",
  OrderItem: "order-items",
  Payment: "payments",
  Review: "reviews",
  StockMovement: "stock-movements",
};

const operations = [
  ...["findMany", "findOne", "createOne", "updateOne", "deleteOne", "createMany", "updateMany", "deleteMany"],
] as const;

/**
 * The same with authentication, for an ordinary caller with full access to every model of the shop, and nothing more:
 * by a role of the configuration, or by stored permissions.
 */
export async function startGuardedShop(accounts: "static" | "dynamic", config: ServiceInitConfig): Promise<OpenShop> {
  const created = await createAccountDatabase();
  const rule = accounts === "static" ? { auth: Object.fromEntries(operations.map((name) => [name, ["STAFF"]])) } : {};
  const models = Object.fromEntries(
    Object.keys(shopPaths).map((name) => [
      name,
      { ...(config.models as Readonly<Record<string, object>> | undefined)?.[name], ...rule },
    ]),
  ) as NonNullable<ServiceInitConfig["models"]>;
  await created.client.authPermission.deleteMany({ where: { role: { name: "editor" } } });
  const resources = Object.keys(shopPaths).map((name) => name.replace(/(?<=.)[A-Z]/g, "-$&").toLowerCase());
  const create = resources.flatMap((resource) =>
    ["Create", "View", "Update", "Delete"].map((action) => ({ resource, action })),
  );
  await created.client.authRole.update({ where: { name: "editor" }, data: { permissions: { create } } });
  const shop = await serveShop(created, {
    ...config,
    models,
    authentication: { mode: accounts, password: { cost: 4 } },
  });
  const { body } = await shop.call("POST", "/auth/login", { username: "edda", password });
  const authorization = `Bearer ${body.accessToken}`;
  return {
    ...shop,
    call: (method, path, sent, headers) => shop.call(method, path, sent, { authorization, ...headers }),
    close: async () => {
      await shop.close();
      await created.client.$disconnect();
    },
  };
}

/** Starts it on a free port with a separate database; reads no file and no variable of the shop. */
export async function startOpenShop(config: ServiceInitConfig = {}): Promise<OpenShop> {
  return serveShop(await createShopDatabase(), config);
}

async function serveShop(
  created: { readonly url: string; drop(): Promise<void> },
  config: ServiceInitConfig,
): Promise<OpenShop> {
  const { server, close } = await service.create(
    {
      database: { client: ({ adapter }) => new PrismaClient({ adapter }), models },
      middlewares: { requestLogger: false, rateLimit: { limit: 10_000_000 } },
      // A busy machine must not make a test fail.
      timeouts: { poolWait: 20_000, statement: 20_000 },
      ...config,
    },
    {
      directory: import.meta.dirname,
      environment: { DATABASE_URL: created.url, NODE_ENV: "test", JWT_SECRET: secret },
      argv: [],
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const database = createClient(created.url);
  return {
    url,
    databaseUrl: created.url,
    database,
    call: async (method, path, body, headers = {}) => {
      const response = await fetch(`${url}/api${path}`, {
        method,
        headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: text === "" ? undefined : JSON.parse(text),
      };
    },
    close: async () => {
      await close();
      await database.$disconnect();
      await created.drop();
    },
  };
}

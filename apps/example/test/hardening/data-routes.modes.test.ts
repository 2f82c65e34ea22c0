import type { ModelConfig, ServiceInitConfig, TenantConfig } from "@servicekit/service";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { readAccounts } from "../../src/accounts/accounts.js";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import type { Row } from "../api.js";

const total: NonNullable<ModelConfig["computed"]> = {
  total: {
    type: z.number(),
    needs: ["unitPrice", "quantity"],
    compute: ({ unitPrice, quantity }) => Math.round(Number(unitPrice) * Number(quantity) * 100) / 100,
    sql: ({ column, sql }) => sql`${column("unitPrice")} * ${column("quantity")}`,
  },
};

/** The rules of the accounts, with every route over data. */
function everyRoute(accounts: "static" | "dynamic"): NonNullable<ServiceInitConfig["models"]> {
  const { OrderItem, Order, Tag, ...models } = readAccounts(accounts).models;
  return {
    ...models,
    OrderItem: { ...OrderItem, aggregate: true, computed: total } as ModelConfig,
    Order: { ...Order, aggregate: true, export: true } as ModelConfig,
    Tag: { ...Tag, import: true, export: true } as ModelConfig,
  };
}

const tenant: TenantConfig = {
  field: "customerId",
  of: (caller) => caller.user.customerId,
  shared: (
    "Setting Supplier Category Tag Product ProductImage ProductSupplier Coupon OrderItem Payment StockMovement " +
    "AuthRole AuthPermission Webhook"
  ).split(" "),
};

interface List {
  readonly data: Row[];
  readonly meta: { readonly total?: number; readonly count?: number; readonly statuses?: readonly number[] };
  readonly errors?: readonly { readonly path: string }[];
}

describe.each(inject("accounts"))("the routes over data, with %s accounts", (accounts) => {
  let database: AccountDatabase;
  let shop: AccountShop;
  beforeAll(async () => {
    database = await createAccountDatabase();
    shop = await startAccounts({ database, accounts, config: { models: everyRoute(accounts) } });
  });
  afterAll(async () => {
    await shop?.close();
    await database?.drop();
  });

  type Who = "ada" | "ben" | "edda" | "root" | undefined;
  const send = (who: Who, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    shop.as<List & { data: Row & Row[] }>(who, method, `/api${path}`, body, headers);
  const statuses = (path: string, method = "GET", body?: unknown) =>
    Promise.all((["root", "ada", undefined] as const).map(async (who) => (await send(who, method, path, body)).status));

  it("C101 deletes, shows and restores reviews with the right of each caller", async () => {
    const { reviewId, customerId } = await database.own("ada");
    const at = `/reviews/${reviewId}`;
    const review = await database.client.review.findUniqueOrThrow({ where: { id: reviewId } });
    const inProduct = async (): Promise<boolean> => {
      const { body } = await send(undefined, "GET", `/products/${review.productId}?include=reviews`);
      return (body.data.reviews as Row[]).some(({ id }) => id === reviewId);
    };
    expect(await inProduct()).toBe(true);
    expect((await send(undefined, "DELETE", at)).status).toBe(401);
    expect((await send("ben", "DELETE", at)).status).toBe(404);
    expect((await send("ada", "DELETE", `${at}?permanent=true`)).status).toBe(403);
    expect((await send("ada", "DELETE", at)).status).toBe(204);
    for (const who of [undefined, "ada", "root"] as const) {
      expect((await send(who, "GET", at)).status).toBe(404);
      expect((await send(who, "GET", `/reviews?id=${reviewId}`)).body.data).toEqual([]);
    }
    expect(await inProduct()).toBe(false);
    expect((await send("ada", "DELETE", at)).status).toBe(404);
    expect(await statuses(`${at}?deleted=include`)).toEqual([200, 403, 401]);
    expect((await send("edda", "GET", "/reviews?deleted=only")).body.data).toMatchObject([{ id: reviewId }]);
    // The partial index allows a new review of the same product.
    const fresh = await send("ada", "POST", "/reviews", {
      productId: review.productId,
      customerId,
      rating: 5,
      body: "b",
    });
    expect(fresh.status).toBe(201);
    expect((await send(undefined, "POST", `${at}/restore`)).status).toBe(401);
    expect((await send("ben", "POST", `${at}/restore`)).status).toBe(404);
    const taken = await send("ada", "POST", `${at}/restore`);
    expect([taken.status, (taken.body as unknown as { code: string }).code]).toEqual([409, "UniqueConstraint"]);
    expect((await send("root", "DELETE", `/reviews/${fresh.body.data.id}?permanent=true`)).status).toBe(204);
    expect(await database.client.review.count({ where: { id: Number(fresh.body.data.id) } })).toBe(0);
    const restored = await send("ada", "POST", `${at}/restore`);
    expect([restored.status, restored.body.data.id]).toEqual([200, reviewId]);
    expect(await inProduct()).toBe(true);
    expect(await database.client.review.findUnique({ where: { id: reviewId } })).toEqual(review);
    expect((await send("ada", "PATCH", at, { deletedAt: "2026-01-01T00:00:00Z" })).status).toBe(400);
  });

  it("C98 aggregates the orders that the caller may list", async () => {
    const path = "/orders/aggregate?groupBy=status&count=true&sum=total&sort=status";
    for (const who of ["ada", "root"] as const) {
      const orders = (await send(who, "GET", "/orders?limit=100&sort=id&fields=status,total&count=true")).body;
      const { body } = await send(who, "GET", path);
      const count = body.data.reduce((sum, group) => sum + Number(group.count), 0);
      expect(count).toBe(orders.meta.total);
      if (orders.data.length < Number(orders.meta.total)) continue;
      const cents = (rows: readonly Row[], amount: (row: Row) => unknown) =>
        rows.reduce((sum, row) => sum + Math.round(Number(amount(row)) * 100), 0);
      expect(cents(body.data, ({ sum }) => (sum as Row).total)).toBe(cents(orders.data, (row) => row.total));
    }
    expect(await statuses(path)).toEqual([200, 200, 401]);
  });

  it("C99 creates and replaces rows by PUT, and synchronises rows by a unique key", async () => {
    const path = "/settings/walk.hours";
    expect(await statuses(path, "PUT", { value: 1 })).toEqual([201, 403, 401]);
    expect((await send("root", "PUT", path, { value: 2 })).status).toBe(200);
    expect((await send("root", "PUT", path, { value: 3 }, { "if-none-match": "*" })).status).toBe(412);
    const many = "/tags/many?onConflict=name";
    expect((await send("ada", "POST", many, [{ name: "walk" }])).status).toBe(403);
    expect((await send(undefined, "POST", many, [{ name: "walk" }])).status).toBe(401);
    expect((await send("edda", "POST", many, [{ name: "walk" }])).status).toBe(201);
    expect((await send("edda", "POST", many, [{ name: "walk" }, { name: "walk 2" }])).body.meta.statuses).toEqual([
      200, 201,
    ]);
  });

  it("C102 filters and sorts by a computed field", async () => {
    for (const who of ["ada", "root"] as const) {
      const all = (await send(who, "GET", "/order-items?limit=100&sort=-total,orderId,line")).body.data;
      const totals = all.map((row) => Number(row.total));
      expect(totals).toEqual([...totals].sort((a, b) => b - a));
      expect(all.map((row) => row.total)).toEqual(
        all.map(({ unitPrice, quantity }) => Math.round(Number(unitPrice) * Number(quantity) * 100) / 100),
      );
      const [middle = 0] = totals.slice(Math.floor(totals.length / 2));
      const found = await send(who, "GET", `/order-items?total__gte=${middle}&limit=100&sort=-total,orderId,line`);
      expect(found.body.data).toEqual(
        all.filter((row) => Number(row.total) >= middle).slice(0, found.body.data.length),
      );
    }
    expect(await statuses("/order-items?total__gte=1")).toEqual([200, 200, 401]);
    const resources = (await send("ada", "GET", "/available-resources")).body.data;
    const { fields } = resources.find(({ name }) => name === "order-item") as { fields: Row[] };
    expect(fields.find(({ name }) => name === "total")).toMatchObject({ computed: true, queryable: true });
    const sums = await send("ada", "GET", "/order-items/aggregate?count=true&total__gte=1");
    expect(sums.body.data).toMatchObject([
      { count: (await send("ada", "GET", "/order-items?total__gte=1")).body.meta.total },
    ]);
  });

  it("C103 searches products for every caller", async () => {
    const [product] = await database.client.product.findMany({
      where: { status: "ACTIVE" },
      take: 1,
      orderBy: { id: "asc" },
    });
    const word = encodeURIComponent(product?.name ?? "");
    for (const who of [undefined, "ada", "root"] as const) {
      const { status, body } = await send(who, "GET", `/products?search=${word}&limit=100`);
      expect([status, body.data.some(({ id }) => id === product?.id)]).toEqual([200, true]);
      expect((await send(who, "GET", "/products?search=the")).body.meta.total).toBe(0);
    }
  });

  it("C104 exports the orders of the caller, and imports tags after a dry run", async () => {
    const csv = async (who: Who, path: string): Promise<string[]> => {
      const headers = { accept: "text/csv", ...(who === undefined ? {} : bearer(await shop.tokenOf(who))) };
      const response = await fetch(`${shop.url}/api${path}`, { headers });
      return response.status === 200 ? (await response.text()).trim().split("\r\n") : [String(response.status)];
    };
    for (const who of ["ada", "root"] as const) {
      const { meta } = (await send(who, "GET", "/orders?limit=1")).body;
      const lines = await csv(who, "/orders?fields=id,status&sort=id");
      expect([lines[0], lines.length]).toEqual(["id,status", Number(meta.total) + 1]);
    }
    expect(await csv(undefined, "/orders")).toEqual(["401"]);
    const post = async (who: Who, query: string, body: string) => {
      const headers = { "content-type": "text/csv", ...(who === undefined ? {} : bearer(await shop.tokenOf(who))) };
      const response = await fetch(`${shop.url}/api/tags/many${query}`, { method: "POST", headers, body });
      return { status: response.status, body: (await response.json()) as List };
    };
    const file = "name\r\nimported 1\r\nimported 2\r\n";
    expect(await post("edda", "?dryRun=true", file)).toMatchObject({ status: 200, body: { meta: { count: 2 } } });
    expect(await database.client.tag.count({ where: { name: { startsWith: "imported" } } })).toBe(0);
    const wrong = await post("edda", "?dryRun=true", `name\r\n${"x".repeat(41)}\r\n`);
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([400, expect.stringContaining("line 2")]);
    expect((await post("ada", "", file)).status).toBe(403);
    expect((await post(undefined, "", file)).status).toBe(401);
    expect((await post("edda", "", file)).status).toBe(201);
    expect(await csv(undefined, "/tags?name__startsWith=imported&fields=name&sort=name")).toEqual([
      "name",
      "imported 1",
      "imported 2",
    ]);
  });
});

describe.each(inject("accounts"))("C100 a tenant for each customer, with %s accounts", (accounts) => {
  it("C100 shows rows of the caller's customer only, on the routes over data too", async () => {
    const database = await createAccountDatabase();
    const models = everyRoute(accounts);
    const shop = await startAccounts({ database, accounts, config: { models, tenant } });
    try {
      const ada = await database.own("ada");
      const ben = await database.own("ben");
      const count = async (who: string | undefined, path: string) =>
        (await shop.as<List>(who, "GET", `/api${path}`)).body.meta?.total;
      expect(await count("ada", "/orders")).toBe(
        await database.client.order.count({ where: { customerId: ada.customerId } }),
      );
      expect(await count("root", "/orders")).toBe(await database.client.order.count());
      // The staff has no customer.
      expect(await count("edda", "/reviews?deleted=include")).toBe(0);
      expect((await shop.as("ada", "DELETE", `/api/reviews/${ben.reviewId}`)).status).toBe(404);
      expect((await shop.as("ada", "DELETE", `/api/reviews/${ada.reviewId}`)).status).toBe(204);
      expect((await shop.as("ben", "POST", `/api/reviews/${ada.reviewId}/restore`)).status).toBe(404);
      expect((await shop.as("ada", "POST", `/api/reviews/${ada.reviewId}/restore`)).status).toBe(200);
      const { body } = await shop.as<List>("ada", "GET", "/api/orders/aggregate?count=true");
      expect(body.data).toEqual([{ count: await count("ada", "/orders") }]);
      const given = await shop.as("ada", "POST", "/api/reviews", {
        ...{ productId: 1, rating: 5, body: "b", customerId: ben.customerId },
      });
      expect(given.status).toBe(400);
      expect((await shop.as(undefined, "GET", "/api/orders")).status).toBe(401);
    } finally {
      await shop.close();
      await database.drop();
    }
  });
});

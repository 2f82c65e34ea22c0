import type { DatabaseConfig, ServiceInitConfig } from "@servicekit/service";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createProviderDatabase, type TestedProvider } from "../../../../scripts/test/provider-database.js";
import type { PrismaClient } from "../generated/trash/client/client.js";
import { emptyTrash, isTested, trashClients, trashModels } from "./trash-clients.js";

const tables = ["Customer", "Order", "Item", "Product", "Part", "Invoice", "Event", "Tag", "Folder", "Seat"] as const;

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  readonly body: any;
}
type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;

const { init, closeAll, logged } = makeStarter();
let provider: TestedProvider;
let created: Awaited<ReturnType<typeof createProviderDatabase>>;
let client: PrismaClient;

/** Deletes all rows and starts the ids again. */
const empty = (...names: readonly string[]): Promise<void> => emptyTrash(provider, created.url, client, names);

const softModels: NonNullable<ServiceInitConfig["models"]> = {
  Customer: { softDelete: true, upsert: true, aggregate: true },
  Order: { softDelete: { keep: ["events"] }, upsert: true, aggregate: true },
  Item: { softDelete: { field: "removedAt" } },
  Product: { softDelete: true, export: true, import: true },
  Part: { softDelete: true },
  Tag: { softDelete: true },
  Folder: { softDelete: true },
  Seat: { softDelete: true, upsert: true },
};

async function start(config: ServiceInitConfig = {}, engine: DatabaseConfig["engine"] = "auto") {
  const { url, openapi } = await init(
    {
      middlewares: { rateLimit: { limit: 1_000_000 } },
      models: softModels,
      database: {
        models: trashModels[provider],
        engine,
        client: ({ adapter }) => {
          client = new trashClients[provider]({ adapter: adapter as never });
          return client;
        },
      },
      ...config,
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: created.url, JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e" } },
  );
  const call: Call = async (method, at, body, headers = {}) => {
    const response = await fetch(`${url}/api/${at}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  };
  return { url, call, openapi };
}

const places = (body: { errors?: { in: string; path: string }[] }) =>
  body.errors?.map((issue) => `${issue.in} ${issue.path}`);

/** Two customers; the first one has two orders with items. */
async function fill(): Promise<void> {
  await empty(...tables, "_OrderToTag");
  await client.customer.createMany({ data: ["ann", "bob"].map((name) => ({ name, email: `${name}@example.com` })) });
  await client.product.create({ data: { name: "pen" } });
  await client.tag.createMany({ data: [{ name: "red" }, { name: "blue" }] });
  for (const [number, customerId] of [
    ["A", 1],
    ["B", 1],
    ["C", 2],
  ] as const) {
    await client.order.create({
      data: {
        ...{ number, customerId, total: 10 },
        items: { create: [{ sku: "x", productId: 1 }, { sku: "y" }] },
        events: { create: { text: "created" } },
        tags: { connect: [{ name: "red" }] },
      },
    });
  }
}

const variants = (
  [
    ["postgresql", "auto"],
    ["postgresql", "prisma"],
    ["sqlite", "prisma"],
    ["mysql", "prisma"],
  ] as const
).filter(([name]) => isTested(name));

describe.each(variants)("C101 soft delete on %s with the engine %s", (database, engine) => {
  let call: Call;
  let url: string;
  let openapi: Awaited<ReturnType<typeof start>>["openapi"];
  beforeAll(async () => {
    provider = database;
    created = await createProviderDatabase(provider, inject("postgresUrl"), {
      project: "apps/integration",
      fixture: "trash",
    });
    ({ call, url, openapi } = await start({}, engine));
  });
  afterAll(async () => {
    await closeAll();
    await created?.drop();
  });
  beforeEach(fill);

  it("C104 exports deleted rows only with the parameter deleted, and imports none", async () => {
    await call("POST", "products", { name: "ink" });
    await call("DELETE", "products/1");
    const lines = async (query = "") => {
      const response = await fetch(`${url}/api/products${query}`, { headers: { accept: "application/x-ndjson" } });
      return (await response.text())
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line).name);
    };
    expect(await lines()).toEqual(["ink"]);
    expect(await lines("?deleted=only")).toEqual(["pen"]);
    expect(await lines("?deleted=include&sort=id")).toEqual(["pen", "ink"]);
    const imported = await fetch(`${url}/api/products/many`, {
      method: "POST",
      headers: { "content-type": "text/csv" },
      body: "name,deletedAt\nhat,2026-01-01\n",
    });
    expect([imported.status, (await imported.json()).errors[0].path]).toEqual([
      400,
      expect.stringContaining("deletedAt"),
    ]);
  });

  it("sets the date in place of deleting, and responds as if the row did not exist", async () => {
    const before = Date.now();
    expect(await call("DELETE", "orders/1")).toMatchObject({ status: 204, body: undefined });
    const { deletedAt } = await client.order.findUniqueOrThrow({ where: { id: 1 } });
    expect(deletedAt?.getTime()).toBeGreaterThanOrEqual(before);
    expect(deletedAt?.getTime()).toBeLessThanOrEqual(Date.now() + 5);
    for (const [method, body] of [
      ["GET"],
      ["PATCH", { status: "x" }],
      ["DELETE"],
      ["PUT", { number: "A", customerId: 1 }],
    ] as const)
      expect(await call(method, "orders/1", body)).toMatchObject({ status: 404, body: { code: "NotFound" } });
    const { body } = await call("GET", "orders");
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual([2, 3]);
    expect(body.meta.total).toBe(2);
    expect((await call("GET", "orders?cursor=&limit=1&sort=-id")).body.meta.total).toBe(2);
    expect((await call("GET", "orders?search=A")).body.data).toEqual([]);
    expect((await call("GET", "orders/aggregate?count=true&sum=total")).body.data).toMatchObject([
      { count: 2, sum: { total: "20" } },
    ]);
  });

  it("hides deleted rows in includes, in relation filters, and behind foreign keys", async () => {
    await call("DELETE", "customers/2");
    await call("DELETE", "orders/1");
    const { body } = await call("GET", "customers/1?include=orders.items,orders.tags");
    expect(body.data.orders).toMatchObject([{ id: 2, items: [{ id: 3 }, { id: 4 }], tags: [{ name: "red" }] }]);
    expect((await call("GET", "customers?orders__number=A")).body.data).toEqual([]);
    expect((await call("GET", "tags?orders__number=A")).body.data).toEqual([]);
    expect((await call("GET", "invoices?include=order")).body.data).toEqual([]);
    expect((await call("GET", "events/1?include=order")).body.data).toMatchObject({ orderId: 1, order: null });
    expect((await call("GET", "events?order__number=A")).body.data).toEqual([]);
    expect((await call("GET", "events/aggregate?groupBy=order.number&count=true")).status).toBe(404);
    expect((await call("GET", "events?sort=order.number")).status).toBe(400);
    const refused = await call("POST", "invoices", { number: "1", orderId: 1 });
    expect(refused).toMatchObject({ status: 400, body: { code: "RelatedRecordNotFound" } });
    expect(places(refused.body)).toEqual(["body /orderId"]);
    expect((await call("POST", "invoices", { number: "1", order: { id: 1 } })).status).toBe(400);
    expect((await call("PATCH", "tags/red", { orders: [{ id: 1, status: "x" }] })).status).toBe(400);
    expect((await call("PATCH", "customers/1", { orders: [{ id: 1 }] })).status).toBe(400);
    expect((await client.order.findUniqueOrThrow({ where: { id: 1 } })).status).toBe("open");
  });

  it("documents the parameters, the route and its responses, only of models with soft delete", async () => {
    // biome-ignore lint/suspicious/noExplicitAny: the document is searched
    const { paths, components } = (await openapi()) as any;
    const names = (at: string, method: string) =>
      paths[at][method].parameters.map(
        ({ name, $ref = "" }: { name?: string; $ref?: string }) =>
          name ?? components.parameters[$ref.slice($ref.lastIndexOf("/") + 1)].name,
      );
    expect(names("/api/orders", "get")).toContain("deleted");
    expect(names("/api/orders/{id}", "get")).toContain("deleted");
    expect(names("/api/orders/aggregate", "get")).toContain("deleted");
    expect(names("/api/orders/{id}", "delete")).toContain("permanent");
    expect(names("/api/orders/many", "delete")).toEqual(expect.arrayContaining(["permanent", "deleted"]));
    expect(paths["/api/orders/{id}/restore"].post).toMatchObject({
      summary: "Restore an order",
      responses: { 200: { description: "The restored row." }, 404: {}, 409: {} },
    });
    expect(names("/api/orders/{id}/restore", "post")).toEqual(expect.arrayContaining(["id", "If-Match"]));
    expect(JSON.stringify(components.responses)).toContain("NotDeleted");
    expect(paths["/api/orders/{id}/restore"].post.requestBody).toBeUndefined();
    expect(names("/api/events", "get")).not.toContain("deleted");
    expect(paths["/api/events/{id}/restore"]).toBeUndefined();
  });

  it("does not take the date from bodies", async () => {
    const body = { name: "c", email: "c@example.com", deletedAt: new Date().toISOString() };
    expect(await call("POST", "customers", body)).toMatchObject({ status: 400 });
    expect(await call("PATCH", "customers/1", { deletedAt: null })).toMatchObject({ status: 400 });
    expect(await call("PATCH", "items/1", { removedAt: null })).toMatchObject({ status: 400 });
  });

  it("deletes and restores many levels of rows together, and nothing else", async () => {
    expect((await call("DELETE", "items/1")).status).toBe(204);
    expect((await call("DELETE", "orders/2")).status).toBe(204);
    expect((await call("DELETE", "customers/1")).status).toBe(204);
    expect(await client.order.count({ where: { deletedAt: null } })).toBe(1);
    expect(await client.item.count({ where: { removedAt: null } })).toBe(2);
    expect(await client.event.count()).toBe(3);
    const restored = await call("POST", "customers/1/restore");
    expect(restored).toMatchObject({ status: 200, body: { data: { id: 1, name: "ann", deletedAt: null } } });
    expect((await call("GET", "customers/1")).headers.get("etag")).toBe(restored.headers.get("etag"));
    const { body } = await call("GET", "customers/1?include=orders.items");
    expect(body.data.orders).toMatchObject([{ id: 1, items: [{ id: 2 }] }]);
    const again = await call("POST", "orders/2/restore");
    expect(again.status).toBe(200);
    expect((await call("GET", "orders/2?include=items")).body.data.items).toHaveLength(2);
  });

  it("returns 409 for a row that is not deleted or belongs to a deleted one, and 404 for a missing one", async () => {
    expect(await call("POST", "orders/1/restore")).toMatchObject({ status: 409, body: { code: "NotDeleted" } });
    expect(await call("POST", "orders/99/restore")).toMatchObject({ status: 404, body: { code: "NotFound" } });
    expect(await call("POST", "orders/x/restore")).toMatchObject({ status: 404 });
    await call("DELETE", "customers/1");
    const refused = await call("POST", "orders/1/restore");
    expect(refused).toMatchObject({ status: 409, body: { code: "ForeignKeyConstraint" } });
    expect(places(refused.body)).toEqual(["body /customer"]);
    expect(await client.order.count({ where: { deletedAt: null } })).toBe(1);
    expect((await call("GET", "orders/1/restore")).status).toBe(405);
  });

  // MySQL has no partial indexes.
  if (database === "mysql")
    it("C119 logs which unique values deleted rows occupy, without a partial index", async () => {
      const messages = () =>
        logged().flatMap(({ msg }) => (String(msg).startsWith("Deleted rows of Order ") ? [msg] : []));
      await vi.waitFor(() => expect(messages()).not.toEqual([]));
      expect(messages()).toEqual([
        "Deleted rows of Order occupy their number (unique index Order_number_key): new rows cannot have the same values. Restore such a row, or delete it permanently.",
      ]);
    });
  else
    it("names the fields of rows that took the unique values meanwhile", async () => {
      await client.$executeRawUnsafe(`DROP INDEX "Order_number_key"`);
      await client.$executeRawUnsafe(
        `CREATE UNIQUE INDEX "Order_number_key" ON "Order" (number) WHERE "deletedAt" IS NULL`,
      );
      await client.$executeRawUnsafe(`DROP INDEX "Customer_email_key"`);
      await client.$executeRawUnsafe(
        `CREATE UNIQUE INDEX "Customer_email_key" ON "Customer" (email) WHERE "deletedAt" IS NULL`,
      );
      try {
        await call("DELETE", "orders/1");
        expect((await call("POST", "orders", { number: "A", customerId: 1 })).status).toBe(201);
        const refused = await call("POST", "orders/1/restore");
        expect(refused).toMatchObject({ status: 409, body: { code: "UniqueConstraint" } });
        expect(places(refused.body)).toEqual(["body /number"]);
        await call("DELETE", "customers/2");
        expect((await call("POST", "orders", { number: "C", customerId: 1 })).status).toBe(201);
        const below = await call("POST", "customers/2/restore");
        expect(below).toMatchObject({ status: 409, body: { code: "UniqueConstraint" } });
        expect(places(below.body)).toEqual(["body /orders/number"]);
        expect((await call("GET", "customers/2")).status).toBe(404);
      } finally {
        await empty(...tables);
        await client.$executeRawUnsafe(`DROP INDEX "Order_number_key"`);
        await client.$executeRawUnsafe(`CREATE UNIQUE INDEX "Order_number_key" ON "Order" (number)`);
        await client.$executeRawUnsafe(`DROP INDEX "Customer_email_key"`);
        await client.$executeRawUnsafe(`CREATE UNIQUE INDEX "Customer_email_key" ON "Customer" (email)`);
      }
    });

  it("does not change a deleted row by an upsert", async () => {
    await call("DELETE", "orders/1");
    const refused = await call("POST", "orders/many?onConflict=number", [
      { number: "A", customerId: 1, status: "new" },
    ]);
    expect(refused).toMatchObject({ status: 409, body: { code: "UniqueConstraint" } });
    expect((await client.order.findUniqueOrThrow({ where: { id: 1 } })).status).toBe("open");
    await client.seat.create({ data: { row: 1, place: 2, deletedAt: new Date() } });
    expect((await call("PUT", "seats/1,2", { guest: "x" })).status).toBe(404);
    expect((await call("POST", "seats", { row: 1, place: 2 })).status).toBe(409);
  });

  it("returns 409 while rows that the schema restricts exist, and counts deleted ones as missing", async () => {
    await client.part.create({ data: { name: "cap", productId: 1 } });
    expect(await call("DELETE", "products/1")).toMatchObject({ status: 409, body: { code: "ForeignKeyConstraint" } });
    expect((await call("GET", "products/1")).status).toBe(200);
    expect((await call("DELETE", "parts/1")).status).toBe(204);
    expect((await call("DELETE", "products/1")).status).toBe(204);
    // A reference that the schema sets to null stays, so that a restore brings it back.
    expect((await call("GET", "items/1?include=product")).body.data).toMatchObject({ productId: 1, product: null });
    expect(await call("POST", "parts/1/restore")).toMatchObject({
      status: 409,
      body: { code: "ForeignKeyConstraint" },
    });
    expect((await call("POST", "products/1/restore")).status).toBe(200);
    expect((await call("POST", "parts/1/restore")).status).toBe(200);
    expect((await call("GET", "items/1?include=product")).body.data.product).toMatchObject({ id: 1 });
    await client.invoice.create({ data: { number: "1", orderId: 1 } });
    expect((await call("DELETE", "customers/1")).status).toBe(409);
    expect(await client.order.count({ where: { deletedAt: null } })).toBe(3);
  });

  it("ends at rows that are reached twice: trees, and cycles", async () => {
    await client.folder.createMany({
      data: Array.from({ length: 40 }, (_, at) => ({ name: String(at), ...(at === 0 ? {} : { parentId: at }) })),
    });
    await client.folder.update({ where: { id: 1 }, data: { parentId: 40, homeId: 20 } });
    // MySQL may leave out ids after many rows.
    const { id: self } = await client.folder.create({ data: { name: "self" } });
    await client.folder.update({ where: { id: self }, data: { homeId: self, parentId: self } });
    expect((await call("DELETE", "folders/7")).status).toBe(204);
    expect(await client.folder.count({ where: { deletedAt: null } })).toBe(1);
    expect((await call("DELETE", `folders/${self}`)).status).toBe(204);
    expect((await call("POST", "folders/30/restore")).status).toBe(200);
    expect(await client.folder.count({ where: { deletedAt: null } })).toBe(40);
  });

  it("deletes and restores more related rows than one statement changes", async () => {
    await client.item.createMany({ data: Array.from({ length: 2500 }, (_, at) => ({ sku: `n${at}`, orderId: 1 })) });
    expect((await call("DELETE", "customers/1")).status).toBe(204);
    expect(await client.item.count({ where: { removedAt: null } })).toBe(2);
    expect((await call("POST", "customers/1/restore")).status).toBe(200);
    expect(await client.item.count({ where: { removedAt: null } })).toBe(2506);
  });

  it("deletes and restores rows by keys of two fields", async () => {
    await client.seat.createMany({
      data: [
        { row: 1, place: 1 },
        { row: 1, place: 2 },
        { row: 2, place: 1 },
      ],
    });
    expect((await call("DELETE", "seats/1,2")).status).toBe(204);
    expect(await call("DELETE", "seats/many", { ids: ["1,1", "1,2"] })).toMatchObject({ status: 404 });
    expect(await call("DELETE", "seats/many", { ids: ["1,1", "2,1"] })).toMatchObject({
      status: 200,
      body: { meta: { count: 2 } },
    });
    expect((await call("POST", "seats/1,2/restore")).body.data).toMatchObject({ row: 1, place: 2, deletedAt: null });
    expect(await client.seat.count()).toBe(3);
  });

  it("deletes many rows by a filter, with what belongs to them", async () => {
    expect(await call("DELETE", "orders/many?customerId=1")).toMatchObject({
      status: 200,
      body: { meta: { count: 2 } },
    });
    expect(await call("DELETE", "orders/many?customerId=1")).toMatchObject({
      status: 200,
      body: { meta: { count: 0 } },
    });
    expect(await client.item.count({ where: { removedAt: null } })).toBe(2);
    expect(await client.order.count()).toBe(3);
  });

  it("marks rows that a body deletes", async () => {
    const { body } = await call("PATCH", "orders/1", {
      items: [{ $delete: true, id: 1 }],
      tags: [{ $delete: true, name: "red" }],
    });
    expect(body.data).toMatchObject({ id: 1 });
    expect((await client.item.findUniqueOrThrow({ where: { id: 1 } })).removedAt).not.toBeNull();
    expect((await client.tag.findUniqueOrThrow({ where: { name: "red" } })).deletedAt).not.toBeNull();
    expect((await call("GET", "orders/1?include=items")).body.data.items).toHaveLength(1);
    expect((await call("PATCH", "customers/1", { orders: [{ $delete: true, id: 1 }] })).status).toBe(200);
    expect(await client.item.count({ where: { removedAt: null } })).toBe(4);
  });

  it("reads deleted rows with deleted, also one, with its tag", async () => {
    await call("DELETE", "orders/1");
    const ids = async (query: string) =>
      (await call("GET", `orders${query}`)).body.data.map(({ id }: { id: number }) => id);
    expect(await ids("?deleted=only")).toEqual([1]);
    expect(await ids("?deleted=include")).toEqual([1, 2, 3]);
    expect(await ids("?deleted=exclude")).toEqual([2, 3]);
    expect(await ids("?deleted=only&number=B")).toEqual([]);
    expect(await ids("?deletedAt__isNull=false")).toEqual([]);
    expect((await call("GET", "orders/aggregate?count=true&deleted=only")).body.data).toMatchObject([{ count: 1 }]);
    expect((await call("GET", "orders?deleted=only&include=customer,items")).body.data).toMatchObject([
      { customer: { id: 1 }, items: [] },
    ]);
    expect(await call("GET", "orders/1?deleted=include")).toMatchObject({ status: 200, body: { data: { id: 1 } } });
    expect((await call("GET", "orders/2?deleted=only")).status).toBe(404);
    for (const query of ["deleted=yes", "deleted=only&deleted=only", "deleted=", "permanent=true"])
      expect(await call("GET", `orders?${query}`), query).toMatchObject({ status: 400 });
    for (const query of ["deleted=only", "permanent=true"])
      expect(await call("GET", `events?${query}`), query).toMatchObject({ status: 400 });
    expect((await call("PATCH", "orders/2?deleted=include", { status: "x" })).status).toBe(400);
    expect((await call("DELETE", "events/1?permanent=true")).status).toBe(400);
    expect((await call("DELETE", "orders/1?deleted=only")).status).toBe(400);
  });

  it("restores only the row of If-Match", async () => {
    await call("DELETE", "orders/1");
    const tag = (await call("GET", "orders/1?deleted=only")).headers.get("etag") ?? "";
    expect(tag).toMatch(/^"/);
    expect((await call("POST", "orders/1/restore", undefined, { "if-match": '"old"' })).status).toBe(412);
    expect((await call("POST", "orders/1/restore", undefined, { "if-match": tag })).status).toBe(200);
  });

  it("deletes permanently, what is deleted and what is not", async () => {
    await call("DELETE", "orders/1");
    expect((await call("DELETE", "orders/1?permanent=true")).status).toBe(204);
    expect((await call("DELETE", "orders/2?permanent=true")).status).toBe(204);
    expect((await call("DELETE", "orders/2?permanent=true")).status).toBe(404);
    expect((await client.order.findMany()).map(({ id }) => id)).toEqual([3]);
    expect(await client.item.count()).toBe(2);
    await call("DELETE", "orders/3");
    expect(await call("DELETE", "orders/many?permanent=true&status=open")).toMatchObject({
      body: { meta: { count: 0 } },
    });
    expect(await call("DELETE", "orders/many?permanent=true&deleted=only")).toMatchObject({
      status: 400,
      body: { code: "MissingFilter" },
    });
    expect(await call("DELETE", "orders/many?deleted=only&status=open")).toMatchObject({ status: 400 });
    expect(await call("DELETE", "orders/many?permanent=true&deleted=only&status=open")).toMatchObject({
      body: { meta: { count: 1 } },
    });
    await call("DELETE", "customers/2");
    expect(await call("DELETE", "customers/many?permanent=true", { ids: [1, 2] })).toMatchObject({ status: 200 });
    expect(await client.customer.count()).toBe(0);
  });

  it("deletes and restores once of several requests at the same time", async () => {
    const deletes = await Promise.all(Array.from({ length: 6 }, () => call("DELETE", "customers/1")));
    expect(deletes.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404, 404, 404]);
    const restores = await Promise.all(Array.from({ length: 6 }, () => call("POST", "customers/1/restore")));
    expect(restores.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        call("DELETE", "customers/1"),
        call("POST", "customers/1/restore"),
        call("DELETE", "orders/1"),
        call("POST", "orders/1/restore"),
      ]);
      const { deletedAt } = await client.customer.findUniqueOrThrow({ where: { id: 1 } });
      const second = await client.order.findUniqueOrThrow({ where: { id: 2 } });
      expect(second.deletedAt).toEqual(deletedAt);
      // No row is restored below one that is deleted at the same time.
      const first = await client.order.findUniqueOrThrow({ where: { id: 1 } });
      if (deletedAt !== null) expect(first.deletedAt).not.toBeNull();
      await call("POST", "customers/1/restore");
      await call("POST", "orders/1/restore");
    }
  });

  it("keeps deletions of the same millisecond apart, by the clocks of two processes", async () => {
    const time = Date.now() + 60_000;
    const other = await start({}, engine);
    vi.spyOn(Date, "now").mockReturnValue(time);
    expect((await call("DELETE", "items/1")).status).toBe(204);
    expect((await other.call("DELETE", "orders/2")).status).toBe(204);
    const { call: third } = await start({}, engine);
    expect((await third("DELETE", "customers/1")).status).toBe(204);
    vi.restoreAllMocks();
    expect((await call("POST", "customers/1/restore")).status).toBe(200);
    expect((await call("GET", "customers/1?include=orders.items")).body.data.orders).toMatchObject([
      { id: 1, items: [{ id: 2 }] },
    ]);
    expect((await call("POST", "orders/2/restore")).status).toBe(200);
    expect((await call("GET", "orders/2?include=items")).body.data.items).toHaveLength(2);
  });
});

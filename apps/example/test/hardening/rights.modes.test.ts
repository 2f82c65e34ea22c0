import type { ServiceInitConfig } from "@servicekit/service";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import {
  type AccountDatabase,
  type AccountShop,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import type { Problem, Reply, Row } from "../api.js";

type Models = NonNullable<ServiceInitConfig["models"]>;
type Reported = Reply<{ data: Row & Row[]; meta: Row } & Problem>;

let database: AccountDatabase;
beforeAll(async () => {
  database = await createAccountDatabase();
});
afterAll(() => database?.drop());

/** The visible part of an error, except for the request id. */
const plain = ({ status, text }: Reported): string =>
  `${status} ${text.replace(/"(instance|requestId)":"[^"]*"/g, "").replace(/"path":"[^"]*"/g, "")}`;

const closed = {
  ...{ findMany: false, findOne: false, createOne: false, updateOne: false },
  ...{ deleteOne: false, createMany: false, updateMany: false, deleteMany: false },
} as const;

describe.each(inject("accounts"))("C57 access rules apply on every path, with %s accounts", (accounts) => {
  let shop: AccountShop;
  const opened: AccountShop[] = [];
  const open = async (models: Models): Promise<AccountShop> => {
    const made = await startAccounts({ database, accounts, config: { models } });
    opened.push(made);
    return made;
  };
  const call = (
    who: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    where = shop,
  ): Promise<Reported> => where.as(who, method, `/api${path}`, body) as Promise<Reported>;
  /** Gives a stored role more permissions for one test; in static mode the configuration does. */
  const permit = async (name: string, resource: string, ...actions: readonly string[]): Promise<void> => {
    const data = actions.map((action) => ({ resource, action }));
    await database.client.authRole.update({ where: { name }, data: { permissions: { createMany: { data } } } });
  };

  beforeAll(async () => {
    shop = await startAccounts({ database, accounts });
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  afterAll(() => shop?.close());

  describe("a write through a relation requires the permission of the direct request", () => {
    it("a payment cannot be moved without write access to payments", async () => {
      const { id, orderId } = await database.client.payment.findFirstOrThrow({ where: { order: { payment: {} } } });
      const other = await database.client.order.findFirstOrThrow({ where: { payment: null } });
      const who = accounts === "static" ? "edda" : "will";
      expect((await call(who, "PATCH", `/payments/${id}`, { orderId: other.id })).status).toBe(403);
      for (const body of [
        { payment: { id } },
        { payment: { $disconnect: true, id } },
        { payment: { $delete: true } },
      ]) {
        expect((await call(who, "PATCH", `/orders/${other.id}`, body)).status).toBe(400);
      }
      expect(await database.client.payment.findUniqueOrThrow({ where: { id } })).toMatchObject({ orderId });
    });

    it("the lines of an order cannot be changed with view access only", async () => {
      const line = await database.client.orderItem.findFirstOrThrow({ orderBy: { orderId: "desc" } });
      const key = { orderId: line.orderId, line: line.line };
      const count = await database.client.orderItem.count();
      for (const items of [
        [{ ...key, unitPrice: "0.01" }],
        [{ $delete: true, ...key }],
        [{ line: 99, quantity: 1, unitPrice: "1.00", productId: line.productId }],
      ]) {
        const response = await call("will", "PATCH", `/orders/${line.orderId}`, { items });
        expect([response.status, response.body.code]).toEqual([400, "RelatedRecordNotFound"]);
        expect(response.body.errors?.map(({ path }) => path)).toEqual(["/items/0"]);
      }
      const absent = await call("will", "PATCH", `/orders/${line.orderId}`, {
        items: [{ $delete: true, orderId: line.orderId, line: 98 }],
      });
      const present = await call("will", "PATCH", `/orders/${line.orderId}`, { items: [{ $delete: true, ...key }] });
      expect(plain(present)).toBe(plain(absent));
      expect(await database.client.orderItem.count()).toBe(count);
      const where = { orderId_line: key };
      expect(await database.client.orderItem.findUniqueOrThrow({ where })).toEqual(line);
    });

    it("a shipped order cannot be redirected by its customer", async () => {
      const { id: userId, customerId, orderId } = await database.own("ada");
      expect(userId).toBeTypeOf("number");
      const before = await database.client.order.findUniqueOrThrow({ where: { id: orderId } });
      const address = {
        ...{ label: `away ${accounts}`, street: "1 Elsewhere", postalCode: "1000", city: "Away", country: "BE" },
        customerId,
      };
      for (const shipments of [[{ id: orderId }], [{ id: 999_999 }]]) {
        expect((await call("ada", "POST", "/addresses", { ...address, shipments })).status).toBe(400);
      }
      expect(await database.client.order.findUniqueOrThrow({ where: { id: orderId } })).toEqual(before);
    });

    it("reviews and orders of others cannot be taken over", async () => {
      const [ada, ben] = [await database.own("ada"), await database.own("ben")];
      const path = `/customers/${ada.customerId}`;
      const reviews = await call("ada", "PATCH", path, { reviews: [{ id: ben.reviewId }] });
      expect([reviews.status, reviews.body.code]).toEqual([400, "RelatedRecordNotFound"]);
      expect(plain(await call("ada", "PATCH", path, { reviews: [{ id: 999_999 }] }))).toBe(plain(reviews));
      const orders = await call("ada", "PATCH", path, { orders: [{ id: ben.orderId }] });
      expect(plain(await call("ada", "PATCH", path, { orders: [{ id: 999_999 }] }))).toBe(plain(orders));
      expect(orders.status).toBe(400);
      expect(await database.own("ben")).toEqual(ben);
    });
  });

  it("the default filter of a model, and its omitted fields, apply in every read and write of it", async () => {
    const draft = await database.client.product.findFirstOrThrow({ where: { status: { not: "ACTIVE" } } });
    const query = { findMany: { where: { status: "ACTIVE" }, omit: { description: true } } } as const;
    const staff = accounts === "static" ? { updateOne: ["STAFF"], updateMany: ["STAFF"] } : {};
    const here = await open({
      Product: { query, auth: { findMany: false, findOne: false, ...staff } },
      Category: { auth: { findMany: false, findOne: false, ...staff } },
    });
    const get = (path: string) => call(undefined, "GET", path, undefined, here);
    const category = `/categories/${draft.categoryId}`;
    const { body } = await get(`${category}?include=products`);
    const products = body.data.products as Row[];
    expect(products.length).toBeGreaterThan(0);
    expect(products.filter((row) => row.status !== "ACTIVE" || "description" in row)).toEqual([]);
    for (const path of [
      "/products?description__contains=a",
      "/products?sort=description",
      "/products?fields=description",
      "/categories?products__description__contains=a",
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 400]);
    }
    const listed = (await get(`/categories?products__id=${draft.id}`)).body.data;
    expect(listed).toEqual([]);
    const name = { name: "Renamed" };
    expect((await call("edda", "PATCH", `/products/${draft.id}`, name, here)).status).toBe(404);
    expect((await call("edda", "PATCH", `/products/many?id=${draft.id}`, name, here)).body.meta).toEqual({ count: 0 });
    const connect = { products: [{ id: draft.id }] };
    expect((await call("edda", "PATCH", "/categories/1", connect, here)).body.code).toBe("RelatedRecordNotFound");
    expect(await database.client.product.findUniqueOrThrow({ where: { id: draft.id } })).toEqual(draft);
  });

  it("C85 an administrator who is not a superuser creates users, and sets their passwords if that is delegated by name", async () => {
    const roles = accounts === "static" ? ["STAFF"] : [];
    if (accounts === "dynamic") await permit("editor", "user", "View", "Create", "Update");
    const auth = { findMany: roles, findOne: roles, createOne: roles, updateOne: roles };
    const here = await open({ User: { auth }, Payment: { auth: {} } });
    const user = { username: `new-${accounts}`, email: `new-${accounts}@example.com`, password: "pine and harbour" };
    const made = await call("edda", "POST", "/users", user, here);
    expect([made.status, "password" in made.body.data]).toEqual([201, false]);
    expect(await here.tokenOf(user.username, user.password)).toBeTypeOf("string");
    const path = `/users/${made.body.data.id}`;
    expect((await call("edda", "PATCH", path, { password: "another harbour" }, here)).status).toBe(403);
    const delegated = await open({ User: { auth, writable: ["password"] }, Payment: { auth: {} } });
    const changed = await call("edda", "PATCH", path, { password: "another harbour" }, delegated);
    expect([changed.status, "password" in changed.body.data]).toEqual([200, false]);
    expect(await here.tokenOf(user.username, "another harbour")).toBeTypeOf("string");
    expect((await call("edda", "GET", "/users?password__contains=a", undefined, here)).status).toBe(400);
  });

  it("C64 a model without an enabled operation is in no view, for reads and writes, including superusers", async () => {
    const payment = await database.client.payment.findFirstOrThrow();
    const here = await open({ Payment: { operations: closed }, Order: { writable: ["payment"] } });
    const order = `/orders/${payment.orderId}`;
    for (const query of ["include=payment", "payment__method=CARD", "sort=payment.method", "payment__isNull=true"]) {
      expect([query, (await call("root", "GET", `/orders?${query}`, undefined, here)).status]).toEqual([query, 400]);
    }
    for (const given of [{ id: payment.id, amountCents: "1" }, { id: payment.id }, { $delete: true }, null]) {
      expect((await call("root", "PATCH", order, { payment: given }, here)).status).toBe(400);
    }
    expect(await database.client.payment.findUniqueOrThrow({ where: { id: payment.id } })).toEqual(payment);
    const document = await call("root", "GET", "/api-docs.json", undefined, here);
    expect(document.text).not.toContain("Payment");
    const resources = await call("root", "GET", "/available-resources", undefined, here);
    expect(resources.text).not.toContain("Payment");
  });

  it("a disabled model is read and written through others if it is reachable", async () => {
    const payment = await database.client.payment.findFirstOrThrow();
    const here = await open({
      Payment: { operations: closed, reachable: true },
      Order: { writable: ["payment"] },
    });
    const order = `/orders/${payment.orderId}`;
    const read = await call("root", "GET", `${order}?include=payment`, undefined, here);
    expect(read.body.data.payment).toMatchObject({ id: payment.id });
    const change = { payment: { id: payment.id, method: payment.method } };
    expect((await call("root", "PATCH", order, change, here)).status).toBe(200);
    expect((await call("root", "GET", "/payments", undefined, here)).status).toBe(404);
  });

  it("a nested row is validated by the schema of its own model", async () => {
    const review = await database.client.review.findFirstOrThrow();
    const body = z
      .string()
      .min(10)
      .transform((text) => text.trim());
    const update = z.strictObject({ body: body.optional() });
    const create = z.strictObject({ rating: z.int(), body, productId: z.int(), customerId: z.string() });
    const here = await open({ Review: { schemas: { create, update } }, Customer: { writable: ["reviews"] } });
    const path = `/customers/${review.customerId}`;
    const put = (row: object) => call("root", "PATCH", path, { reviews: [row] }, here);
    for (const changes of [{ title: "Not in the schema" }, { body: "short" }]) {
      expect((await call("root", "PATCH", `/reviews/${review.id}`, changes, here)).status).toBe(400);
      const nested = await put({ id: review.id, ...changes });
      expect([nested.status, nested.body.errors?.[0]?.path]).toEqual([400, `/reviews/0/${Object.keys(changes)[0]}`]);
    }
    expect((await put({ id: review.id, body: `  ${review.body} and more  ` })).status).toBe(200);
    const after = await database.client.review.findUniqueOrThrow({ where: { id: review.id } });
    expect(after).toEqual({ ...review, body: `${review.body} and more` });
  });

  it("the response of a write contains what may be read, and a filter requires read access", async () => {
    const movement = await database.client.stockMovement.findFirstOrThrow();
    if (accounts === "dynamic") await permit("editor", "stock-movement", "Update", "Create");
    const auth = { updateOne: ["STAFF"], updateMany: ["STAFF"], createOne: ["STAFF"] };
    const here = await open({ StockMovement: { auth: accounts === "static" ? auth : {} } });
    const path = `/stock-movements/${movement.id}`;
    expect((await call("edda", "GET", path, undefined, here)).status).toBe(403);
    const changed = await call("edda", "PATCH", path, {}, here);
    expect([changed.status, changed.text, changed.headers.get("etag")]).toEqual([204, "", null]);
    const made = await call(
      "edda",
      "POST",
      "/stock-movements",
      { reason: "STOCKTAKE", quantity: 1, productId: movement.productId },
      here,
    );
    expect([made.status, made.text]).toEqual([201, ""]);
    expect(made.headers.get("location")).toMatch(/^\/api\/stock-movements\/\d+$/);
    for (const note of ["a", "zzzz"]) {
      const response = await call("edda", "PATCH", `/stock-movements/many?note__icontains=${note}`, { note }, here);
      expect([response.status, response.body.code]).toEqual([403, "Forbidden"]);
    }
    const after = await database.client.stockMovement.findUniqueOrThrow({ where: { id: movement.id } });
    expect(after).toEqual(movement);
  });
});

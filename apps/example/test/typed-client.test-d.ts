import { ApiError, type ComputedOf, isApiError, makeClient, type Row, type WithComputed } from "@servicekit/client";
import { describe, expectTypeOf, it } from "vitest";
import type { Api } from "../src/generated/service/api.js";
import type address from "../src/modules/address/address.model.js";
import type { Routes } from "./typed-client.js";

const shop = makeClient<Api, Routes>({ baseUrl: "http://localhost:8000" });
type Product = Api["products"]["row"];
type Category = Api["categories"]["row"];

describe("C74 the type of a response follows the request", () => {
  it("has exactly the requested fields and relations", async () => {
    const { data } = await shop.products.list({
      where: { price: { lt: 20 }, category: { name: "Mugs" } },
      include: { category: true },
      fields: ["id", "name"],
      sort: ["-price"],
    });
    expectTypeOf(data).toEqualTypeOf<{ id: number; name: string; category: Category }[]>();
    // @ts-expect-error a missing row is no value
    const first: string = data[0].name;
    const name: string | undefined = data[0]?.name;
    // @ts-expect-error a name is not a number
    const id: string | undefined = data[0]?.id;
    // @ts-expect-error the price was not requested
    const price = data[0]?.price;
    expectTypeOf([first, name, id, price]).toBeArray();
  });

  it("has the default fields if none are requested, and nothing hidden", async () => {
    const { data } = await shop.products.list();
    expectTypeOf(data).toEqualTypeOf<Product[]>();
    expectTypeOf<Product["price"]>().toEqualTypeOf<string>();
    expectTypeOf<Product["weight"]>().toEqualTypeOf<number | null>();
    expectTypeOf<Product["releasedOn"]>().toEqualTypeOf<string | null>();
    expectTypeOf<Product["status"]>().toEqualTypeOf<"DRAFT" | "ACTIVE" | "RUNNING_OUT" | "DISCONTINUED">();
    expectTypeOf<Api["productImages"]["row"]["thumbnail"]>().toEqualTypeOf<string>();
    expectTypeOf<Api["customers"]["row"]["loyaltyPoints"]>().toEqualTypeOf<string>();
    expectTypeOf<Product>().not.toHaveProperty("purchasePrice");
    expectTypeOf<Api["payments"]["row"]>().not.toHaveProperty("cardToken");
    expectTypeOf<Api["users"]["row"]>().not.toHaveProperty("password");
    expectTypeOf<Api["customers"]["relations"]>().not.toHaveProperty("user");
  });

  it("omits the fields with a minus", async () => {
    const { data } = await shop.categories.read(1, { fields: ["-slug", "-position"] });
    expectTypeOf(data).toEqualTypeOf<{ id: number; name: string; parentId: number | null }>();
  });

  it("nests relations: one row, one or none, many", async () => {
    const { data } = await shop.orders.read(1, {
      fields: ["id"],
      include: { customer: true, coupon: true, items: { product: { category: true } } },
    });
    expectTypeOf(data.customer).toEqualTypeOf<Api["customers"]["row"]>();
    expectTypeOf(data.coupon).toEqualTypeOf<Api["coupons"]["row"] | null>();
    expectTypeOf(data.items[0]?.product.category.name).toEqualTypeOf<string | undefined>();
    expectTypeOf<keyof typeof data>().toEqualTypeOf<"id" | "customer" | "coupon" | "items">();
    expectTypeOf<Row<Api, "tags", ["name"]>>().toEqualTypeOf<{ name: string }>();
  });

  it("makes fields optional if their names are not known statically", async () => {
    const names: ("id" | "name")[] = [];
    const { data } = await shop.tags.list({ fields: names });
    expectTypeOf(data).toEqualTypeOf<{ id?: number; name?: string }[]>();
  });

  it("types pages with the same rows", async () => {
    for await (const { data } of shop.tags.pages({ fields: ["name"] })) {
      expectTypeOf(data).toEqualTypeOf<{ name: string }[]>();
    }
  });
});

describe("C74 rejects what the service rejects", () => {
  it("in fields, relations and orders", () => {
    // @ts-expect-error the field does not exist
    void shop.products.list({ fields: ["id", "nome"] });
    // @ts-expect-error the purchase price is hidden
    void shop.products.list({ fields: ["purchasePrice"] });
    // @ts-expect-error either included or excluded fields
    void shop.products.list({ fields: ["id", "-name"] });
    // @ts-expect-error the relation does not exist
    void shop.products.list({ include: { category: true, categroy: true } });
    // @ts-expect-error also in nested relations
    void shop.products.list({ include: { reviews: { customer: true, author: true } } });
    void shop.products.list({ sort: ["-price", "category.name", "category.parent.slug"] });
    // @ts-expect-error a to-many relation cannot be sorted by
    void shop.products.list({ sort: ["tags.name"] });
    // @ts-expect-error JSON cannot be sorted by
    void shop.products.list({ sort: ["attributes"] });
    // @ts-expect-error a misspelled option
    void shop.products.list({ wher: {} });
  });

  it("in filters", () => {
    void shop.products.list({
      where: {
        status: ["ACTIVE", "DRAFT"],
        name: { icontains: "mug", not: "x" },
        weight: null,
        releasedOn: { gte: "2026-01-01", isNull: false },
        channels: { has: "WEB" },
        category: { parent: { name: { startsWith: "C" } } },
        reviews: { none: { rating: { lt: 3 } } },
        OR: [{ price: { gt: "10.00" } }, { NOT: { stock: 0 } }],
      },
    });
    // @ts-expect-error the status does not exist
    void shop.products.list({ where: { status: "SOLD" } });
    // @ts-expect-error a name is never null
    void shop.products.list({ where: { name: null } });
    // @ts-expect-error a number has no startsWith
    void shop.products.list({ where: { stock: { startsWith: "1" } } });
    // @ts-expect-error the field does not exist
    void shop.products.list({ where: { category: { title: "Mugs" } } });
    // @ts-expect-error the purchase price is hidden
    void shop.products.list({ where: { purchasePrice: { gt: 1 } } });
  });

  it("in keys and bodies", () => {
    void shop.orderItems.read([1, 2]);
    void shop.coupons.read("FLASH7.5");
    // @ts-expect-error the key has two fields
    void shop.orderItems.read(1);
    // @ts-expect-error a number
    void shop.products.read("1");
    void shop.products.create({ sku: "A", name: "Mug", price: "1.00", categoryId: 1, tags: [{ name: "tin" }] });
    void shop.products.create({ sku: "A", name: "Mug", price: 1, category: { slug: "mugs" } });
    // @ts-expect-error a product has a category
    void shop.products.create({ sku: "A", name: "Mug", price: 1 });
    // @ts-expect-error the key or the relation, not both
    void shop.products.create({ sku: "A", name: "Mug", price: 1, categoryId: 1, category: { id: 1 } });
    // @ts-expect-error the stock is read-only
    void shop.products.update(1, { stock: 3 });
    void shop.orders.update(1, { items: [{ orderId: 1, line: 1, quantity: 2 }], coupon: { code: "FLASH7.5" } });
    // @ts-expect-error tags can be connected, not created
    void shop.products.update(1, { tags: [{ colour: "red" }] });
    void shop.tags.updateMany([{ id: 1, name: "red" }]);
    void shop.tags.updateMany({ where: { name: "rde" }, data: { name: "red" } });
    // @ts-expect-error either keys or a filter
    void shop.tags.deleteMany({});
  });

  it("in models and declared routes", async () => {
    // @ts-expect-error the model does not exist
    void shop.prodcuts;
    const shipped = await shop.route("POST /api/orders/:id/ship", { params: { id: 1 } });
    expectTypeOf(shipped.data.status).toEqualTypeOf<"SHIPPED">();
    const sold = await shop.route("GET /api/reports/best-sellers");
    expectTypeOf(sold.data[0]?.revenue).toEqualTypeOf<string | undefined>();
    // @ts-expect-error the route does not exist
    void shop.route("GET /api/reports");
    // @ts-expect-error its path has a parameter
    void shop.route("POST /api/orders/:id/ship");
    // @ts-expect-error a limit is a number
    void shop.route("GET /api/reports/best-sellers", { query: { limit: "all" } });
  });

  it("C74 types the codes of problems, and supports those of an application", () => {
    const error: unknown = undefined;
    if (isApiError(error, "UniqueConstraint")) expectTypeOf(error).toEqualTypeOf<ApiError<"UniqueConstraint">>();
    if (isApiError(error, "OutOfStock")) expectTypeOf(error.code).toEqualTypeOf<"OutOfStock">();
    if (isApiError(error)) expectTypeOf(error.errors[0]?.path).toEqualTypeOf<string | undefined>();
  });
});

describe("C74, C99 the client replaces rows with complete bodies", () => {
  it("requires the required fields, and foreign keys in place of relations", async () => {
    const { data } = await shop.tags.replace(1, { name: "new" });
    expectTypeOf(data).toEqualTypeOf<Api["tags"]["row"]>();
    // @ts-expect-error a tag needs a name
    await shop.tags.replace(1, {});
    await shop.orderItems.replace([1, 2], { orderId: 1, line: 2, productId: 3, quantity: 1, unitPrice: "1.00" });
    // @ts-expect-error a relation is set by its foreign key
    await shop.orderItems.replace([1, 2], { order: { id: 1 }, line: 2, productId: 3, quantity: 1, unitPrice: "1.00" });
  });

  it("returns the status of each row of a bulk with onConflict only", async () => {
    const upserted = await shop.tags.createMany([{ name: "a" }], { onConflict: "name", resolution: "ignore" });
    expectTypeOf(upserted.meta).toEqualTypeOf<{ count: number; statuses: (200 | 201)[] }>();
    const created = await shop.tags.createMany([{ name: "a" }]);
    expectTypeOf(created.meta).toEqualTypeOf<{ count: number }>();
    await shop.suppliers.createMany([], { onConflict: ["name", "country"] });
    // @ts-expect-error the field does not exist
    await shop.tags.createMany([{ name: "a" }], { onConflict: "title" });
    // @ts-expect-error the resolution does not exist
    await shop.tags.createMany([{ name: "a" }], { onConflict: "name", resolution: "replace" });
  });
});

describe("C102 computed fields are those of the configuration of a model", () => {
  const typed = makeClient<WithComputed<Api, { addresses: ComputedOf<typeof address> }>>();

  it("in rows, included rows and fields", () => {
    const list = () => typed.addresses.list({ fields: ["id", "formatted"] });
    expectTypeOf<Awaited<ReturnType<typeof list>>["data"]>().toEqualTypeOf<{ id: number; formatted: string }[]>();
    const read = () => typed.orders.read(1, { include: { shippingAddress: true } });
    type Order = Awaited<ReturnType<typeof read>>["data"];
    expectTypeOf<Order["shippingAddress"]["formatted"]>().toEqualTypeOf<string>();
    // @ts-expect-error not an order
    typed.addresses.list({ sort: ["formatted"] });
  });
});

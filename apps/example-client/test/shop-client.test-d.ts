import { makeShopClient, type Schemas } from "@servicekit/example-client";
import { describe, expectTypeOf, it } from "vitest";

const shop = makeShopClient("http://localhost:8000");

describe("C47 a client generated from the document", () => {
  it("types rows, pages and the formats of values", async () => {
    const { data: page } = await shop.GET("/api/products", {
      params: { query: { status: { equals: "ACTIVE" }, price: { lt: "50" } } },
    });
    expectTypeOf(page?.meta.total).toEqualTypeOf<number | undefined>();
    const { data: read } = await shop.GET("/api/orders/{id}", { params: { path: { id: "1" } } });
    expectTypeOf(read?.data.total).toEqualTypeOf<string | undefined>();
    const { data: made } = await shop.POST("/api/tags", { body: { name: "for cyclists" } });
    expectTypeOf(made?.data.name).toEqualTypeOf<string | undefined>();
    const { data: gone } = await shop.DELETE("/api/tags/{id}", { params: { path: { id: "1" } } });
    expectTypeOf(gone).toEqualTypeOf<undefined>();
  });

  it("types every field of a row as present, and relations as present if they are included", () => {
    expectTypeOf<Schemas["Product"]["name"]>().toEqualTypeOf<string>();
    expectTypeOf<Schemas["Product"]["weight"]>().toEqualTypeOf<number | null>();
    expectTypeOf<Schemas["ProductPage"]["data"]>().toEqualTypeOf<Schemas["Product"][]>();
    expectTypeOf<Schemas["Product"]["category"]>().toEqualTypeOf<Schemas["Category"] | undefined>();
  });

  it("types every operator of a field", async () => {
    const text: Schemas["TextFilter"] = { icontains: "tin", in: "tin,can", not: "mug", endsWith: "s" };
    const day: Schemas["NullableDateFilter"] = { gte: "2026-01-01", isNull: false };
    await shop.GET("/api/products", { params: { query: { name: text, releasedOn: day } } });
    // @ts-expect-error a name has no operators of lists
    await shop.GET("/api/products", { params: { query: { name: { hasSome: "a" } } } });
  });

  it("types every error by its status and code", async () => {
    const { error } = await shop.POST("/api/tags", { body: { name: "for cyclists" } });
    expectTypeOf(error?.detail).toEqualTypeOf<string | undefined>();
    expectTypeOf(error?.code).toExtend<string | undefined>();
  });

  it("rejects what the API rejects", async () => {
    // @ts-expect-error the path does not exist
    await shop.GET("/api/product");
    // @ts-expect-error the path parameters are required
    await shop.GET("/api/products/{id}");
    // @ts-expect-error the status does not exist
    await shop.GET("/api/products", { params: { query: { status: { equals: "SOLD" } } } });
    // @ts-expect-error the purchase price is hidden
    await shop.GET("/api/products", { params: { query: { purchasePrice: { gt: "1" } } } });
    // @ts-expect-error page is a number
    await shop.GET("/api/products", { params: { query: { page: "first" } } });
    // @ts-expect-error a tag requires a name
    await shop.POST("/api/tags", { body: {} });
    // @ts-expect-error position is a number
    await shop.POST("/api/categories", { body: { name: "Tents", slug: "tents", position: "first" } });
    // @ts-expect-error a delete requires an id
    await shop.DELETE("/api/tags/{id}");
  });

  it("connects, creates and changes through relations", async () => {
    const items = [{ product: { id: 3 }, line: 1, quantity: 2, unitPrice: "9.95" }];
    await shop.PATCH("/api/orders/{id}", {
      params: { path: { id: "1" } },
      body: { coupon: { code: "FLASH7.5" }, items },
    });
    // @ts-expect-error the code of a coupon is a string
    await shop.PATCH("/api/orders/{id}", { params: { path: { id: "1" } }, body: { coupon: { code: 7.5 } } });
  });

  it("has named body types, which accept no other key", () => {
    const tag: Schemas["TagCreate"] = { name: "red" };
    expectTypeOf(tag.name).toEqualTypeOf<string>();
    // @ts-expect-error a tag has no field color
    const coloured: Schemas["TagCreate"] = { name: "red", colour: "red" };
    // @ts-expect-error the stock is read-only
    const stocked: Schemas["ProductUpdate"] = { stock: 3 };
    // @ts-expect-error a coupon is connected by its code
    const discounted: Schemas["OrderUpdate"] = { coupon: { name: "FLASH7.5" } };
    expectTypeOf([coloured, stocked, discounted]).toBeArray();
  });
});

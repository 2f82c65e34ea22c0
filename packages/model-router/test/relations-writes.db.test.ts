import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { fillRelations, type Relations, startRelations, writableRelations } from "./relations.js";
import type { TestResponse } from "./serve-models.js";

let stored: Relations;
beforeAll(async () => {
  stored = await startRelations(inject("postgresUrl"), { models: writableRelations });
});
afterAll(() => stored?.close());

beforeEach(() => fillRelations(stored));

const post = (path: string, body: unknown) => stored.call("POST", path, body);
const patch = (path: string, body: unknown) => stored.call("PATCH", path, body);
const count = async (table: string) =>
  Number((await stored.sql<{ n: bigint }>(`SELECT count(*) AS n FROM "${table}"`))[0]?.n);
const paths = ({ body }: TestResponse) => body.errors?.map(({ path }: { path: string }) => path);

describe("C13 a to-one relation that is stored in the row", () => {
  it("C13 connects by the id, in place of the required foreign key", async () => {
    const order = await post("/orders", { total: "5" });
    const { status, body } = await post("/lines", {
      quantity: 1,
      price: "5",
      order: { id: order.body.data.id },
      product: { id: 2 },
    });
    expect([status, body.data]).toEqual([201, { id: 1, quantity: 1, price: "5.00", orderId: 1, productId: 2 }]);
  });

  it("C13 connects by another unique field, and by two together", async () => {
    const { body } = await post("/articles", { title: "a", owner: { email: "bob@x" } });
    expect(body.data.ownerId).toBe(2);
    expect((await post("/articles", { title: "b", owner: { id: 1, email: "ann@x" } })).body.data.ownerId).toBe(1);
    const other = await post("/articles", { title: "c", owner: { id: 1, email: "bob@x" } });
    expect([other.status, other.body.code, paths(other)]).toEqual([400, "RelatedRecordNotFound", ["/owner"]]);
  });

  it("C13 an object without an id creates; on update one with an id and more updates", async () => {
    const made = await post("/articles", { title: "a", owner: { name: "Cid", email: "cid@x" } });
    expect([made.status, made.body.data.ownerId]).toEqual([201, 3]);
    const changed = await patch("/articles/1", { title: "b", owner: { id: 3, name: "Sid" } });
    expect([changed.status, changed.body.data.ownerId, changed.body.data.title]).toEqual([200, 3, "b"]);
    expect(await stored.sql(`SELECT name, email FROM "Owner" WHERE id = 3`)).toEqual([{ name: "Sid", email: "cid@x" }]);
    const unique = await patch("/articles/1", { owner: { id: 3, email: "sid@x" } });
    expect(unique.status).toBe(200);
    expect(await stored.sql(`SELECT email FROM "Owner" WHERE id = 3`)).toEqual([{ email: "sid@x" }]);
  });

  it("C13 updates only the row that this one is related to", async () => {
    await post("/articles", { title: "a", owner: { id: 1 } });
    const other = await patch("/articles/1", { title: "x", owner: { id: 2, name: "stolen" } });
    expect([other.status, other.body.code, paths(other)]).toEqual([400, "RelatedRecordNotFound", ["/owner"]]);
    const absent = await patch("/articles/1", { title: "x", owner: { id: 99, name: "stolen" } });
    expect(absent.body.detail).toBe(other.body.detail);
    expect(await stored.sql(`SELECT name FROM "Owner" ORDER BY id`)).toEqual([{ name: "Ann" }, { name: "Bob" }]);
    expect((await stored.sql(`SELECT title FROM "Article"`))[0]).toEqual({ title: "a" });
  });

  it("C13 null disconnects an optional one, and a required one cannot be removed", async () => {
    await post("/articles", { title: "a", owner: { id: 1 } });
    expect((await patch("/articles/1", { owner: null })).body.data.ownerId).toBeNull();
    await patch("/articles/1", { owner: { id: 1 } });
    expect((await patch("/articles/1", { owner: { $disconnect: true, id: 1 } })).body.data.ownerId).toBeNull();
    await patch("/articles/1", { owner: { id: 1 } });
    const wrong = await patch("/articles/1", { owner: { $disconnect: true, id: 2 } });
    expect([wrong.status, paths(wrong)]).toEqual([400, ["/owner"]]);
    const order = await post("/orders", { total: "1", lines: [{ quantity: 1, price: 1, productId: 1 }] });
    expect(order.status).toBe(201);
    const rejected = await patch("/lines/1", { order: null });
    expect([rejected.status, paths(rejected)]).toEqual([400, ["/order"]]);
  });

  it("C13 $delete deletes the referenced row", async () => {
    await post("/articles", { title: "a", owner: { id: 1 } });
    const { status, body } = await patch("/articles/1", { owner: { $delete: true, id: 1 } });
    expect([status, body.data.ownerId]).toEqual([200, null]);
    expect(await count("Owner")).toBe(1);
  });

  it("C13 connects by a compound id, and to a text id", async () => {
    await post("/stocks", { productId: 1, shelfCode: "A1", amount: 3 });
    const made = await post("/counts", { number: 3, stock: { productId: 1, shelfCode: "A1" } });
    expect([made.status, made.body.data]).toEqual([201, { id: 1, number: 3, productId: 1, shelfCode: "A1" }]);
    const missing = await post("/counts", { number: 3, stock: { productId: 1, shelfCode: "A2" } });
    expect([missing.status, paths(missing)]).toEqual([400, ["/stock"]]);
    const stock = await post("/stocks", { product: { name: "nut" }, shelf: { code: "A2" } });
    expect(stock.body.data).toEqual({ productId: 2, shelfCode: "A2", amount: 0 });
  });

  it("C13 a foreign key and its relation in one object is 400, even if they agree", async () => {
    const both = await post("/articles", { title: "a", ownerId: 1, owner: { id: 1 } });
    expect([both.status, paths(both)]).toEqual([400, ["/owner"]]);
    const neither = await post("/lines", { quantity: 1, price: 1, order: { id: 1 } });
    expect([neither.status, neither.body.errors]).toEqual([
      400,
      [{ in: "body", path: "/productId", code: "RequiredValue", message: "This is required." }],
    ]);
  });

  it("C17 names the relation, not the foreign key, if the related row is missing", async () => {
    const { status, body } = await post("/articles", { title: "a", owner: { id: 99 } });
    expect([status, body.code, body.errors[0].path]).toEqual([400, "RelatedRecordNotFound", "/owner"]);
    const plain = await post("/articles", { title: "a", ownerId: 99 });
    expect([plain.status, plain.body.code, paths(plain)]).toEqual([400, "RelatedRecordNotFound", ["/ownerId"]]);
  });
});

describe("C13 a to-many relation that is stored in the related rows", () => {
  const lines = (...productIds: number[]) => productIds.map((productId) => ({ quantity: 1, price: "2.5", productId }));

  it("C13 creates an order with its lines in one request", async () => {
    const { status, body, headers } = await post("/orders", { total: "5", lines: lines(1, 2) });
    expect([status, headers.get("location")]).toEqual([201, "/api/orders/1"]);
    expect(body.data).toEqual({ id: 1, total: "5.00", rate: "0", whole: "0", cash: "0.00", payerId: null });
    expect(await stored.sql(`SELECT "orderId", "productId" FROM "Line" ORDER BY id`)).toEqual([
      { orderId: 1, productId: 1 },
      { orderId: 1, productId: 2 },
    ]);
  });

  it("C13 writes nothing if the second line references a missing product, and names the place", async () => {
    const response = await post("/orders", { total: "5", lines: lines(1, 99) });
    expect([response.status, response.body.code, paths(response)]).toEqual([
      400,
      "RelatedRecordNotFound",
      ["/lines/1/productId"],
    ]);
    expect([await count("Order"), await count("Line")]).toEqual([0, 0]);
    const byName = await post("/orders", {
      total: "5",
      lines: [...lines(1), { quantity: 1, price: 1, product: { name: "no such" } }],
    });
    expect([byName.status, paths(byName)]).toEqual([400, ["/lines/1/product"]]);
    expect([await count("Order"), await count("Line")]).toEqual([0, 0]);
  });

  it("C13 a list mixes updates, deletes and new rows", async () => {
    await post("/orders", { total: "5", lines: lines(1, 2, 3) });
    const { status } = await patch("/orders/1", {
      total: "9",
      lines: [
        { id: 1, quantity: 7, product: { id: 3 } },
        { $delete: true, id: 2 },
        { quantity: 4, price: 1, product: { name: "nut" } },
      ],
    });
    expect(status).toBe(200);
    expect(await stored.sql(`SELECT id, quantity, "productId" FROM "Line" ORDER BY id`)).toEqual([
      { id: 1, quantity: 7, productId: 3 },
      { id: 3, quantity: 1, productId: 3 },
      { id: 4, quantity: 4, productId: 2 },
    ]);
  });

  it("C13 updates, deletes and disconnects only rows of this one, otherwise nothing at all", async () => {
    await post("/orders", { total: "5", lines: lines(1) });
    await post("/orders", { total: "6", lines: lines(2) });
    for (const item of [
      { id: 2, quantity: 9 },
      { $delete: true, id: 2 },
      { id: 99, quantity: 9 },
      { $delete: true, id: 99 },
    ]) {
      const response = await patch("/orders/1", { total: "0", lines: [{ id: 1, quantity: 5 }, item] });
      expect([response.status, response.body.code, paths(response)]).toEqual([
        400,
        "RelatedRecordNotFound",
        ["/lines/1"],
      ]);
    }
    expect(await stored.sql(`SELECT quantity FROM "Line" ORDER BY id`)).toEqual([{ quantity: 1 }, { quantity: 1 }]);
    expect((await stored.call("GET", "/orders/1")).body.data.total).toBe("5.00");
  });

  it("C13 connects existing rows, and disconnects optional ones", async () => {
    await post("/articles", { title: "a" });
    await post("/articles", { title: "b" });
    const made = await post("/owners", { name: "C", email: "c@x", articles: [{ id: 1 }, { id: 2 }] });
    expect(made.status).toBe(201);
    expect(await stored.sql(`SELECT "ownerId" FROM "Article"`)).toEqual([{ ownerId: 3 }, { ownerId: 3 }]);
    await patch("/owners/3", { articles: [{ $disconnect: true, id: 1 }] });
    expect(await stored.sql(`SELECT "ownerId" FROM "Article" ORDER BY id`)).toEqual([
      { ownerId: null },
      { ownerId: 3 },
    ]);
    await post("/orders", { total: "5", lines: lines(1) });
    const alone = await patch("/orders/1", { lines: [{ $disconnect: true, id: 1 }] });
    expect([alone.status, paths(alone)]).toEqual([400, ["/lines/0"]]);
  });

  it("C13 names the nested place of a unique violation", async () => {
    const response = await post("/articles", {
      title: "a",
      notes: [
        { text: "x", rank: 1 },
        { text: "y", rank: 1 },
      ],
    });
    expect([response.status, response.body.code, paths(response)]).toEqual([
      409,
      "UniqueConstraint",
      ["/notes/1", "/notes/1/rank"],
    ]);
    const slug = await post("/owners", {
      name: "C",
      email: "c@x",
      articles: [
        { title: "a", slug: "s" },
        { title: "b", slug: "s" },
      ],
    });
    expect([slug.status, paths(slug)]).toEqual([409, ["/articles/1/slug"]]);
    expect([await count("Article"), await count("Owner")]).toEqual([0, 2]);
  });

  it("C13 an explicit many-to-many is created and updated through its own rows", async () => {
    const made = await post("/products", {
      name: "screw",
      stock: [{ shelfCode: "A1", amount: 2 }, { shelf: { code: "A2" } }],
    });
    expect(made.status).toBe(201);
    expect(await count("Stock")).toBe(2);
    const changed = await patch("/products/4", {
      stock: [
        { productId: 4, shelfCode: "A1", amount: 5 },
        { $delete: true, productId: 4, shelfCode: "A2" },
      ],
    });
    expect(changed.status).toBe(200);
    expect(await stored.sql(`SELECT "shelfCode", amount FROM "Stock"`)).toEqual([{ shelfCode: "A1", amount: 5 }]);
    const deep = await post("/products", { name: "peg", stock: [{ shelfCode: "A1", counts: [{ number: 7 }] }] });
    expect(deep.status).toBe(201);
    expect(await stored.sql(`SELECT "productId", "shelfCode", number FROM "Count"`)).toEqual([
      { productId: 5, shelfCode: "A1", number: 7 },
    ]);
  });
});

describe("C13 other relations", () => {
  it("C13 one-to-one from the side without the key: create, replace, update, empty", async () => {
    await post("/articles", { title: "a", summary: { text: "one" } });
    const [first] = await stored.sql<{ id: string }>(`SELECT id FROM "Summary"`);
    expect((await patch("/articles/1", { summary: { id: first?.id, text: "more" } })).status).toBe(200);
    expect((await patch("/articles/1", { summary: { text: "two" } })).status).toBe(200);
    expect(await stored.sql(`SELECT text, "articleId" FROM "Summary" ORDER BY text`)).toEqual([
      { text: "more", articleId: null },
      { text: "two", articleId: 1 },
    ]);
    expect((await patch("/articles/1", { summary: { id: first?.id } })).status).toBe(200);
    expect(await stored.sql(`SELECT text, "articleId" FROM "Summary" ORDER BY text`)).toEqual([
      { text: "more", articleId: 1 },
      { text: "two", articleId: null },
    ]);
    expect((await patch("/articles/1", { summary: null })).status).toBe(200);
    expect(await stored.sql(`SELECT 1 FROM "Summary" WHERE "articleId" IS NOT NULL`)).toEqual([]);
    await patch("/articles/1", { summary: { id: first?.id } });
    expect((await patch("/articles/1", { summary: { $delete: true } })).status).toBe(200);
    expect(await count("Summary")).toBe(1);
  });

  it("C13 one-to-one from the side with the key", async () => {
    await post("/articles", { title: "a" });
    const made = await post("/summaries", { text: "one", article: { id: 1 } });
    expect([made.status, made.body.data.articleId]).toEqual([201, 1]);
    const taken = await post("/summaries", { text: "two", article: { id: 1 } });
    expect([taken.status, taken.body.code, paths(taken)]).toEqual([409, "UniqueConstraint", ["/article"]]);
    const both = await post("/summaries", { text: "three", article: { title: "new" } });
    expect([both.status, both.body.data.articleId]).toEqual([201, 2]);
  });

  it("C13 an implicit many-to-many: connect, create, disconnect, delete", async () => {
    const made = await post("/articles", {
      title: "a",
      labels: [{ name: "red" }, { name: "blue" }, { name: "new", color: "#111" }],
    });
    expect(made.status).toBe(201);
    const names = async () =>
      (await stored.sql<{ B: string }>(`SELECT "B" FROM "_ArticleToLabel" WHERE "A" = 1 ORDER BY 1`)).map(({ B }) => B);
    expect(await names()).toEqual(["blue", "new", "red"]);
    const changed = await patch("/articles/1", {
      labels: [
        { $disconnect: true, name: "red" },
        { $delete: true, name: "new" },
        { name: "blue", color: "#222" },
        { name: "green" },
      ],
    });
    expect(changed.status).toBe(200);
    expect(await names()).toEqual(["blue", "green"]);
    expect(await stored.sql(`SELECT name, color FROM "Label" ORDER BY 1`)).toEqual([
      { name: "blue", color: "#222" },
      { name: "green", color: null },
      { name: "red", color: "#f00" },
    ]);
    const anonymous = await patch("/articles/1", { labels: [{ $disconnect: true, name: "red" }] });
    expect([anonymous.status, paths(anonymous)]).toEqual([400, ["/labels/0"]]);
    const missing = await patch("/articles/1", { labels: [{ name: "blue" }, { name: "no such" }] });
    expect([missing.status, paths(missing)]).toEqual([400, ["/labels/1"]]);
  });

  it("C13 self-relations, to one and to many", async () => {
    const made = await post("/articles", {
      title: "a",
      notes: [{ text: "root" }],
      related: [{ title: "b" }, { title: "c", related: [{ title: "d" }] }],
    });
    expect(made.status).toBe(201);
    expect(await count("Article")).toBe(4);
    expect(await count("_related")).toBe(3);
    const thread = await patch("/notes/1", {
      replies: [
        { text: "one", articleId: 1 },
        { text: "two", articleId: 1 },
      ],
    });
    expect(thread.status).toBe(200);
    expect((await patch("/notes/2", { parent: { id: 2 } })).body.data.parentId).toBe(2);
    expect((await patch("/notes/2", { parent: null })).body.data.parentId).toBeNull();
  });

  it("C13 a relation with the annotation @writable is settable", async () => {
    const made = await post("/teams", { name: "A", players: [{ name: "x" }, { name: "y" }] });
    expect(made.status).toBe(201);
    expect(await count("Player")).toBe(2);
    const closed = await post("/players", { name: "z", team: { name: "B" } });
    expect([closed.status, closed.body.errors[0].path]).toEqual([400, "/team"]);
    expect((await post("/players", { name: "z", team: { id: 1 } })).body.data.teamId).toBe(1);
  });
});

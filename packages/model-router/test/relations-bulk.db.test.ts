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

describe("C14 many rows with relations", () => {
  const order = (...productIds: number[]) => ({
    total: "1",
    lines: productIds.map((productId) => ({ quantity: 1, price: 1, productId })),
  });

  it("C14 creates many with their related rows, all or nothing", async () => {
    const made = await post("/orders/many", [order(1, 2), order(), { total: "3" }]);
    expect([made.status, made.body.meta, made.body.data.map(({ id }: { id: number }) => id)]).toEqual([
      201,
      { count: 3 },
      [1, 2, 3],
    ]);
    const failed = await post("/orders/many", { data: [order(1), order(2, 99)] });
    expect([failed.status, paths(failed)]).toEqual([400, ["/data/1/lines/1/productId"]]);
    expect([await count("Order"), await count("Line")]).toEqual([3, 2]);
  });

  it("C14 updates many with their own values, and names the item that fails", async () => {
    await post("/orders/many", [order(1), order(2)]);
    const changed = await patch("/orders/many", [
      { id: 1, total: "7", lines: [{ id: 1, quantity: 3 }] },
      { id: 2, lines: [{ quantity: 1, price: 1, productId: 3 }] },
    ]);
    expect([changed.status, changed.body.data.map(({ total }: { total: string }) => total)]).toEqual([
      200,
      ["7.00", "1.00"],
    ]);
    const failed = await patch("/orders/many", [
      { id: 1, total: "8" },
      { id: 2, lines: [{ id: 1, quantity: 9 }] },
    ]);
    expect([failed.status, paths(failed)]).toEqual([400, ["/1/lines/0"]]);
    expect((await stored.call("GET", "/orders/1")).body.data.total).toBe("7.00");
  });

  it("C17 names the items that set a part of a unique key", async () => {
    await post("/articles/many", [{ title: "a" }, { title: "b" }]);
    const notes = [
      { text: "a", rank: 1, articleId: 1 },
      { text: "b", rank: 2, articleId: 1 },
      { text: "c", rank: 1, articleId: 2 },
    ];
    expect((await post("/notes/many", notes)).status).toBe(201);
    const taken = await patch("/notes/many", [
      { id: 3, text: "x" },
      { id: 1, rank: 2 },
    ]);
    expect([taken.status, paths(taken)]).toEqual([409, ["/1/articleId", "/1/rank"]]);
    const twice = await patch("/notes/many", [
      { id: 1, rank: 3 },
      { id: 2, text: "x" },
      { id: 3, articleId: 1, rank: 3 },
    ]);
    expect([twice.status, paths(twice)]).toEqual([409, ["/2/articleId", "/2/rank"]]);
  });

  it("C14 updates all rows that match a filter", async () => {
    await post("/articles/many", [{ title: "a" }, { title: "a" }, { title: "b" }]);
    const changed = await patch("/articles/many?title=a", { labels: [{ name: "red" }], owner: { email: "bob@x" } });
    expect([changed.status, changed.body.meta.count]).toEqual([200, 2]);
    expect(await count("_ArticleToLabel")).toBe(2);
    expect(await stored.sql(`SELECT "ownerId" FROM "Article" ORDER BY id`)).toEqual([
      { ownerId: 2 },
      { ownerId: 2 },
      { ownerId: null },
    ]);
  });

  it("C14 rows without relations are written in one statement", async () => {
    const rows = Array.from({ length: 50 }, (_, index) => ({ title: `t${index}`, ownerId: 1 }));
    const received = await stored.statements(() => post("/articles/many", rows));
    expect(received.filter((text) => text.startsWith("INSERT"))).toHaveLength(1);
  });

  it("C14 a connect by id needs no separate statement", async () => {
    await post("/orders", { total: "1" });
    const body = { quantity: 1, price: 1, order: { id: 1 }, product: { id: 1 } };
    const received = await stored.statements(() => post("/lines", body));
    expect(received.filter((text) => text.startsWith("SELECT"))).toEqual([]);
  });
});

describe("C4 decimals have the places of their column", () => {
  it("C4 returns as many places as the column has, and only the given ones if it has no scale", async () => {
    const { body } = await post("/orders", { total: "59.5", rate: "0.10", whole: 7, cash: "3" });
    expect(body.data).toMatchObject({ total: "59.50", rate: "0.1", whole: "7", cash: "3.00" });
    expect((await stored.call("GET", "/orders?total=59.5&fields=total")).body.data).toEqual([{ total: "59.50" }]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { fillRelations, type Relations, startRelations, writableRelations } from "./relations.js";
import type { Answer } from "./serve-models.js";

let kept: Relations;
beforeAll(async () => {
  kept = await startRelations(inject("postgresUrl"), { models: writableRelations });
});
afterAll(() => kept?.close());

beforeEach(() => fillRelations(kept));

const post = (path: string, body: unknown) => kept.call("POST", path, body);
const patch = (path: string, body: unknown) => kept.call("PATCH", path, body);
const count = async (table: string) =>
  Number((await kept.sql<{ n: bigint }>(`SELECT count(*) AS n FROM "${table}"`))[0]?.n);
const paths = ({ body }: Answer) => body.errors?.map(({ path }: { path: string }) => path);

describe("C14 many rows with relations", () => {
  const order = (...productIds: number[]) => ({
    total: "1",
    lines: productIds.map((productId) => ({ quantity: 1, price: 1, productId })),
  });

  it("C14 creates many with what hangs on them, all or nothing", async () => {
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

  it("C14 changes many, each its own way, and names the item that fails", async () => {
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
    expect((await kept.call("GET", "/orders/1")).body.data.total).toBe("7.00");
  });

  it("C14 changes all rows that meet a filter", async () => {
    await post("/articles/many", [{ title: "a" }, { title: "a" }, { title: "b" }]);
    const changed = await patch("/articles/many?title=a", { labels: [{ name: "red" }], owner: { email: "bob@x" } });
    expect([changed.status, changed.body.meta.count]).toEqual([200, 2]);
    expect(await count("_ArticleToLabel")).toBe(2);
    expect(await kept.sql(`SELECT "ownerId" FROM "Article" ORDER BY id`)).toEqual([
      { ownerId: 2 },
      { ownerId: 2 },
      { ownerId: null },
    ]);
  });

  it("C14 rows without relations still go in one statement", async () => {
    const rows = Array.from({ length: 50 }, (_, index) => ({ title: `t${index}`, ownerId: 1 }));
    const heard = await kept.statements(() => post("/articles/many", rows));
    expect(heard.filter((text) => text.startsWith("INSERT"))).toHaveLength(1);
  });

  it("C14 a connect by id needs no statement of its own", async () => {
    await post("/orders", { total: "1" });
    const body = { quantity: 1, price: 1, order: { id: 1 }, product: { id: 1 } };
    const heard = await kept.statements(() => post("/lines", body));
    expect(heard.filter((text) => text.startsWith("SELECT"))).toEqual([]);
  });
});

describe("C4 decimals keep the places of their column", () => {
  it("C4 shows as many places as the column has, and only what was given where it has none of its own", async () => {
    const { body } = await post("/orders", { total: "59.5", rate: "0.10", whole: 7, cash: "3" });
    expect(body.data).toMatchObject({ total: "59.50", rate: "0.1", whole: "7", cash: "3.00" });
    expect((await kept.call("GET", "/orders?total=59.5&fields=total")).body.data).toEqual([{ total: "59.50" }]);
  });
});

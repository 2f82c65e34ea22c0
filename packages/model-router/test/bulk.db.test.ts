import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Shelf, startShelf } from "./shelf.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
});
beforeEach(() => shelf.clear());
afterAll(async () => {
  expect(shelf?.logged).toEqual([]);
  await shelf?.close();
});

type Issue = { path: string; code: string };
const pathsOf = (body: { errors?: Issue[] }) => body.errors?.map(({ path }) => path);
const people = async () => (await shelf.call("GET", "/people?sort=id&limit=100")).body.data;
const many = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `n${i}` }));

describe("C14 bulk create", () => {
  it("C2 returns the rows in the order of the items", async () => {
    const { status, body } = await shelf.call("POST", "/people/many", [{ name: "c" }, { name: "a" }, { name: "b" }]);
    expect(status).toBe(201);
    expect(body).toEqual({
      data: [
        { id: 1, name: "c" },
        { id: 2, name: "a" },
        { id: 3, name: "b" },
      ],
      meta: { count: 3 },
    });
    const wrapped = await shelf.call("POST", "/people/many", { data: [{ name: "d" }] });
    expect(wrapped.body).toEqual({ data: [{ id: 4, name: "d" }], meta: { count: 1 } });
  });

  it("preserves the order of items with different fields", async () => {
    const items = [{ int: 1 }, { string: "two" }, { int: 3, size: "LARGE" }, {}, { json: null, string: "five" }];
    const { body } = await shelf.call("POST", "/values/many", items);
    expect(body.data.map(({ int, string, size }: Record<string, unknown>) => [int, string, size])).toEqual([
      [1, null, null],
      [null, "two", null],
      [3, null, "LARGE"],
      [null, null, null],
      [null, "five", null],
    ]);
  });

  it("C59 accepts exactly 1000 items, fifty per statement, and returns 413 above that", async () => {
    const statements = await shelf.statements(async () => {
      const { status, body } = await shelf.call("POST", "/people/many", many(1000));
      expect([status, body.meta.count]).toEqual([201, 1000]);
      expect(body.data.map(({ name }: { name: string }) => name)).toEqual(many(1000).map(({ name }) => name));
    });
    expect(statements.filter((sql) => sql.startsWith("INSERT"))).toHaveLength(20);
    expect(statements.length).toBe(20);
    for (const body of [many(1001), { data: many(1001) }, Array(5000).fill(null)]) {
      const { status, body: problem } = await shelf.call("POST", "/people/many", body);
      expect([status, problem.code]).toEqual([413, "BulkTooLarge"]);
    }
    expect(await shelf.sql(`SELECT count(*)::int FROM "Person"`)).toEqual([{ count: 1000 }]);
  });

  it("uses the limit of the model's configuration", async () => {
    const other = await shelf.serve({ bulkItems: 3, models: { Series: { bulkItems: 2 } } });
    const items = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `x${i}` }));
    expect((await other.call("POST", "/people/many", items(3))).status).toBe(201);
    expect((await other.call("POST", "/people/many", items(4))).status).toBe(413);
    expect((await other.call("POST", "/series/many", items(3))).status).toBe(413);
    expect((await other.call("PATCH", "/people/many", [1, 2, 3, 4])).status).toBe(413);
    expect((await other.call("DELETE", "/people/many", { ids: [1, 2, 3, 4] })).status).toBe(413);
    await other.call("POST", "/people", { name: "fourth" });
    expect((await other.call("DELETE", "/people/many?id__gt=0")).status).toBe(413);
    expect((await other.call("PATCH", "/people/many?id__gt=0", { name: "x" })).status).toBe(413);
    expect(await people()).toHaveLength(4);
  });

  it("names the item of each issue, and writes nothing", async () => {
    const items = [{ title: "a" }, { title: 2 }, { titel: "c" }, {}, null, { title: "f", pages: 1.5, score: "x" }];
    const expected = ["/1/title", "/2/title", "/2/titel", "/3/title", "/4", "/5/pages", "/5/score"];
    const { status, body } = await shelf.call("POST", "/books/many", items);
    expect([status, pathsOf(body)]).toEqual([400, expected]);
    const wrapped = await shelf.call("POST", "/books/many", { data: items });
    expect(pathsOf(wrapped.body)).toEqual(expected.map((path) => `/data${path}`));
    expect(await shelf.sql(`SELECT count(*)::int FROM "Book"`)).toEqual([{ count: 0 }]);
  });

  it.each([
    "{}",
    "[]",
    '{"data":[]}',
    '{"data":{}}',
    '{"data":[{"name":"x"}],"more":1}',
    '{"name":"x"}',
    '"x"',
    "null",
    "1",
    "",
  ])("rejects %s", async (body) => {
    expect((await shelf.call("POST", "/people/many", body)).status).toBe(400);
    expect(await people()).toEqual([]);
  });

  it("C17 rolls back if an item violates a unique key, and names the item", async () => {
    await shelf.call("POST", "/series", { name: "taken" });
    const taken = await shelf.call("POST", "/series/many", [{ name: "a" }, { name: "b" }, { name: "taken" }]);
    expect([taken.status, taken.body.code, pathsOf(taken.body)]).toEqual([409, "UniqueConstraint", ["/2/name"]]);
    const twice = await shelf.call("POST", "/series/many", { data: [{ name: "a" }, { name: "b" }, { name: "a" }] });
    expect([twice.status, pathsOf(twice.body)]).toEqual([409, ["/data/2/name"]]);
    expect(await shelf.sql(`SELECT name FROM "Series"`)).toEqual([{ name: "taken" }]);
    const composite = [
      { left: 1, right: "a" },
      { left: 1, right: "b" },
      { left: 1, right: "a" },
    ];
    const both = await shelf.call("POST", "/set-keys/many", composite);
    expect([both.status, pathsOf(both.body)]).toEqual([409, ["/2/left", "/2/right"]]);
  });

  it("C17 rolls back if an item references a missing row, and names the item", async () => {
    await shelf.call("POST", "/publishers", { name: "Alpha" });
    const items = [{ title: "a", publisherId: 1 }, { title: "b" }, { title: "c", publisherId: 7 }];
    const { status, body } = await shelf.call("POST", "/books/many", items);
    expect([status, body.code, pathsOf(body)]).toEqual([400, "RelatedRecordNotFound", ["/2/publisherId"]]);
    expect(await shelf.sql(`SELECT count(*)::int FROM "Book"`)).toEqual([{ count: 0 }]);
  });

  it("accepts no filter and no paging", async () => {
    for (const query of ["name=x", "limit=1", "fields=id"]) {
      expect((await shelf.call("POST", `/people/many?${query}`, [{ name: "x" }])).status).toBe(400);
    }
  });
});

describe("C14 bulk change by a filter, and bulk delete", () => {
  it("updates all rows that match the filter: their keys, a lock on them, the update", async () => {
    await shelf.call("POST", "/people/many", many(5));
    const statements = await shelf.statements(async () => {
      const { status, body } = await shelf.call("PATCH", "/people/many?id__lte=3", { name: "x" });
      expect([status, body.meta]).toEqual([200, { count: 3 }]);
      expect(body.data.map(({ name }: { name: string }) => name)).toEqual(["x", "x", "x"]);
    });
    expect(statements.map((sql) => sql.split(" ", 1)[0])).toEqual(["SELECT", "SELECT", "UPDATE"]);
    expect((await shelf.call("PATCH", "/people/many?id=77", { name: "y" })).body).toEqual({
      data: [],
      meta: { count: 0 },
    });
    expect((await shelf.call("PATCH", "/people/many?id=1", { name: 1 })).status).toBe(400);
    expect((await shelf.call("PATCH", "/people/many?id=1", { nope: 1 })).status).toBe(400);
    expect((await shelf.call("PATCH", "/people/many?id=1", {})).status).toBe(200);
  });

  it("deletes by filter, through relations too", async () => {
    await shelf.call("POST", "/publishers/many", [{ name: "A" }, { name: "B" }]);
    await shelf.call("POST", "/books/many", [
      { title: "a", publisherId: 1 },
      { title: "b", publisherId: 2 },
      { title: "c" },
    ]);
    const { status, body } = await shelf.call("DELETE", "/books/many?publisher__name=A");
    expect([status, body]).toEqual([200, { meta: { count: 1 } }]);
    expect((await shelf.call("GET", "/books?sort=id")).body.data.map(({ title }: { title: string }) => title)).toEqual([
      "b",
      "c",
    ]);
  });

  it("deletes by ids, all or none", async () => {
    await shelf.call("POST", "/people/many", many(5));
    const missing = await shelf.call("DELETE", "/people/many", { ids: [1, 9, "x", 2] });
    expect([missing.status, pathsOf(missing.body)]).toEqual([404, ["/ids/1", "/ids/2"]]);
    const twice = await shelf.call("DELETE", "/people/many", { ids: [1, "1"] });
    expect([twice.status, pathsOf(twice.body)]).toEqual([400, ["/ids/1"]]);
    for (const body of [{ ids: [] }, { ids: 1 }, { ids: [{ gt: 0 }] }, { ids: [null] }, { ids: [1], x: 1 }, [1], {}]) {
      expect((await shelf.call("DELETE", "/people/many", body)).status).toBe(400);
    }
    expect((await shelf.call("DELETE", "/people/many?id=1", { ids: [1] })).status).toBe(400);
    expect(await people()).toHaveLength(5);
    expect((await shelf.call("DELETE", "/people/many", { ids: [5, "1"] })).body).toEqual({ meta: { count: 2 } });
    expect((await people()).map(({ id }: { id: number }) => id)).toEqual([2, 3, 4]);
  });

  it("C17 returns 409 for a delete of referenced rows, and deletes nothing", async () => {
    await shelf.call("POST", "/publishers/many", [{ name: "A" }, { name: "B" }]);
    await shelf.call("POST", "/books", { title: "a", publisherId: 2 });
    for (const [query, body] of [
      ["", { ids: [1, 2] }],
      ["?id=1,2", undefined],
    ] as const) {
      const response = await shelf.call("DELETE", `/publishers/many${query}`, body);
      expect([response.status, response.body.code]).toEqual([409, "ForeignKeyConstraint"]);
    }
    expect((await shelf.call("DELETE", "/publishers/2")).body).toMatchObject({
      status: 409,
      code: "ForeignKeyConstraint",
    });
    expect((await shelf.call("GET", "/publishers")).body.meta.total).toBe(2);
  });
});

describe("C14 evaluates the conditions on one field together", () => {
  it.each([
    "or[0][pages][lt]=5&or[1][pages][gte]=5",
    "or[0][size]=SMALL&or[1][size]=MEDIUM&or[2][size]=LARGE",
    "or[0][title]=a&or[1][not][title]=a",
    "not[and][0][size]=SMALL&not[and][1][size]=LARGE",
  ])("?%s is not a criterion", async (query) => {
    await shelf.call("POST", "/books/many", [{ title: "a", pages: 1 }]);
    const { status, body } = await shelf.call("DELETE", `/books/many?${query}`);
    expect([status, body.code]).toEqual([400, "MissingFilter"]);
    expect(await shelf.sql(`SELECT count(*)::int FROM "Book"`)).toEqual([{ count: 1 }]);
  });
});

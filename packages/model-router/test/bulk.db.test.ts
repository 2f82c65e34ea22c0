import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import { type Shelf, startShelf } from "./shelf.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
});
beforeEach(() =>
  shelf.sql(
    emptyTables(
      "Book",
      "Publisher",
      "Tag",
      "Series",
      "Person",
      "PairKey",
      "SetKey",
      "UniqueKey",
      "CharKey",
      "InetKey",
      "DecimalKey",
      "UuidKey",
      "TextKey",
      "EnumKey",
      "all values",
      "Listing",
    ),
  ),
);
afterAll(async () => {
  expect(shelf?.logged).toEqual([]);
  await shelf?.close();
});

type Fault = { path: string; code: string };
const pathsOf = (body: { errors?: Fault[] }) => body.errors?.map(({ path }) => path);
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

  it("keeps the order of items that give different fields", async () => {
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

  it("C59 takes exactly 1000 items, fifty to a statement, and 413 over that", async () => {
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

  it("takes its limit from the model's configuration", async () => {
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

  it("names the item of each fault, and writes nothing", async () => {
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
  ])("refuses %s", async (body) => {
    expect((await shelf.call("POST", "/people/many", body)).status).toBe(400);
    expect(await people()).toEqual([]);
  });

  it("C17 rolls back when an item violates a unique key, and names the item", async () => {
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

  it("C17 rolls back when an item names a row that is not there, and names the item", async () => {
    await shelf.call("POST", "/publishers", { name: "Alpha" });
    const items = [{ title: "a", publisherId: 1 }, { title: "b" }, { title: "c", publisherId: 7 }];
    const { status, body } = await shelf.call("POST", "/books/many", items);
    expect([status, body.code, pathsOf(body)]).toEqual([400, "RelatedRecordNotFound", ["/2/publisherId"]]);
    expect(await shelf.sql(`SELECT count(*)::int FROM "Book"`)).toEqual([{ count: 0 }]);
  });

  it("takes no filter and no paging", async () => {
    for (const query of ["name=x", "limit=1", "fields=id"]) {
      expect((await shelf.call("POST", `/people/many?${query}`, [{ name: "x" }])).status).toBe(400);
    }
  });
});

describe("C14 bulk update of a list", () => {
  it("changes each row its own way and returns them in the order of the items", async () => {
    await shelf.call("POST", "/books/many", [
      { title: "a", pages: 1 },
      { title: "b", pages: 2 },
      { title: "c", pages: 3 },
    ]);
    const before = (await shelf.call("GET", "/books?sort=id")).body.data;
    const { status, body } = await shelf.call("PATCH", "/books/many", [
      { id: 3, title: "C", size: "LARGE" },
      { id: "1", pages: null },
      { id: 2, price: "12.50", publishedAt: "2024-01-01T00:00:00Z", subtitle: 'it\'s \\ "q"' },
    ]);
    expect([status, body.meta]).toEqual([200, { count: 3 }]);
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual([3, 1, 2]);
    expect(body.data[0]).toMatchObject({ title: "C", pages: 3, size: "LARGE" });
    expect(body.data[1]).toMatchObject({ title: "a", pages: null, size: null });
    expect(body.data[2]).toMatchObject({
      price: "12.50",
      publishedAt: "2024-01-01T00:00:00.000Z",
      subtitle: 'it\'s \\ "q"',
    });
    expect((await shelf.call("GET", "/books?sort=id")).body.data).toEqual([body.data[1], body.data[2], body.data[0]]);
    for (const row of body.data) {
      const old = before.find(({ id }: { id: number }) => id === row.id);
      expect(Date.parse(row.updatedAt)).toBeGreaterThan(Date.parse(old.updatedAt));
      expect(row.createdAt).toBe(old.createdAt);
    }
  });

  it("of 1000 rows takes three statements: are they there, the change, the rows", async () => {
    await shelf.sql(`INSERT INTO "Person" (name) SELECT 'p' FROM generate_series(1, 1000)`);
    const items = Array.from({ length: 1000 }, (_, i) => ({ id: 1000 - i, ...(i % 3 === 0 ? {} : { name: `n${i}` }) }));
    const statements = await shelf.statements(async () => {
      const { status, body } = await shelf.call("PATCH", "/people/many", items);
      expect([status, body.meta]).toEqual([200, { count: 1000 }]);
      expect(body.data).toEqual(items.map((item) => ({ name: "p", ...item })));
    });
    expect(statements.map((sql) => sql.split(" ", 1)[0])).toEqual(["SELECT", "UPDATE", "SELECT"]);
  });

  it("takes 1000 composite ids", async () => {
    const items = Array.from({ length: 1000 }, (_, i) => ({ left: i, right: `r,${i}` }));
    expect((await shelf.call("POST", "/set-keys/many", items)).status).toBe(201);
    const ids = items.map(({ left, right }) => `${left},${encodeURIComponent(right)}`);
    const changed = await shelf.call(
      "PATCH",
      "/set-keys/many",
      ids.map((id, i) => ({ id, note: `n${i}` })),
    );
    expect(changed.body.data).toEqual(items.map((item, i) => ({ ...item, note: `n${i}` })));
    expect((await shelf.call("DELETE", "/set-keys/many", { ids })).body).toEqual({ meta: { count: 1000 } });
  });

  it("C7 takes ids of every form", async () => {
    const cases: [string, Record<string, unknown>, string, string][] = [
      [
        "/pair-keys",
        { text: "a,b/c", day: "2024-02-29", size: "LARGE" },
        "a%2Cb%2Fc,2024-02-29,LARGE",
        "a%2Cb%2Fc,2024-02-29T00%3A00%3A00.000Z,LARGE",
      ],
      ["/set-keys", { left: -1, right: "%" }, "-1,%25", "-1,%25"],
      ["/unique-keys", { code: "x y" }, "x y", "x%20y"],
      ["/char-keys", { id: "ab" }, "ab", "ab"],
      ["/inet-keys", { id: "2001:DB8::1" }, "2001:0db8::1", "2001%3Adb8%3A%3A1"],
      ["/decimal-keys", { id: "12.5" }, "12.50", "12.50"],
      [
        "/uuid-keys",
        { id: "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11" },
        "6F2C1F0E-6A9E-4A52-9A0E-0D1E4B3F2A11",
        "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11",
      ],
      ["/text-keys", { id: "100%,x" }, "100%,x", "100%25%2Cx"],
      ["/enum-keys", { id: "SMALL" }, "SMALL", "SMALL"],
    ];
    for (const [path, body, id, segment] of cases) {
      const created = await shelf.call("POST", path, body);
      expect([created.status, created.headers.get("location")]).toEqual([201, `/api${path}/${segment}`]);
      const changed = await shelf.call("PATCH", `${path}/many`, [{ id, note: "changed" }]);
      expect([path, changed.status, changed.body.data]).toEqual([
        path,
        200,
        [{ ...created.body.data, note: "changed" }],
      ]);
      const removed = await shelf.call("DELETE", `${path}/many`, { ids: [id] });
      expect([path, removed.status, removed.body]).toEqual([path, 200, { meta: { count: 1 } }]);
    }
  });

  it("changes an id that bodies may set", async () => {
    await shelf.call("POST", "/unique-keys/many", [
      { code: "a", note: "1" },
      { code: "b", note: "2" },
    ]);
    const { body } = await shelf.call("PATCH", "/unique-keys/many", [
      { id: "b", code: "c" },
      { id: "a", note: "x" },
    ]);
    expect(body.data).toEqual([
      { nick: null, code: "c", note: "2" },
      { nick: null, code: "a", note: "x" },
    ]);
  });

  it("names each missing id, and changes nothing", async () => {
    await shelf.call("POST", "/people/many", many(3));
    const { status, body } = await shelf.call("PATCH", "/people/many", [
      { id: 1, name: "x" },
      { id: 9, name: "y" },
      { id: "abc", name: "z" },
    ]);
    expect([status, pathsOf(body)]).toEqual([404, ["/1/id", "/2/id"]]);
    expect(await people()).toEqual(many(3).map((row, i) => ({ id: i + 1, ...row })));
  });

  it("names the missing ids of a composite key", async () => {
    await shelf.call("POST", "/set-keys", { left: 1, right: "a" });
    const changed = await shelf.call("PATCH", "/set-keys/many", [
      { id: "1,a", note: "x" },
      { id: "1,b", note: "y" },
      { id: "1" },
    ]);
    expect([changed.status, pathsOf(changed.body)]).toEqual([404, ["/1/id", "/2/id"]]);
    const removed = await shelf.call("DELETE", "/set-keys/many", { ids: ["2,a", "1,a"] });
    expect([removed.status, pathsOf(removed.body)]).toEqual([404, ["/ids/0"]]);
    expect((await shelf.call("GET", "/set-keys/1,a")).body.data).toEqual({ left: 1, right: "a", note: null });
  });

  it("refuses an id that comes twice, however it is written", async () => {
    await shelf.call("POST", "/people/many", many(2));
    for (const [first, second] of [
      [1, 1],
      [1, "1"],
    ]) {
      const { status, body } = await shelf.call("PATCH", "/people/many", [
        { id: first, name: "x" },
        { id: second, name: "y" },
      ]);
      expect([status, pathsOf(body)]).toEqual([400, ["/1/id"]]);
    }
  });

  it("names the item of each fault", async () => {
    await shelf.call("POST", "/people/many", many(2));
    const items = [
      { id: 1, name: 5 },
      { name: "x" },
      { id: { gt: 0 }, name: "y" },
      { id: null },
      { id: 2, nope: 1 },
      5,
      { id: 1.5 },
    ];
    const { status, body } = await shelf.call("PATCH", "/people/many", items);
    expect([status, [...new Set(pathsOf(body))]]).toEqual([
      400,
      ["/0/name", "/1/id", "/2/id", "/3/id", "/4/nope", "/5", "/6/id"],
    ]);
    expect((await shelf.call("PATCH", "/people/many", [])).status).toBe(400);
    expect((await shelf.call("PATCH", "/people/many?name=n0", [{ id: 1, name: "x" }])).status).toBe(400);
  });

  it("C17 rolls back when an item violates a constraint, and names the item", async () => {
    await shelf.call("POST", "/series/many", [{ name: "a" }, { name: "b" }, { name: "c" }]);
    const taken = await shelf.call("PATCH", "/series/many", [
      { id: 1, name: "x" },
      { id: 2, name: "c" },
    ]);
    expect([taken.status, taken.body.code, pathsOf(taken.body)]).toEqual([409, "UniqueConstraint", ["/1/name"]]);
    const twice = await shelf.call("PATCH", "/series/many", [
      { id: 1, name: "x" },
      { id: 2, name: "x" },
    ]);
    expect([twice.status, pathsOf(twice.body)]).toEqual([409, ["/1/name"]]);
    expect((await shelf.call("GET", "/series?sort=id")).body.data.map(({ name }: { name: string }) => name)).toEqual([
      "a",
      "b",
      "c",
    ]);
    await shelf.call("POST", "/books/many", [{ title: "a" }, { title: "b" }]);
    const absent = await shelf.call("PATCH", "/books/many", [
      { id: 1, title: "x" },
      { id: 2, publisherId: 5 },
    ]);
    expect([absent.status, absent.body.code, pathsOf(absent.body)]).toEqual([
      400,
      "RelatedRecordNotFound",
      ["/1/publisherId"],
    ]);
    expect((await shelf.call("GET", "/books/1")).body.data.title).toBe("a");
  });
});

describe("C14 bulk change by a filter, and bulk delete", () => {
  it("changes all that meet the filter in the same way: their keys, a lock on them, the change", async () => {
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

  it("C17 a delete that others refer to is 409, and nothing is deleted", async () => {
    await shelf.call("POST", "/publishers/many", [{ name: "A" }, { name: "B" }]);
    await shelf.call("POST", "/books", { title: "a", publisherId: 2 });
    for (const [query, body] of [
      ["", { ids: [1, 2] }],
      ["?id=1,2", undefined],
    ] as const) {
      const answer = await shelf.call("DELETE", `/publishers/many${query}`, body);
      expect([answer.status, answer.body.code]).toEqual([409, "ForeignKeyConstraint"]);
    }
    expect((await shelf.call("DELETE", "/publishers/2")).body).toMatchObject({
      status: 409,
      code: "ForeignKeyConstraint",
    });
    expect((await shelf.call("GET", "/publishers")).body.meta.total).toBe(2);
  });
});

describe("F35 C14 what is said of one field is judged together", () => {
  it.each([
    "or[0][pages][lt]=5&or[1][pages][gte]=5",
    "or[0][size]=SMALL&or[1][size]=MEDIUM&or[2][size]=LARGE",
    "or[0][title]=a&or[1][not][title]=a",
    "not[and][0][size]=SMALL&not[and][1][size]=LARGE",
  ])("?%s is no criterion", async (query) => {
    await shelf.call("POST", "/books/many", [{ title: "a", pages: 1 }]);
    const { status, body } = await shelf.call("DELETE", `/books/many?${query}`);
    expect([status, body.code]).toEqual([400, "MissingFilter"]);
    expect(await shelf.sql(`SELECT count(*)::int FROM "Book"`)).toEqual([{ count: 1 }]);
  });
});

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

describe("C14 bulk update of a list", () => {
  it("updates each row with its own values and returns them in the order of the items", async () => {
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

  it("takes two statements by Prisma for 1000 rows: the update, the rows", async () => {
    await shelf.sql(`INSERT INTO "Person" (name) SELECT 'p' FROM generate_series(1, 1000)`);
    const items = Array.from({ length: 1000 }, (_, i) => ({ id: 1000 - i, ...(i % 3 === 0 ? {} : { name: `n${i}` }) }));
    const statements = await shelf.statements(async () => {
      const { status, body } = await shelf.call("PATCH", "/people/many", items);
      expect([status, body.meta]).toEqual([200, { count: 1000 }]);
      expect(body.data).toEqual(items.map((item) => ({ name: "p", ...item })));
    });
    expect(statements.map((sql) => sql.split(" ", 1)[0])).toEqual(["UPDATE", "SELECT"]);
  });

  it("accepts 1000 compound ids", async () => {
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

  it("C7 accepts ids of every form", async () => {
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

  it("names the missing ids of a compound key", async () => {
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

  it("rejects a duplicate id, in any spelling", async () => {
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

  it("names the item of each issue", async () => {
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

  it("C17 rolls back if an item violates a constraint, and names the item", async () => {
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

describe("C14 bulk update by a filter", () => {
  it("C57 returns rows in the order of the keys, not in that of the last writes", async () => {
    await shelf.call("POST", "/people/many", many(4));
    // The last written row is last in the table's file.
    await shelf.sql(`UPDATE "Person" SET name = 'later' WHERE id IN (1, 3)`);
    const { body } = await shelf.call("PATCH", "/people/many?id__gt=0", { name: "same" });
    expect(body).toEqual({ data: [1, 2, 3, 4].map((id) => ({ id, name: "same" })), meta: { count: 4 } });
  });

  it("returns rows in the order of the keys if a part of the key changes", async () => {
    const items = [3, 1, 2].map((left) => ({ left, right: "old" }));
    expect((await shelf.call("POST", "/set-keys/many", items)).status).toBe(201);
    await shelf.sql(`UPDATE "SetKey" SET note = 'later' WHERE "left" = 1`);
    const { body } = await shelf.call("PATCH", "/set-keys/many?right=old", { right: "new" });
    expect(body.data.map(({ left, right }: Record<string, unknown>) => [left, right])).toEqual([
      [1, "new"],
      [2, "new"],
      [3, "new"],
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Portable, startPortable } from "./portable.js";

/** Values in SQL that the type of their column does not have, as another program may write them. */
const invalid: readonly (readonly [field: string, sql: string])[] = [
  ["int", "'text'"],
  ["int", "1.5"],
  ["int", "x'01'"],
  ["int", "9007199254740993"],
  ["bigInt", "'text'"],
  ["bigInt", "2e30"],
  ["boolean", "2"],
  ["boolean", "'yes'"],
  ["float", "'text'"],
  ["float", "x'01'"],
  ["dateTime", "'yesterday'"],
  ["dateTime", "'2024-13-01'"],
  ["dateTime", "'2024-01-01 12:34'"],
  ["dateTime", "9007199254740993"],
  ["dateTime", "1.5"],
  ["dateTime", "x'01'"],
  ["string", "x'01'"],
  ["json", "'{'"],
  ["json", "x'01'"],
  ["json", "9e999"],
  ["bytes", "'text'"],
  ["bytes", "1"],
  ["size", "'SMALL'"],
];

/** Values in SQL that Prisma does not write, with the form of the response. */
const valid: readonly (readonly [field: string, sql: string, shown: unknown])[] = [
  ["boolean", "'true'", true],
  ["boolean", "'FALSE'", false],
  ["float", "1", 1],
  ["dateTime", "0", "1970-01-01T00:00:00.000Z"],
  ["dateTime", "'2024-01-02'", "2024-01-02T00:00:00.000Z"],
  ["dateTime", "'2024-01-02 12:34:56'", "2024-01-02T12:34:56.000Z"],
  ["dateTime", "'2024-01-02T12:34:56.123456+0530'", "2024-01-02T07:04:56.123Z"],
  ["dateTime", "'2024-01-02 12:34:56-03'", "2024-01-02T15:34:56.000Z"],
  ["json", "' [1] '", [1]],
  ["size", "'XL'", "LARGE"],
];

describe("C113 values of other programs in SQLite", () => {
  let service: Portable;
  beforeAll(async () => {
    service = await startPortable("sqlite", "", { models: { Book: { export: true } } });
  });
  afterAll(() => service?.close());

  const store = async (field: string, sql: string): Promise<void> => {
    await service.query('DELETE FROM "all values"');
    const column = field === "string" || field === "size" ? `${field} of it` : field;
    await service.query(`INSERT INTO "all values" (id, "${column}", text) VALUES (1, ${sql}, 'a'), (2, NULL, 'b')`);
  };

  it.each(invalid)("%s with %s is null, and its row is read, changed and deleted", async (field, sql) => {
    await store(field, sql);
    const { status, body } = await service.call("GET", `/values?fields=id,${field}&sort=id`);
    expect([status, body.data]).toEqual([200, [1, 2].map((id) => ({ id, [field]: null }))]);
    expect((await service.call("PATCH", "/values/1", { text: "changed" })).body.data).toMatchObject({ [field]: null });
    expect((await service.call("DELETE", "/values/1")).status).toBe(204);
  });

  it.each(valid)("%s with %s is returned", async (field, sql, shown) => {
    await store(field, sql);
    const { status, body } = await service.call("GET", `/values/1?fields=${field}`);
    expect([status, body.data]).toEqual([200, { [field]: shown }]);
  });

  it.each(["int", "-int"])("a cursor in the order of %s ends with the place at such a value", async (sort) => {
    await service.query('DELETE FROM "all values"');
    const rows = ["(1, 5)", "(2, NULL)", "(3, 'text')", "(4, 7)", "(5, NULL)"];
    await service.query(`INSERT INTO "all values" (id, int) VALUES ${rows.join(", ")}`);
    const seen: number[] = [];
    for (let cursor = ""; ; ) {
      const { status, body } = await service.call("GET", `/values?fields=id&limit=1&sort=${sort}&cursor=${cursor}`);
      if (status !== 200) {
        expect([status, body]).toMatchObject([400, { errors: [{ in: "query", path: "/sort" }] }]);
        break;
      }
      seen.push(body.data[0].id);
      cursor = body.meta.nextCursor;
    }
    expect(seen).toEqual(sort === "int" ? [1, 4] : [2, 5]);
    const { body } = await service.call("GET", `/values?fields=id&sort=${sort}`);
    expect(body.data).toHaveLength(5);
    const { headers } = await service.call("GET", `/values?fields=id&limit=3&sort=${sort}`);
    expect(headers.get("link")).toMatch(/[?&]page=2\b[^>]*>; rel="next"/);
  });

  it("an export in the order of such values is 400 instead of incomplete", async () => {
    const values = Array.from(
      { length: 150 },
      (_, at) => `('${at}', ${at < 50 ? `'isbn ${at}'` : `x'${1000 + at}'`}, 0)`,
    );
    await service.query(`INSERT INTO "Book" (title, isbn, "updatedAt") VALUES ${values.join(", ")}`);
    const read = (query: string) =>
      fetch(`${service.url}/books?${query}`, { headers: { accept: "application/x-ndjson" } });
    const unread = await read("sort=isbn");
    expect([unread.status, await unread.json()]).toMatchObject([400, { errors: [{ in: "query", path: "/sort" }] }]);
    const byId = await read("fields=id");
    expect([byId.status, (await byId.text()).trimEnd().split("\n").length]).toEqual([200, 150]);
  });
});

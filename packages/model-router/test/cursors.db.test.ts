import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import { seedBooks } from "./books.js";
import { type Shelf, startShelf } from "./shelf.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
  await seedBooks(shelf);
});
afterAll(async () => {
  expect(shelf?.logged).toEqual([]);
  await shelf?.close();
});

const issuesOf = (body: { errors?: { path: string }[] }) => body.errors?.map(({ path }) => path);

/** Seventy rows with many equal values and NULLs in every column that is sorted by. */
const seed = () =>
  shelf.sql(emptyTables("all values")).then(() =>
    shelf.sql(`INSERT INTO "all values" ("string of it", int, "bigInt", float, decimal, "dateTime", bytes, "size of it", uuid, "smallInt", price, seconds, date, boolean, char)
      SELECT CASE n % 4 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 's,"' || (n % 5) END,
        CASE WHEN n % 3 > 0 THEN n % 7 END, CASE WHEN n % 5 > 0 THEN 9007199254740990 + n % 9 END,
        CASE WHEN n % 6 > 0 THEN (n % 8)::float8 / 3 END, CASE WHEN n % 4 > 0 THEN (n % 8)::numeric / 7 END,
        CASE WHEN n % 5 > 0 THEN timestamp '2024-01-01' + interval '7 ms' * (n % 6) END, '\\x00', 'XL',
        CASE WHEN n % 3 > 0 THEN md5((n % 6)::text)::uuid END, n % 3, CASE WHEN n % 2 > 0 THEN n % 3 END,
        CASE WHEN n % 4 > 0 THEN timestamp '2024-01-01' + interval '1 s' * (n % 6) END,
        CASE WHEN n % 4 > 0 THEN date '2024-01-01' + n % 6 END, n % 2 = 0, CASE WHEN n % 4 > 0 THEN 'c' || n % 3 END
      FROM generate_series(1, 70) n`),
  );

const followed = [
  "id",
  "string",
  "int",
  "bigInt",
  "float",
  "decimal",
  "dateTime",
  "uuid",
  "smallInt",
  "price",
  "seconds",
  "date",
  "char",
];
const sorts = [
  ...followed.flatMap((name) => [name, `-${name}`]),
  "int,-string",
  "-int,string,-float",
  "-string,int",
  "smallInt,-id",
];

describe("C8 a cursor", () => {
  it.each(sorts)("walks along sort=%s in its order, and no row twice", async (sort) => {
    await seed();
    const paged = await shelf.call("GET", `/values?sort=${sort}&limit=100&fields=id`);
    const rows: { id: number }[] = [];
    let cursor = "";
    for (let steps = 0; steps < 30; steps++) {
      const { status, body, headers } = await shelf.call(
        "GET",
        `/values?sort=${sort}&limit=9&fields=id&cursor=${cursor}`,
      );
      expect(status).toBe(200);
      rows.push(...body.data);
      const { nextCursor } = body.meta;
      expect(body.meta).toEqual({ total: 70, count: body.data.length, limit: 9, nextCursor });
      expect(headers.get("link")).toContain('rel="first"');
      expect(headers.get("link")?.includes(`cursor=${nextCursor}>; rel="next"`)).toBe(nextCursor !== null);
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    expect(rows).toEqual(paged.body.data);
    expect(rows).toHaveLength(70);
  });

  it.each(["int", "-int", "-string,float", "dateTime"])(
    "misses none of the old rows and shows none twice while others come and go: sort=%s",
    async (sort) => {
      await seed();
      const old = new Set(Array.from({ length: 70 }, (_, i) => i + 1));
      const seen: number[] = [];
      let cursor = "";
      for (let step = 0; step < 60; step++) {
        const { body } = await shelf.call("GET", `/values?sort=${sort}&limit=4&cursor=${cursor}&count=false`);
        seen.push(...body.data.map(({ id }: { id: number }) => id));
        if (body.meta.nextCursor === null) break;
        cursor = body.meta.nextCursor;
        // The row of the cursor is deleted too.
        const gone = step % 3 === 0 ? (seen.at(-1) ?? 0) : 70 - step;
        await shelf.sql(`DELETE FROM "all values" WHERE id = ${gone}`);
        if (!seen.includes(gone)) old.delete(gone);
        await shelf.sql(
          `INSERT INTO "all values" (int, "string of it") VALUES (${step % 7}, ${step % 2 ? "NULL" : `'s${step}'`}), (NULL, 'x')`,
        );
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect([...old].filter((id) => !seen.includes(id))).toEqual([]);
    },
  );

  it("does not require the sort field among the selected fields, and returns only those", async () => {
    await seed();
    const first = await shelf.call("GET", "/values?sort=int&fields=size&limit=2&cursor=");
    expect(first.body.data).toEqual([{ size: "LARGE" }, { size: "LARGE" }]);
    const next = await shelf.call("GET", `/values?sort=int&fields=size&limit=2&cursor=${first.body.meta.nextCursor}`);
    expect(next.body.data).toHaveLength(2);
  });

  it("can be combined with filters, include and a composite id", async () => {
    const ids: string[] = [];
    let cursor = "";
    for (let step = 0; step < 10; step++) {
      const { body } = await shelf.call(
        "GET",
        `/authorships?share__gte=50&sort=-share&include=writer&limit=1&cursor=${cursor}`,
      );
      for (const row of body.data) ids.push(`${row.bookId},${row.writerId},${row.writer.name}`);
      if (body.meta.nextCursor === null) break;
      cursor = body.meta.nextCursor;
    }
    expect(ids).toEqual(["1,1,Ann", "4,3,Cid", "2,1,Ann", "2,2,Bob"]);
  });

  it("returns 400 if the values are too long for a URL", async () => {
    const name = "x".repeat(10_000);
    await shelf.call("POST", "/people/many", [{ name: `${name}1` }, { name: `${name}2` }]);
    const { status, body } = await shelf.call("GET", "/people?sort=name&limit=1&cursor=");
    expect([status, issuesOf(body)]).toEqual([400, ["/cursor"]]);
    expect((await shelf.call("GET", "/people?sort=name&limit=2&cursor=")).status).toBe(200);
  });

  it("has no next page for an empty list", async () => {
    const { body } = await shelf.call("GET", "/reserveds?cursor=");
    expect(body).toEqual({ data: [], meta: { total: 0, count: 0, limit: 20, nextCursor: null } });
  });

  it("returns 400 for an order that it does not support", async () => {
    for (const target of [
      ...["boolean", "size", "bytes", "real", "json"].map((name) => `/values?cursor=&sort=${name}`),
      "/books?cursor=&sort=publisher.name",
      "/note-counts?cursor=",
    ]) {
      const { status, body } = await shelf.call("GET", target);
      const [path] = target.endsWith("json") ? ["/sort"] : ["/cursor"];
      expect([target, status, issuesOf(body)?.includes(path ?? "")]).toEqual([target, 400, true]);
    }
  });

  it("returns 400 that names the parameter if it is invented, changed or of another sort", async () => {
    await seed();
    const { body } = await shelf.call("GET", "/values?sort=int&limit=1&cursor=");
    const good: string = body.meta.nextCursor;
    const parts: unknown[] = JSON.parse(Buffer.from(good, "base64url").toString());
    const forge = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const forged = [
      "x",
      "null",
      "%00",
      "é",
      good.slice(0, -3),
      `${good}AAAA`,
      forge(null),
      forge({}),
      forge([]),
      forge("int,id"),
      forge(parts.slice(0, 2)),
      forge([...parts, "1"]),
      forge([parts[0], "abc", "1"]),
      forge([parts[0], 1, "1"]),
      forge([parts[0], "1", null]),
      forge([parts[0], "1", { gt: 0 }]),
      forge([parts[0], ["1"], "1"]),
      forge([parts[0], "1.5", "1"]),
      forge([parts[0], "99999999999", "1"]),
      forge(["-int,id", "1", "1"]),
      forge(["string,id", "1", "1"]),
      forge([{}, "1", "1"]),
    ];
    for (const cursor of forged) {
      const { status, body: problem } = await shelf.call(
        "GET",
        `/values?sort=int&cursor=${encodeURIComponent(cursor)}`,
      );
      expect([cursor, status, issuesOf(problem)]).toEqual([cursor, 400, ["/cursor"]]);
    }
    for (const sort of ["-int", "string", "int,string", "id"]) {
      const { status, body: problem } = await shelf.call("GET", `/values?sort=${sort}&cursor=${good}`);
      expect([sort, status, issuesOf(problem)]).toEqual([sort, 400, ["/cursor"]]);
    }
    expect((await shelf.call("GET", `/values?sort=int&cursor=${good}`)).status).toBe(200);
  });
});

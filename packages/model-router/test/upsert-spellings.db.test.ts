import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { providers, type TestedProvider } from "../../../scripts/test/provider-database.js";
import { type Portable, startPortable } from "./portable.js";
import type { TestResponse } from "./serve-models.js";
import { type Shelf, startShelf } from "./shelf.js";

/** Statements that make the names of publishers equal in any case, and in MariaDB also with blanks at their end. */
const foldNames: Readonly<Record<TestedProvider, readonly string[]>> = {
  postgresql: [
    "CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
    `ALTER TABLE "Publisher" ALTER "full name" TYPE text COLLATE folded`,
  ],
  sqlite: [
    `DROP TABLE "Publisher"`,
    `CREATE TABLE "Publisher" (id INTEGER PRIMARY KEY AUTOINCREMENT, "full name" TEXT NOT NULL COLLATE NOCASE, secret TEXT NOT NULL UNIQUE, city TEXT)`,
    `CREATE UNIQUE INDEX "Publisher_full name_key" ON "Publisher" ("full name")`,
  ],
  mysql: [
    "ALTER TABLE `Publisher` MODIFY `full name` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL",
  ],
};

const path = "/publishers/many?onConflict=name";
const places = ({ body }: TestResponse) => body.errors?.map((issue: { path: string }) => issue.path);

describe.each(providers)("C99 upserts by another spelling of a key on %s", (provider) => {
  let served: Portable;
  beforeAll(async () => {
    served = await startPortable(provider, inject("postgresUrl"), { models: { Publisher: { upsert: true } } });
    for (const sql of foldNames[provider]) await served.query(sql);
  });
  afterAll(() => served?.close());
  beforeEach(async () => {
    await served.database.of("Publisher").deleteMany({ where: {}, everything: true });
    await served.call("POST", "/publishers", { name: "Ab-1", city: "Bern" });
  });
  const rows = async () => {
    const found = await served.database.of("Publisher").findMany({ orderBy: { id: "asc" } });
    return found.map(({ name, city }) => `${name} ${city}`);
  };

  it("update the row that the database regards as the same", async () => {
    const response = await served.call("POST", path, [
      { name: "new", city: "Basel" },
      { name: "AB-1", city: "Chur" },
    ]);
    expect([response.status, response.body.meta]).toEqual([201, { count: 2, statuses: [201, 200] }]);
    expect(await rows()).toEqual(["Ab-1 Chur", "new Basel"]);
    const ignored = await served.call("POST", `${path}&resolution=ignore`, [{ name: "aB-1", city: "Zug" }]);
    expect([ignored.status, ignored.body.data]).toMatchObject([200, [{ name: "Ab-1", city: "Chur" }]]);
  });

  if (provider === "mysql")
    it("update the row whose name differs in blanks at its end and in accents", async () => {
      expect((await served.call("POST", path, [{ name: "ÁB-1  ", city: "Chur" }])).body.meta.statuses).toEqual([200]);
      expect(await rows()).toEqual(["Ab-1 Chur"]);
    });

  it.each([
    ["of one existing row", [{ name: "x" }, { name: "AB-1" }, { name: "ab-1" }], ["/1/name", "/2/name"]],
    ["of which one is stored as it is", [{ name: "Ab-1" }, { name: "x" }, { name: "ab-1" }], ["/0/name", "/2/name"]],
    ["of no row", [{ name: "y" }, { name: "x" }, { name: "X" }], ["/1/name", "/2/name"]],
    [
      "of no row, three times",
      { data: [{ name: "x" }, { name: "X" }, { name: "x" }] },
      ["/data/0/name", "/data/2/name"],
    ],
  ])("reject two items %s, and name both", async (_title, body, expected) => {
    const response = await served.call("POST", path, body);
    expect([response.status, response.body.code]).toEqual([400, "ValidationError"]);
    expect(places(response)).toEqual(expected);
    expect(response.body.errors[0]).toMatchObject({ code: "Duplicate" });
    expect(await rows()).toEqual(["Ab-1 Bern"]);
  });

  it("create one row of concurrent requests, however each spells the key", async () => {
    const spellings = ["one", "ONE", "One", "oNe", "onE"];
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        served.call("POST", path, [
          { name: spellings[index % 5], city: `${index}` },
          { name: spellings[(index + 1) % 5]?.replace(/o/i, "t"), city: `${index}` },
        ]),
      ),
    );
    expect(responses.map(({ status }) => status).filter((status) => status > 201)).toEqual([]);
    expect(await rows()).toHaveLength(3);
  });
});

describe.each(providers.filter((name) => name !== "mysql"))("C99 upserts beside a deleted row on %s", (provider) => {
  it("create one row of concurrent requests, if the unique index contains no deleted rows", async () => {
    const softDelete = { field: "publishedAt", keep: ["cover", "authorships"] };
    const served = await startPortable(provider, inject("postgresUrl"), {
      models: { Book: { upsert: true, softDelete } },
    });
    try {
      await served.query(`DROP INDEX "Book_isbn_key"`);
      await served.query(`CREATE UNIQUE INDEX "Book_isbn_key" ON "Book" (isbn) WHERE "publishedAt" IS NULL`);
      const data = { title: "deleted", isbn: "1", publishedAt: new Date() };
      await served.database.of("Book").create({ data, select: { id: true } });
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          served.call("POST", "/books/many?onConflict=isbn", [{ title: `${index}`, isbn: "1" }]),
        ),
      );
      const statuses = responses.map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([...Array(19).fill(200), 201]);
      expect(await served.database.of("Book").count()).toBe(2);
      // A deleted row of a complete index is in the way of every order of the requests.
      await served.query(`DROP INDEX "Book_isbn_key"`);
      await served.query(`DELETE FROM "Book" WHERE "publishedAt" IS NULL`);
      await served.query(`CREATE UNIQUE INDEX "Book_isbn_key" ON "Book" (isbn)`);
      const rejected = await served.call("POST", "/books/many?onConflict=isbn", [{ title: "x", isbn: "1" }]);
      expect([rejected.status, rejected.body.code, places(rejected)]).toEqual([409, "UniqueConstraint", ["/0/isbn"]]);
    } finally {
      await served.close();
    }
  });
});

describe("C99 upserts by keys of other types", () => {
  let shelf: Shelf;
  beforeAll(async () => {
    shelf = await startShelf(inject("postgresUrl"), {
      models: { InetKey: { upsert: true }, DecimalKey: { upsert: true }, UuidKey: { upsert: true } },
    });
  });
  afterAll(() => shelf?.close());

  it.each([
    ["/inet-keys", "10.0.0.1", "10.0.0.1/32"],
    ["/decimal-keys", "1.50", "1.5"],
    ["/uuid-keys", "0b5b1d1e-6b1c-4c60-9d6a-0f6f3c0f5a11", "0B5B1D1E-6B1C-4C60-9D6A-0F6F3C0F5A11"],
  ])("update the row of %s with the id %s as %s", async (at, id, spelling) => {
    const to = `${at}/many?onConflict=id`;
    const twice = await shelf.call("POST", to, [{ id }, { id: spelling }]);
    expect([twice.status, places(twice)]).toEqual([400, ["/0/id", "/1/id"]]);
    expect((await shelf.call("POST", to, [{ id }])).status).toBe(201);
    expect((await shelf.call("POST", to, [{ id: spelling, note: "n" }])).status).toBe(200);
  });
});

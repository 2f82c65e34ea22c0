import { prismaExecutor, sqlExecutor } from "@servicekit/prisma/internal";
import { stringifyQuery } from "@servicekit/query-parser";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { adapterOf } from "../../../scripts/test/client-adapter.js";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import type { ModelConfig } from "../src/index.js";
import { configuredModels } from "../src/resource/config/configured-models.js";
import { type Served, serveModels } from "./serve-models.js";
import { type Shelf, shelfModels, startShelf } from "./shelf.js";

const fullText: ModelConfig = { aggregate: true, search: { fields: ["title", "subtitle"], language: "english" } };
const similar: ModelConfig = { search: { fields: ["name"], mode: "similarity" } };
const models = { Book: fullText, Writer: similar };
const configured = configuredModels(shelfModels, models);

/** A query as the typed client writes it. */
const asClient = (search: string): string =>
  stringifyQuery(
    { search },
    { notation: "brackets", parseNumber: false, parseBoolean: false, parseNull: false, parseArray: false },
  );

let shelf: Shelf;
/** The same services by the engine of their queries. */
const engines = {} as Record<"sql" | "chosen" | "prisma", Served>;

beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
  const adapter = adapterOf(shelf.client);
  const executor = sqlExecutor({ client: shelf.client, link: adapter.link, models: configured, schema: "public" });
  engines.sql = await serveModels(shelf.client, configured, { models }, [], {}, { executor });
  engines.chosen = await shelf.serve({ models });
  engines.prisma = await serveModels(shelf.client, configured, { models }, [], {}, { executor: prismaExecutor });
  await shelf.sql("CREATE EXTENSION IF NOT EXISTS pg_trgm");
  await shelf.sql(emptyTables("Publisher", "Book", "Cover", "Tag", "Writer", "Authorship", "Payment", "_BookToTag"));
  await shelf.sql(
    `INSERT INTO "Publisher" (id, "full name", city, secret) VALUES (1, 'Alpha', 'Bern', 'x'), (2, 'Beta', NULL, 'y')`,
  );
  await shelf.sql(`INSERT INTO "Book" (id, title, subtitle, pages, "publisherId", "updatedAt") VALUES
    (1, 'Running shoes', 'for the road', 100, 1, now()),
    (2, 'The road', 'a runner and his <b>shoes</b> & a "dog"', 200, 1, now()),
    (3, 'Steel bottle', NULL, 300, 2, now()),
    (4, 'Bottles of steel', 'running water', NULL, NULL, now()),
    (5, 'Cooking', 'without shoes', 500, 2, now()),
    (6, 'Das Straßenbuch', '東京 книга', 600, 2, now())`);
  await shelf.sql(
    `INSERT INTO "Writer" (id, name) VALUES (1, 'John Smith'), (2, 'Jane Doe'), (3, 'Johanna'), (4, 'Zoe')`,
  );
}, 60_000);
afterAll(async () => {
  expect(shelf?.logged).toEqual([]);
  await engines.sql?.stop();
  await engines.prisma?.stop();
  await shelf?.close();
});

describe.each(["sql", "chosen", "prisma"] as const)("C103 full-text search by the engine %s", (engine) => {
  const get = async (target: string) => {
    const { status, body } = await engines[engine].call("GET", target);
    return { status, body };
  };
  const ids = async (query: string): Promise<unknown> => {
    const { status, body } = await get(`/books?${query}`);
    return status === 200 ? body.data.map(({ id }: { id: number }) => id) : [status, body.errors?.[0]?.path];
  };

  it("finds words in any of their forms, best first, with the id as the last key", async () => {
    expect(await ids("search=run")).toEqual([1, 4]);
    expect(await ids("search=shoe")).toEqual([1, 2, 5]);
    expect(await ids("search=bottles+steel")).toEqual([3, 4]);
    expect(await ids("search=road")).toEqual([2, 1]);
  });

  it("reads phrases, alternatives and excluded words", async () => {
    expect(await ids(`search=${encodeURIComponent('"running water"')}`)).toEqual([4]);
    expect(await ids(`search=${encodeURIComponent('"water running"')}`)).toEqual([]);
    expect(await ids(`search=${encodeURIComponent('"runner and his" or "running water"')}&sort=id`)).toEqual([2, 4]);
    expect(await ids(asClient('"water running"'))).toEqual([]);
    expect(await ids(asClient('"running water"'))).toEqual([4]);
    expect(await ids("search=cooking+or+bottle&sort=id")).toEqual([3, 4, 5]);
    expect(await ids("search=shoes+-road")).toEqual([5]);
    expect(await ids("search=-shoes&sort=id")).toEqual([3, 4, 6]);
  });

  it("combines with filters, sorts, pages and totals", async () => {
    expect(await ids("search=shoes&sort=-pages")).toEqual([5, 2, 1]);
    expect(await ids("search=shoes&pages__lt=300")).toEqual([1, 2]);
    expect(await ids("search=shoes&publisher__city=Bern")).toEqual([1, 2]);
    const { body } = await get("/books?search=shoes&limit=2&page=2");
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual([5]);
    expect(body.meta).toMatchObject({ total: 3, count: 1, page: 2, pages: 2 });
    expect((await get("/books?search=shoes&limit=2&page=1")).body.meta.total).toBe(3);
    expect((await get("/books?search=shoes&limit=1&fields=title&include=publisher")).body.data).toEqual([
      { title: "Running shoes", publisher: expect.objectContaining({ city: "Bern" }) },
    ]);
  });

  it("groups the found rows in aggregates", async () => {
    const { body } = await get("/books/aggregate?search=shoes&groupBy=publisherId&count=true");
    expect(body.data).toEqual([
      { group: { publisherId: 1 }, count: 2 },
      { group: { publisherId: 2 }, count: 1 },
    ]);
  });

  it("C143 accepts every text of at most 500 characters, and rejects a longer one", async () => {
    for (const part of ["- ", "-", '"-', "- or ", '-"a" ', "a-", "-a1 "]) {
      const text = part.repeat(500 / part.length);
      expect([text, (await get(`/books?search=${encodeURIComponent(text)}`)).status]).toEqual([text, 200]);
      expect(await ids(`search=${encodeURIComponent(part.repeat(2_000 / part.length))}`)).toEqual([400, "/search"]);
    }
    expect(await ids(`search=${encodeURIComponent(`${"- ".repeat(40)}running - water`)}`)).toEqual([4]);
  });

  it("takes any text without an error of the database", async () => {
    for (const text of [
      "the",
      "&|!():*",
      '"',
      "''",
      "\\",
      "<->",
      "a:*b",
      "-",
      "or",
      '"" -""',
      "ß İ 東京",
      "🦊",
      "%_",
      ":A",
    ])
      expect([text, await ids(`search=${encodeURIComponent(text)}`)]).toEqual([text, expect.any(Array)]);
    expect(await ids("search=the")).toEqual([]);
    expect(await ids(`search=${encodeURIComponent("東京")}`)).toEqual([6]);
    expect(await ids(`search=${encodeURIComponent("КНИГА")}`)).toEqual([6]);
    expect(await ids(`search=${"x".repeat(500)}`)).toEqual([]);
    expect(await ids(`search=${encodeURIComponent("𐐀".repeat(250))}`)).toEqual([]);
    for (const text of ["", "%20", "%00", "x%00y", "x".repeat(501), "%ED%A0%80"])
      expect([text.length, ((await ids(`search=${text}`)) as unknown[])[0]]).toEqual([text.length, 400]);
    expect(((await ids(`search=${"x".repeat(10_000)}`)) as unknown[])[0]).toBe(414);
  });

  it("requires sort with a cursor, because the rank is no field", async () => {
    expect(await ids("search=shoes&cursor=")).toEqual([400, "/cursor"]);
    const first = await get("/books?search=shoes&cursor=&sort=-pages&limit=2");
    expect(first.body.data.map(({ id }: { id: number }) => id)).toEqual([5, 2]);
    const next = `/books?search=shoes&sort=-pages&limit=2&cursor=${encodeURIComponent(first.body.meta.nextCursor)}`;
    expect((await get(next)).body.data.map(({ id }: { id: number }) => id)).toEqual([1]);
  });

  it("returns excerpts that are safe to insert into a page", async () => {
    const { body } = await get("/books?search=shoes+or+dog&highlight=true&sort=id");
    expect(body.meta.highlights).toEqual([
      { title: "Running <mark>shoes</mark>" },
      { subtitle: "runner and his &lt;b&gt;<mark>shoes</mark>&lt;/b&gt; &amp; a &quot;<mark>dog</mark>" },
      { subtitle: "without <mark>shoes</mark>" },
    ]);
    expect((await get("/books?search=shoes&highlight=true&sort=id&fields=title")).body.meta.highlights).toEqual([
      { title: "Running <mark>shoes</mark>" },
      {},
      {},
    ]);
    expect((await get("/books?search=shoes&highlight=false")).body.meta).not.toHaveProperty("highlights");
    expect((await get("/books?search=nothing&highlight=true")).body.meta.highlights).toEqual([]);
    expect(await ids("highlight=true")).toEqual([400, "/highlight"]);
    expect(await ids("search=a&highlight=yes")).toEqual([400, "/highlight"]);
    expect((await get("/writers?search=John&highlight=true")).status).toBe(400);
  });

  it("finds similar spellings, the most similar first", async () => {
    const names = async (text: string) =>
      (await get(`/writers?search=${text}`)).body.data.map(({ name }: { name: string }) => name);
    expect(await names("Jonh")).toEqual(["John Smith", "Johanna"]);
    expect(await names("john+smiht")).toEqual(["John Smith"]);
    expect(await names("JANE")).toEqual(["Jane Doe"]);
    expect(await names("xqz")).toEqual([]);
    expect((await get("/writers?search=Jonh&sort=name&cursor=")).body.data).toHaveLength(2);
  });
});

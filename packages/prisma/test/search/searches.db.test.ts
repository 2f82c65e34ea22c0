import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Clause, type Database, type Model, makeDatabase } from "../../src/index.js";
import { chooseEngine } from "../../src/internal.js";
import { makePostgresAdapter } from "../../src/postgres/index.js";
import type { TextSearch } from "../../src/queries/text-search.js";
import { searchFields, searchStorage } from "../../src/search/search-storage.js";
import { PrismaClient } from "../generated/kinds/client/client.js";
import { type Kinds, models as kindsModels, openKinds } from "../kinds.js";

let kinds: Kinds;
const opened: Database[] = [];

/** The models with a search of articles, whose vectors are in a column if the schema has one. */
function modelsWith(mode: "fullText" | "similarity", hasColumn = false): ReadonlyMap<string, Model> {
  const article = kindsModels.get("Article") ?? expect.fail();
  const title = article.fieldsByName.get("title") ?? expect.fail();
  const vector = { ...title, kind: "unsupported", type: "tsvector", name: "searchVector", column: "searchVector" };
  const fields = hasColumn ? [...article.fields, vector as Model["fields"][number]] : article.fields;
  const search = { mode, language: "english", fields: ["title", "slug"] } as const;
  const fieldsByName = new Map(fields.map((field) => [field.name, field]));
  return new Map([...kindsModels, ["Article", { ...article, fields, fieldsByName, search }]]);
}

function open(engine: "SQL" | "Prisma Client", models: ReadonlyMap<string, Model>): Database {
  const adapter = makePostgresAdapter({ url: kinds.url });
  const client = new PrismaClient({ adapter });
  const choice = engine === "SQL" ? chooseEngine({ client, adapter, models, schema: "public" }) : {};
  const database = makeDatabase({ client, models, schema: "public", ...choice });
  opened.push(database);
  return database;
}

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  await kinds.sql("CREATE EXTENSION IF NOT EXISTS pg_trgm");
  const column = searchStorage(modelsWith("fullText", true).get("Article") ?? expect.fail());
  if (column?.kind !== "column") throw new Error("A full-text search has a column.");
  await kinds.sql(
    `ALTER TABLE "Article" ADD "searchVector" tsvector GENERATED ALWAYS AS (${column.expression}) STORED;
     COMMENT ON COLUMN "Article"."searchVector" IS '${column.comment}'`,
  );
  await kinds.sql(`INSERT INTO people (id, email_address, password, "updatedAt") VALUES (1, 'a', 'p', now())`);
  await kinds.sql(`INSERT INTO "Article" (id, title, slug, language, "authorId", stage) VALUES
    (1, 'Slow trains', 'slow', 'en', 1, 'DRAFT'), (2, 'Notes', 'the-trains', 'en', 1, 'DRAFT'),
    (3, 'Trains, trains and trains', 'fast', 'en', 1, 'PUBLISHED'), (4, 'Boats', 'boats', 'en', 1, 'DRAFT')`);
});
afterAll(async () => {
  await Promise.all(opened.map((database) => database.disconnect()));
  await kinds?.close();
});

describe.each([
  ["SQL", false],
  ["SQL", true],
  ["Prisma Client", false],
  ["Prisma Client", true],
] as const)("C103 a full-text search by %s, with a column of vectors: %s", (engine, hasColumn) => {
  const models = modelsWith("fullText", hasColumn);
  let database: Database;
  beforeAll(async () => {
    database = open(engine, models);
    await database.ping();
  });
  const searchOf = (text: string, isRanked = true): TextSearch => ({
    ...(searchFields(models.get("Article") ?? expect.fail()) ?? expect.fail()),
    ...{ text, isRanked },
  });
  const select = { id: true };
  const byId = [{ id: "asc" }];
  const found = async (text: string, more: Clause = {}, isRanked = true) =>
    (await database.of("Article").findMany({ search: searchOf(text, isRanked), select, orderBy: byId, ...more })).map(
      ({ id }) => Number(id),
    );

  it("finds words in any form, the best match first", async () => {
    expect(await found("train")).toEqual([3, 1, 2]);
    expect(await found("train -slow")).toEqual([3, 2]);
    expect(await found("boat")).toEqual([4]);
    expect(await found("nothing")).toEqual([]);
    expect(await found("train", {}, false)).toEqual([1, 2, 3]);
  });

  it("is combined with conditions, pages and orders", async () => {
    expect(await found("train", { where: { stage: "DRAFT" } })).toEqual([1, 2]);
    expect(await found("train", { take: 2 })).toEqual([3, 1]);
    expect(await found("train", { take: 1, skip: 1 })).toEqual([1]);
    expect(await found("train", { skip: 5, take: 1 })).toEqual([]);
    expect(await found("train", { orderBy: [{ id: "desc" }] }, false)).toEqual([3, 2, 1]);
    expect(await found("train", { where: { stage: "DRAFT" }, skip: 1, take: 5 })).toEqual([2]);
  });

  it("has the selected fields only, and first rows and counts", async () => {
    const rows = database.of("Article");
    expect(await rows.findMany({ search: searchOf("train"), select: { slug: true }, orderBy: byId })).toEqual([
      { slug: "fast" },
      { slug: "slow" },
      { slug: "the-trains" },
    ]);
    expect(await rows.findFirst({ search: searchOf("boat"), select: { slug: true }, orderBy: byId })).toEqual({
      slug: "boats",
    });
    expect(await rows.count({ search: searchOf("train") })).toBe(3);
    expect(await rows.count({ search: searchOf("train"), where: { stage: "DRAFT" } })).toBe(2);
    const seen = { model: models.get("Article") ?? expect.fail(), models };
    const search = searchOf("train");
    const args = { search, select, orderBy: byId, take: 2 };
    const list = await rows.execute({ operation: "findMany", args, total: { search }, mayEstimate: true }, seen);
    expect(list).toMatchObject({ total: 3 });
    expect(list).not.toHaveProperty("isEstimated");
  });
});

describe.each(["SQL", "Prisma Client"] as const)("C103 a search for similar spellings by %s", (engine) => {
  it("finds them, the most similar first", async () => {
    const models = modelsWith("similarity");
    const database = open(engine, models);
    await database.ping();
    const fields = searchFields(models.get("Article") ?? expect.fail()) ?? expect.fail();
    const found = async (text: string) =>
      (
        await database.of("Article").findMany({
          search: { ...fields, text, isRanked: true },
          select: { slug: true },
          orderBy: [{ id: "asc" }],
        })
      ).map(({ slug }) => slug);
    expect(await found("Boast")).toEqual(["boats", "fast"]);
    expect((await found("the-trian"))[0]).toBe("the-trains");
    expect(await found("xyz")).toEqual([]);
  });
});

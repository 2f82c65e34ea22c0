import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Database, type Model, makeDatabase } from "../src/index.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { searchStorage } from "../src/search/search-storage.js";
import { makeGapFinder } from "../src/sql/find-plan-gaps.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "./kinds.js";

let kinds: Kinds;
let client: PrismaClient;
const modelOf = (name: string): Model => models.get(name) ?? expect.fail(name);

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  client = new PrismaClient({ adapter: makePostgresAdapter({ url: kinds.url }) });
});
afterAll(async () => {
  await client?.$disconnect();
  await kinds?.close();
});

/** The database with searches of models. */
function withSearch(searches: Readonly<Record<string, Model["search"]>>, schema?: string): Database {
  const own = new Map(
    [...models].map(([name, model]) => {
      const search = searches[name];
      return [name, search === undefined ? model : { ...model, search }] as const;
    }),
  );
  return makeDatabase({ client, models: own, ...(schema === undefined ? {} : { schema }) });
}

describe("the unique indexes of a database", () => {
  const indexesOf = async (...names: readonly string[]) =>
    (await makeDatabase({ client, models }).uniqueIndexes(names.map(modelOf))).map(({ model, name, columns }) => [
      model.name,
      name,
      columns,
    ]);

  it("have the columns of their order, without primary keys, parts of a table and expressions", async () => {
    await kinds.sql('CREATE UNIQUE INDEX part ON "Scalar" (int) WHERE int > 0');
    await kinds.sql('CREATE UNIQUE INDEX expression ON "Scalar" (lower(string))');
    await kinds.sql('CREATE UNIQUE INDEX whole ON "Scalar" (string, int) INCLUDE (float)');
    expect(await indexesOf("Scalar", "Author", "Tag")).toEqual([
      ["Scalar", "whole", ["string", "int"]],
      ["Author", "people_email_address_key", ["email_address"]],
      ["Author", "people_secret_key", ["secret"]],
    ]);
    await kinds.sql("DROP INDEX part, expression, whole");
  });

  it("are none of no models, and of a schema without the tables", async () => {
    expect(await indexesOf()).toEqual([]);
    expect(await makeDatabase({ client, models, schema: "elsewhere" }).uniqueIndexes([modelOf("Author")])).toEqual([]);
  });
});

it("the missing tables of a database are those of its schema", async () => {
  const missing = await makeDatabase({ client, models }).missingTables();
  expect(missing).toEqual(["summary_of_work", "Shelf"]);
  const elsewhere = await makeDatabase({ client, models, schema: "elsewhere" }).missingTables();
  expect(elsewhere).toHaveLength(models.size);
  expect(elsewhere).toContain("elsewhere.people");
});

describe("C103 what searches need", () => {
  const fullText = { mode: "fullText", language: "english", fields: ["text"] } as const;
  const similar = { mode: "similarity", language: "english", fields: ["title"] } as const;

  it("is nothing without searches", async () => {
    expect(await withSearch({}).searchIssues()).toEqual({
      unknownLanguages: [],
      knownLanguages: [],
      needs: [],
      vectors: new Set(),
    });
  });

  it("is a known language", async () => {
    const { unknownLanguages, knownLanguages } = await withSearch({
      Note: { ...fullText, language: "klingon" },
      Article: { ...similar, language: "klingon" },
      Profile: { ...fullText, fields: ["bio"], language: "pg_catalog.german" },
    }).searchIssues();
    expect(unknownLanguages).toEqual([{ model: "Note", language: "klingon" }]);
    expect(knownLanguages).toContain("english");
    expect(knownLanguages).toEqual([...knownLanguages].filter((name) => !name.includes(".")).sort());
  });

  it("is a field of the schema for full text, and an index for similar spellings, of tables that exist", async () => {
    const searches = { Note: fullText, Article: similar };
    expect((await withSearch(searches).searchIssues()).needs).toEqual([
      { model: "Article", need: "index" },
      { model: "Note", need: "field" },
    ]);
    const { needs } = await withSearch(
      { Article: similar, Summary: { ...similar, fields: ["email"] } },
      "elsewhere",
    ).searchIssues();
    expect(needs).toEqual([]);
    const storage = searchStorage({ ...modelOf("Article"), search: similar });
    if (storage?.kind !== "index") throw new Error("A search for similar spellings has an index.");
    await kinds.sql(storage.sql);
    expect((await withSearch({ Article: similar }).searchIssues()).needs).toEqual([]);
  });

  it("is a generated column with the comment of its expression, and an index on it", async () => {
    const note = modelOf("Note");
    const [text] = note.fields.filter(({ name }) => name === "text");
    const vector = { ...text, kind: "unsupported", type: "tsvector", name: "searchVector", column: "searchVector" };
    const fields = [...note.fields, vector as Model["fields"][number]];
    const own: Model = {
      ...note,
      search: fullText,
      fields,
      fieldsByName: new Map(fields.map((one) => [one.name, one])),
    };
    const database = makeDatabase({ client, models: new Map([...models, ["Note", own]]) });
    const state = async () => {
      const { needs, vectors } = await database.searchIssues();
      return [needs.map(({ need }) => need), [...vectors]];
    };
    expect(await state()).toEqual([["column"], []]);
    await kinds.sql('ALTER TABLE "Note" ADD "searchVector" tsvector');
    expect(await state()).toEqual([["column"], []]);
    await kinds.sql('ALTER TABLE "Note" DROP "searchVector"');
    const storage = searchStorage(own);
    if (storage?.kind !== "column") throw new Error("A full-text search has a column.");
    await kinds.sql(
      `ALTER TABLE "Note" ADD "searchVector" tsvector GENERATED ALWAYS AS (${storage.expression}) STORED`,
    );
    await kinds.sql(`COMMENT ON COLUMN "Note"."searchVector" IS 'search of another definition'`);
    expect(await state()).toEqual([["column"], []]);
    // C143: of the version that took the name of a file for one word.
    await kinds.sql('ALTER TABLE "Note" DROP "searchVector"');
    await kinds.sql(
      `ALTER TABLE "Note" ADD "searchVector" tsvector GENERATED ALWAYS AS (setweight(to_tsvector('simple', left(coalesce("text"::text, ''), 100000)), 'A')) STORED`,
    );
    await kinds.sql(`COMMENT ON COLUMN "Note"."searchVector" IS 'search 29c42dc9'`);
    expect(await state()).toEqual([["column"], []]);
    await kinds.sql('ALTER TABLE "Note" DROP "searchVector"');
    await kinds.sql(
      `ALTER TABLE "Note" ADD "searchVector" tsvector GENERATED ALWAYS AS (${storage.expression}) STORED`,
    );
    await kinds.sql(`COMMENT ON COLUMN "Note"."searchVector" IS '${storage.comment}'`);
    expect(await state()).toEqual([["index"], ["Note"]]);
    await kinds.sql('CREATE INDEX vectors ON "Note" USING GIN ("searchVector")');
    expect(await state()).toEqual([[], ["Note"]]);
    await kinds.sql('ALTER TABLE "Note" DROP "searchVector"');
  });
});

describe("what a list needs of an index", () => {
  const gapsOf = (name: string, args: Parameters<ReturnType<typeof makeGapFinder>>[1]) =>
    makeGapFinder({ client, models, schema: "public" })(modelOf(name), args);
  const byId = [{ id: "asc" }];

  it("is nothing if an index narrows down the rows and returns their order", async () => {
    expect(await gapsOf("Author", { where: { id: 1 }, orderBy: byId })).toEqual({
      filter: false,
      order: false,
    });
    expect(await gapsOf("Author", { where: { email: "a" } })).toEqual({ filter: false, order: false });
  });

  it("is an index on the field of a condition, and on the field of the order", async () => {
    expect(await gapsOf("Author", { where: { karma: 1 }, orderBy: byId })).toEqual({ filter: true, order: false });
    expect(await gapsOf("Author", { where: { id: 1 }, orderBy: [{ karma: "asc" }, { inbox: "asc" }] })).toEqual({
      filter: false,
      order: true,
    });
    expect(await gapsOf("Author", { where: {}, orderBy: [{ karma: "asc" }] })).toEqual({ filter: true, order: true });
  });

  it("is an index whose first column is compared", async () => {
    expect(await gapsOf("Article", { where: { language: "en" } })).toMatchObject({ filter: false });
    expect(await gapsOf("Article", { where: { slug: "a" } })).toMatchObject({ filter: true });
  });

  it("is unknown for queries that SQL cannot express, and for other models", async () => {
    expect(await gapsOf("Author", { where: {}, orderBy: [{ articles: { _count: "asc" } }] })).toBeUndefined();
    const finder = makeGapFinder({ client, models: new Map(), schema: "public" });
    expect(await finder(modelOf("Author"), { where: {} })).toBeUndefined();
  });
});

import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import type { ModelConfig } from "../src/index.js";
import { makeFailingStarter } from "./failing-start.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logged } = makeStarter();
const failing = makeFailingStarter();
let created: Awaited<ReturnType<typeof createPushedDatabase>>;
beforeAll(async () => {
  created = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/notes"));
});
afterEach(async () => {
  await closeAll();
  await failing.closeAll();
});
afterAll(async () => void (await created?.drop()));

const start = (search: ModelConfig["search"] & object) =>
  init(
    {
      models: { Note: { search } },
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: created.url } },
  );

it("C103 an unknown language of a search is a startup error that names the nearest one", async () => {
  await expect(start({ fields: ["text"], language: "englisch" })).rejects.toThrow(
    "models.Note.search.language: PostgreSQL has no text search configuration englisch. Did you mean english?",
  );
  await expect(start({ fields: ["text"], language: "tlhingan" })).rejects.toThrow(
    /Expected one of arabic, .*, english, /,
  );
});

it("C103 a search without its column works, and the log names the lines for the schema and the command", async () => {
  const { url } = await start({ fields: ["text"], language: "pg_catalog.english" });
  await fetch(`${url}/api/notes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "Running shoes" }),
  });
  const found = await (await fetch(`${url}/api/notes?search=shoe+run`)).json();
  expect(found).toMatchObject({ data: [{ text: "Running shoes" }], meta: { total: 1 } });
  const message =
    'The search of Note reads the whole table. Add these lines to the model Note in the Prisma schema: searchVector Unsupported("tsvector")? @default(dbgenerated()) and @@index([searchVector], type: Gin). Run `npx service migrate new --name search`, and apply the migration with `npx service migrate deploy`.';
  await expect.poll(() => logged().map(({ msg }) => msg)).toContain(message);
});

it("C103 a search of similar spellings without its index is reported", async () => {
  await start({ fields: ["text"], mode: "similarity" });
  await expect
    .poll(() => logged().map(({ msg }) => msg))
    .toContainEqual(
      expect.stringMatching(/^The search of Note reads the whole table\. Its index is missing\. Run `npx/),
    );
});

it("C103 a wrong definition of a search is a startup error", async () => {
  const issues = async (search: object, more: object = {}) =>
    failing.textOf(
      {
        models: { Note: { search, ...more } },
        database: { models, client: ({ adapter }: { adapter: never }) => new PrismaClient({ adapter }) },
      },
      {},
      { DATABASE_URL: created.url },
    );
  expect(await issues({ fields: ["txt"] })).toMatch(/models\.Note\.search\.fields: .*txt.*Did you mean text\?/);
  expect(await issues({ fields: ["id"] })).toContain("models.Note.search.fields");
  expect(await issues({ fields: [] })).toContain("models.Note.search.fields");
  expect(await issues({ fields: ["text", "text"] })).toContain("Name each field once.");
  expect(await issues({ fields: ["text"], language: "english'" })).toContain("models.Note.search.language");
  expect(await issues({ fields: ["text"], language: "english", mode: "similarity" })).toContain("have no language");
  expect(await issues({ fields: ["text"] }, { searchable: ["text"] })).toContain("Remove one of the two.");
  expect(await issues({ fields: ["text"] }, { hidden: ["text"] })).toContain("models.Note.search.fields");
});

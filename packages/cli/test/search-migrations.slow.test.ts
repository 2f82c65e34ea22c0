import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { createProject } from "../../create-servicekit/src/index.js";
import { withClient } from "../../dev-database/src/databases/with-client.js";
import { type CreatedDatabase, createDatabase } from "../../dev-database/src/index.js";

// From the built files, in plain Node, in a project with the packages of the example.
const root = path.join(import.meta.dirname, "../../..");
const bin = path.join(root, "packages/service/bin/service.js");
const place = fs.mkdtempSync(path.join(root, "apps/example/.search-"));
const project = path.join(place, "my-blog");
let database: CreatedDatabase;

async function run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
  const { NODE_ENV: _, FORCE_COLOR: _colour, VITEST: _vitest, ...rest } = process.env;
  const env = { ...rest, DATABASE_URL: database.url };
  const child = spawn(process.execPath, [bin, ...args], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, text };
}
const change = (file: string, from: string, to: string): void => {
  const text = fs.readFileSync(path.join(project, file), "utf8");
  expect(text).toContain(from);
  fs.writeFileSync(path.join(project, file), text.replace(from, to));
};
const query = (text: string): Promise<Record<string, unknown>[]> =>
  withClient(database.url, async (client) => (await client.query(text)).rows);
const migrate = () => run("migrate", "new", "--name", "search");
const unchanged = expect.stringContaining("The migrations match the schema. No migration was created.");

beforeAll(async () => {
  database = await createDatabase(inject("postgresUrl"));
  createProject({ directory: project, schema: "blog", authentication: "static", validation: "zod" });
  fs.symlinkSync(path.join(root, "apps/example/node_modules"), path.join(project, "node_modules"));
  expect(await run("generate", "--force")).toMatchObject({ code: 0 });
  expect(await run("migrate", "new", "--name", "init")).toMatchObject({ code: 0 });
  expect(await run("migrate", "deploy")).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await database.drop();
  fs.rmSync(place, { recursive: true, force: true });
});

it("C103 service migrate new names the lines of the schema, then creates the column once, and changes it with the configuration", async () => {
  const model = "src/modules/post/post.model.ts";
  change(model, 'searchable: ["title", "content"]', 'search: { fields: ["title"], language: "english" }');
  const refused = await migrate();
  expect([refused.code, refused.text]).toEqual([1, expect.stringContaining("@@index([searchVector], type: Gin)")]);

  const lines = refused.text.split("\n").filter((line) => /searchVector/.test(line));
  change("prisma/schema.prisma", "  comments    Comment[]", `${lines[0]}\n  comments    Comment[]\n${lines[1]}`);
  expect(await run("generate")).toMatchObject({ code: 0 });
  expect(await migrate()).toMatchObject({ code: 0, text: expect.stringContaining("GENERATED ALWAYS AS") });
  expect(await run("migrate", "deploy")).toMatchObject({ code: 0 });
  expect(await migrate()).toEqual({ code: 0, text: unchanged });
  expect(await run("migrate", "status")).toMatchObject({ code: 0 });

  const isFound = async () => (await query(`SELECT id FROM "Post" WHERE "searchVector" @@ 'tide'`)).length;
  await query(`INSERT INTO "User" (id, email, name, password) VALUES (1, 'a@b.c', 'Ann', 'x')`);
  await query(`INSERT INTO "Post" (title, content, "ownerId") VALUES ('The sea', 'Tides', 1)`);
  expect(await isFound()).toBe(0);
  change(model, 'fields: ["title"]', 'fields: ["title", "content"]');
  expect(await migrate()).toMatchObject({ code: 0, text: expect.stringContaining("DROP COLUMN") });
  expect(await run("migrate", "deploy")).toMatchObject({ code: 0 });
  expect([await isFound(), await migrate()]).toEqual([1, { code: 0, text: unchanged }]);

  // C143: the definition of an earlier version.
  expect((await run("doctor")).text).toContain("✓ Searches: have the columns of their current definitions");
  const migrations = path.join(project, "prisma/migrations");
  const last =
    fs
      .readdirSync(migrations)
      .filter((name) => /^\d/.test(name))
      .sort()
      .at(-1) ?? "";
  fs.mkdirSync(path.join(migrations, `${last}_again`));
  fs.writeFileSync(
    path.join(migrations, `${last}_again`, "migration.sql"),
    `ALTER TABLE "Post" DROP COLUMN "searchVector";
ALTER TABLE "Post" ADD COLUMN "searchVector" tsvector GENERATED ALWAYS AS (${earlierExpression}) STORED;
CREATE INDEX "Post_searchVector_idx" ON "Post" USING GIN ("searchVector");
COMMENT ON COLUMN "Post"."searchVector" IS 'search 29c42dc9';
`,
  );
  expect(await run("migrate", "deploy")).toMatchObject({ code: 0 });
  const isPartFound = async () => (await query(`SELECT id FROM "Post" WHERE "searchVector" @@ 'tide'`)).length;
  await query(`UPDATE "Post" SET content = 'high-tide.pdf'`);
  expect(await isPartFound()).toBe(0);
  expect((await run("doctor")).text).toMatch(
    /! Searches: read whole tables.*: Post\.searchVector\n.*service migrate new/,
  );
  expect(await migrate()).toMatchObject({ code: 0, text: expect.stringContaining("DROP COLUMN") });
  expect(await run("migrate", "deploy")).toMatchObject({ code: 0 });
  expect([await isPartFound(), await migrate()]).toEqual([1, { code: 0, text: unchanged }]);

  // Without the searches, a migration could lack them or drop their indexes.
  const written = fs.readdirSync(path.join(project, "prisma/migrations"));
  change(model, 'fields: ["title", "content"]', 'fields: ["titel"]');
  expect(await migrate()).toMatchObject({ code: 1, text: expect.stringContaining("No migration was written.") });
  expect(fs.readdirSync(path.join(project, "prisma/migrations"))).toEqual(written);
}, 120_000);

/** Of the version that took the name of a file for one word. */
const earlierExpression = ["title", "content"]
  .map((column, index) => {
    const text = `left(coalesce("${column}"::text, ''), 100000) COLLATE "C"`;
    const parsed = `replace(regexp_replace(${text}, '([^ \\t\\n\\r\\f\\v]{100}(?=[^ \\t\\n\\r\\f\\v]))', '\\1 ', 'g'), '<!--', ' ')`;
    return `setweight(to_tsvector('english', ${parsed}), '${"AB"[index]}')`;
  })
  .join(" || ");

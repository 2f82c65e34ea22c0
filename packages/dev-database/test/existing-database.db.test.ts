import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { withClient } from "../src/databases/with-client.js";
import {
  baselineDatabase,
  type CreatedDatabase,
  createDatabase,
  createMigration,
  introspectDatabase,
  migrationStatus,
  pushSchema,
} from "../src/index.js";
import { datasource, issueOf, user } from "./migration-error.js";

let database: CreatedDatabase;
let directory = "";
beforeEach(async () => {
  database = await createDatabase(inject("postgresUrl"));
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-existing-"));
});
afterEach(async () => {
  await database.drop();
  fs.rmSync(directory, { recursive: true, force: true });
});

const execute = (sql: string) => withClient(database.url, (client) => client.query(sql));

describe("introspectDatabase", () => {
  it("C69 returns the schema of the tables and what it does not represent", async () => {
    await execute(`
      CREATE TYPE status AS ENUM ('open', 'in progress');
      CREATE TABLE projects (id serial PRIMARY KEY, name varchar(80) NOT NULL UNIQUE, state status DEFAULT 'open');
      CREATE TABLE tasks (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), project_id int NOT NULL REFERENCES projects, words tsvector);
      CREATE TABLE notes (text text);`);
    const { schema, warnings } = await introspectDatabase(database.url);
    expect(schema).toMatch(/^datasource db \{\n {2}provider = "postgresql"\n\}\n/);
    expect(schema).toMatch(/name +String +@unique @db\.VarChar\(80\)/);
    expect(schema).toMatch(/projects +projects +@relation\(fields: \[project_id\], references: \[id\]/);
    expect(schema).toContain('in_progress @map("in progress")');
    expect(schema).not.toContain("generator");
    expect(warnings).toMatch(/valid unique identifier[\s\S]*"notes"[\s\S]*"tasks", field: "words"/);
  });

  it("C69 reads the schemas that are named, and names the one that a foreign key needs", async () => {
    await execute(`
      CREATE SCHEMA auth;
      CREATE TABLE auth.users (id uuid PRIMARY KEY);
      CREATE TABLE public.profiles (id uuid PRIMARY KEY REFERENCES auth.users);
      ALTER TABLE public.profiles ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON public.profiles USING (true);`);
    const { message, code } = await issueOf(introspectDatabase(database.url));
    expect([message, code]).toEqual([
      "The foreign key profiles_id_fkey of public.profiles refers to auth.users. Read the schema auth too: public,auth.",
      "P4002",
    ]);
    const { schema, warnings } = await introspectDatabase(database.url, { schemas: ["public", "auth"] });
    expect(schema).toContain('schemas  = ["public", "auth"]');
    expect(schema.match(/@@schema\("\w+"\)/g)).toEqual(['@@schema("auth")', '@@schema("public")']);
    expect(warnings).toContain("row level security");
  });

  it("C69 reads the schema of the URL", async () => {
    await execute("CREATE SCHEMA shop; CREATE TABLE shop.carts (id int PRIMARY KEY)");
    expect((await introspectDatabase(`${database.url}?schema=shop`)).schema).toContain("model carts {");
  });

  it("C69 rejects a database without tables and one that does not exist", async () => {
    expect((await issueOf(introspectDatabase(database.url))).message).toBe(
      "The database has no tables in the schema public.",
    );
    expect((await issueOf(introspectDatabase(database.url, { schemas: ["a", "b"] }))).message).toBe(
      "The database has no tables in the schemas a, b.",
    );
    expect((await issueOf(introspectDatabase(`${database.url}_none`))).message).toMatch(/does not exist/);
  });
});

describe("baselineDatabase", () => {
  it("C69 records the schema as the first migration without running it, and later changes follow it", async () => {
    await pushSchema(database.url, datasource + user);
    const options = { url: database.url, directory, schema: datasource + user };
    const file = await baselineDatabase(options);
    expect(file).toBe(path.join(directory, "0_init/migration.sql"));
    expect(fs.readFileSync(file, "utf8")).toContain('CREATE TABLE "User"');
    expect(await migrationStatus(database.url, directory)).toMatchObject({ applied: ["0_init"], pending: [] });
    expect(await createMigration({ ...options, name: "none" })).toEqual({ status: "unchanged" });
    const schema = `${datasource}${user}model Tag {\n  id Int @id\n}\n`;
    expect(await createMigration({ ...options, schema, name: "tag", apply: true })).toMatchObject({
      status: "created",
      sql: expect.stringContaining('CREATE TABLE "Tag"'),
    });
    expect((await issueOf(baselineDatabase(options))).message).toMatch(/already has migrations\.$/);
  });

  it("C69 leaves no file when the schema is invalid", async () => {
    const schema = `${datasource}model Broken {\n  id Nope @id\n}\n`;
    expect((await issueOf(baselineDatabase({ url: database.url, directory, schema }))).message).toContain("Nope");
    expect(fs.readdirSync(directory)).toEqual([]);
  });
});

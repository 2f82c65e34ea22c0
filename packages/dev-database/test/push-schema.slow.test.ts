import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { withClient } from "../src/databases/with-client.js";
import { type CreatedDatabase, createDatabase, pushSchema } from "../src/index.js";
import { datasource, issueOf, user } from "./migration-error.js";

let database: CreatedDatabase;
let directory = "";

beforeEach(async () => {
  database = await createDatabase(inject("postgresUrl"));
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-migrations-"));
});

afterEach(async () => {
  await database.drop();
  fs.rmSync(directory, { recursive: true, force: true });
});

async function query(sql: string, values: unknown[] = []): Promise<unknown[]> {
  return withClient(database.url, async (client) =>
    (await client.query({ text: sql, values, rowMode: "array" })).rows.flat(),
  );
}

const tables = () => query("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1");

async function sessions(): Promise<unknown[]> {
  return query("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
}

describe("pushSchema", () => {
  it("creates the tables of a schema", async () => {
    await pushSchema(database.url, datasource + user);
    expect(await tables()).toEqual(["User"]);
    await pushSchema(database.url, datasource + user);
    await expect.poll(sessions).toEqual([]);
  });

  it("rolls back when it fails", async () => {
    const broken = 'model Broken {\n  id Int @id\n  text String @default(dbgenerated("nope()"))\n}\n';
    expect((await issueOf(pushSchema(database.url, datasource + user + broken))).message).toContain("nope()");
    expect((await issueOf(pushSchema(`${database.url}?schema=own`, datasource + user + broken))).message).toContain(
      "nope",
    );
    expect(await tables()).toEqual([]);
    expect(await query("SELECT FROM pg_namespace WHERE nspname = 'own'")).toEqual([]);
    await pushSchema(database.url, datasource + user);
    expect(await tables()).toEqual(["User"]);
  });

  it("accepts a new value of an enum as a default", async () => {
    const schema = (values: string, value: string) =>
      `${datasource}enum Size {\n${values}\n}\nmodel Shoe {\n  id Int @id\n  size Size @default(${value})\n}\n`;
    await pushSchema(database.url, schema("S", "S"));
    await pushSchema(database.url, schema("S\nM", "M"));
    await query(`INSERT INTO "Shoe" VALUES (1)`);
    expect(await query(`SELECT size FROM "Shoe"`)).toEqual(["M"]);
  });

  it("accepts a folder of files at any depth", async () => {
    fs.mkdirSync(path.join(directory, "models"));
    fs.writeFileSync(path.join(directory, "base.prisma"), datasource);
    fs.writeFileSync(path.join(directory, "models", "user.prisma"), user);
    fs.writeFileSync(path.join(directory, "README.md"), "not a schema");
    await pushSchema(database.url, { directory });
    expect(await tables()).toEqual(["User"]);
  });

  it("accepts every kind of column and relation", async () => {
    const schema = `${datasource}
enum Colour {
  RED @map("red")
  BLUE
  @@map("colours")
}
model Everything {
  id String @id @default(uuid()) @db.Uuid
  big BigInt @default(9007199254740993)
  float Float?
  decimal Decimal @db.Decimal(10, 2)
  when DateTime @default(now()) @db.Timestamptz(3)
  day DateTime @db.Date
  json Json @default("{\\"a;b\\": [1]}")
  bytes Bytes?
  list String[] @default(["x;y", "z"])
  colour Colour @default(RED)
  colours Colour[]
  char String @db.Char(1)
  code String @db.VarChar(40)
  ip String? @db.Inet
  xml String? @db.Xml
  bits String? @db.Bit(8)
  search Unsupported("tsvector")?
  parentId String? @db.Uuid
  parent Everything? @relation("tree", fields: [parentId], references: [id], onDelete: SetNull)
  children Everything[] @relation("tree")
  tags Tag[]
  @@unique([code, day], map: "code_of_day")
  @@index([list], type: Gin)
  @@map("every_thing")
}
model Tag {
  a Int
  b Int
  everything Everything[]
  only Int @unique
  @@id([a, b])
}
`
      .replace("everything Everything[]\n", "")
      .replace("  tags Tag[]\n", "");
    await pushSchema(database.url, schema);
    await pushSchema(database.url, schema);
    expect(await tables()).toEqual(["Tag", "every_thing"]);
  });

  it("reports the position of an error in a schema", async () => {
    const { code, message } = await issueOf(pushSchema(database.url, `${datasource}model A {\n  id Nope @id\n}\n`));
    expect(code).toBe("P1012");
    expect(message).toMatch(/Type "Nope" is neither/);
    expect(message).toContain("schema.prisma:5");
  });

  it("never drops data", async () => {
    await pushSchema(database.url, datasource + user);
    await query(`INSERT INTO "User" (email) VALUES ('a@b')`);
    await issueOf(pushSchema(database.url, datasource));
    expect(await tables()).toEqual(["User"]);
  });

  it("rejects a folder without a schema", async () => {
    await issueOf(pushSchema(database.url, { directory }));
    await issueOf(pushSchema(database.url, { directory: path.join(directory, "nowhere") }));
  });
});

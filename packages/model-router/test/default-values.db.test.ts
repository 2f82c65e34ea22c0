import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { operatorsOf, type PrismaClientLike, readModels } from "@servicekit/prisma";
import { isSortable, isStored, prismaExecutor } from "@servicekit/prisma/internal";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import { makeSqliteAdapter } from "@servicekit/prisma/sqlite";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { withAdapter } from "../../../scripts/test/client-adapter.js";
import { createEmptySqliteFile } from "../../../scripts/test/sqlite-database.js";
import { createDatabase, createMigration } from "../../dev-database/src/index.js";
import { PrismaClient } from "./generated/defaults/client/client.js";
import { models as postgresData } from "./generated/defaults/models.js";
import { PrismaClient as SqliteClient } from "./generated/defaults-sqlite/client/client.js";
import { models as sqliteData } from "./generated/defaults-sqlite/models.js";
import { type Served, serveModels, type TestResponse } from "./serve-models.js";

type Provider = "postgresql" | "sqlite";

const fixture = fs.readFileSync(path.join(import.meta.dirname, "fixtures/defaults/schema.prisma"), "utf8");
const schemaOf = (provider: Provider): string => fixture.replace('provider = "postgresql"', `provider = "${provider}"`);

/** The columns as earlier versions have created them in SQLite. */
const previousColumns = `"id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "name" TEXT,
    "at" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lastAt" DATETIME DEFAULT CURRENT_TIMESTAMP,
    "day" DATETIME NOT NULL DEFAULT '2024-01-01 00:30:00 +02:00',
    "lastDay" DATETIME DEFAULT '2024-06-01 10:00:00.500 -03:30',
    "bytes" BLOB NOT NULL DEFAULT '48656c6c6f',
    "noBytes" BLOB DEFAULT '',
    "data" JSONB NOT NULL DEFAULT '{"bb": 1, "a": ["it''s", 1.5, {"d": 1, "c": 2}]}',
    "list" JSONB DEFAULT '[]',
    "big" BIGINT NOT NULL DEFAULT 9007199254740993,
    "flag" BOOLEAN NOT NULL DEFAULT true,
    "ratio" REAL NOT NULL DEFAULT 0.1,
    "exact" REAL NOT NULL DEFAULT 123456789.12345679,
    "places" INTEGER NOT NULL DEFAULT -5,
    "size" TEXT NOT NULL DEFAULT 'XL',
    "text" TEXT NOT NULL DEFAULT 'it''s "x" DATETIME DEFAULT CURRENT_TIMESTAMP,'`;

const origins = [
  ["postgresql", "with columns that a migration adds"],
  ["sqlite", "with columns that a migration adds"],
  ["sqlite", "with tables of an earlier version"],
] as const;

describe.each(origins)("C139 rows of %s %s", (provider, origin) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-defaults-"));
  const directory = path.join(folder, "migrations");
  const models = readModels(provider === "sqlite" ? sqliteData : postgresData);
  const item = models.get("Item");
  const fields = (item?.fields ?? []).filter(isStored).filter(({ name }) => name !== "id" && name !== "name");
  const closing: (() => unknown)[] = [];
  let served: Served;
  let rows: readonly Record<string, unknown>[];

  beforeAll(async () => {
    const database = provider === "sqlite" ? createEmptySqliteFile() : await createDatabase(inject("postgresUrl"));
    closing.push(() => database.drop());
    const { url } = database;
    const migrate = async (schema: string) => {
      await createMigration({ url, directory, schema, name: "next", apply: true });
      const again = await createMigration({ url, directory, schema, name: "again" });
      expect(again).toEqual({ status: "unchanged" });
    };
    const adapter = provider === "sqlite" ? makeSqliteAdapter({ url, models }) : makePostgresAdapter({ url });
    const client = (
      provider === "sqlite"
        ? new SqliteClient({ adapter: adapter as ReturnType<typeof makeSqliteAdapter> })
        : withAdapter(
            new PrismaClient({ adapter: adapter as ReturnType<typeof makePostgresAdapter> }),
            adapter as never,
          )
    ) as PrismaClient;
    closing.push(() => client.$disconnect());
    const insert = (name: string) => client.$executeRawUnsafe(`INSERT INTO "Item" (name) VALUES ('${name}')`);

    const schema = schemaOf(provider);
    if (origin === "with tables of an earlier version") {
      const first = path.join(directory, "20200101000000_init");
      fs.mkdirSync(first, { recursive: true });
      fs.writeFileSync(path.join(first, "migration.sql"), `CREATE TABLE "Item" (\n    ${previousColumns}\n);\n`);
      const { applyMigrations } = await import("../../dev-database/src/index.js");
      await applyMigrations(url, directory);
    } else
      await migrate(
        schema.replace(
          /model Item \{[\s\S]*\n\}/,
          "model Item {\n  id Int @id @default(autoincrement())\n  name String?\n}",
        ),
      );
    await insert("old 1");
    await insert("old 2");
    await migrate(schema);
    await insert("of another program");
    served = await serveModels(
      client as PrismaClientLike,
      models,
      {},
      [],
      {},
      provider === "sqlite" ? { executor: prismaExecutor } : undefined,
    );
    closing.push(() => served.stop());
    const created = await served.call("POST", "/items", { name: "of the service" });
    expect(created.status).toBe(201);
    // The service sets the others itself.
    const writable = fields.filter(({ default: from }) => from !== undefined && "value" in from);
    const body = Object.fromEntries(writable.map(({ name }) => [name, created.body.data[name]]));
    const complete = await served.call("POST", "/items", { name: "complete", ...body });
    expect([complete.status, complete.body.errors]).toEqual([201, undefined]);
    await insert("last");
    ({ data: rows } = (await served.call("GET", "/items?sort=id")).body);
    expect(rows).toHaveLength(6);
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  const read = async (query: string): Promise<TestResponse> => {
    const response = await served.call("GET", `/items?${query}`);
    expect([query, response.status]).toEqual([query, 200]);
    return response;
  };

  it("C139 have the same constant values as those that the service creates, and no null", () => {
    for (const { name, default: from } of fields) {
      const values = rows.map((row) => row[name]);
      expect([name, values.includes(null)]).toEqual([name, false]);
      if (from !== undefined && "value" in from)
        expect([name, new Set(values.map((one) => JSON.stringify(one))).size]).toEqual([name, 1]);
    }
  });

  it("C139 are found by their values", async () => {
    for (const field of fields) {
      const values = new Set(rows.map((row) => JSON.stringify(row[field.name])));
      for (const text of values) {
        const value: unknown = JSON.parse(text);
        const same = rows.filter((row) => JSON.stringify(row[field.name]) === text).map(({ id }) => id);
        const operand = encodeURIComponent(text);
        if (typeof value === "object") continue;
        const { body } = await read(`${field.name}=${operand}&fields=id&sort=id`);
        expect([field.name, text, body.data.map(({ id }: { id: unknown }) => id)]).toEqual([field.name, text, same]);
        if (!operatorsOf(field).includes("gte")) continue;
        const range = await read(`${field.name}__gte=${operand}&${field.name}__lte=${operand}&fields=id&sort=id`);
        expect(range.body.data.map(({ id }: { id: unknown }) => id)).toEqual(same);
      }
    }
  });

  it("C139 are found by their JSON values", async () => {
    for (const name of ["data", "list"]) {
      const where = { [name]: { equals: rows[0]?.[name] } };
      expect([name, await served.database.of("Item").count({ where })]).toEqual([name, rows.length]);
    }
  });

  it.each(["", "-"])("C139 are sorted and paged by each field, with the direction '%s'", async (sign) => {
    for (const field of fields.filter(isSortable)) {
      const sort = `${sign}${field.name},id`;
      const whole = (await read(`sort=${sort}&fields=id`)).body.data.map(({ id }: { id: unknown }) => id);
      const paged: unknown[] = [];
      const hasCursor = operatorsOf(field).includes("gt");
      for (let cursor = ""; hasCursor; ) {
        const { body } = await read(`sort=${sort}&fields=id&limit=1&cursor=${cursor}`);
        paged.push(...body.data.map(({ id }: { id: unknown }) => id));
        if (body.meta.nextCursor === null || paged.length > 10) break;
        cursor = body.meta.nextCursor;
      }
      expect([sort, paged]).toEqual([sort, hasCursor ? whole : []]);
      expect(new Set(whole).size).toBe(rows.length);
      if (field.type !== "DateTime") continue;
      const times = whole.map((id: unknown) => Date.parse(String(rows.find((row) => row.id === id)?.[field.name])));
      expect(times).toEqual([...times].sort((a, b) => (sign === "" ? a - b : b - a)));
    }
  });
});

import { inspect } from "node:util";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { withClient } from "../src/databases/with-client.js";
import { type CreatedDatabase, createDatabase, findLocalPostgres } from "../src/index.js";

const server = inject("postgresUrl");
const created: CreatedDatabase[] = [];

async function create(...args: Parameters<typeof createDatabase>): Promise<CreatedDatabase> {
  const database = await createDatabase(...args);
  created.push(database);
  return database;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  return withClient(url, async (client) => (await client.query({ text: sql, rowMode: "array" })).rows.flat());
}

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const database of created.splice(0)) await database.drop();
});

describe("createDatabase", () => {
  it("creates an empty database in UTF-8 that sorts by code point", async () => {
    const { url, name } = await create(server);
    expect(name).toMatch(/^test_[0-9a-f]{16}$/);
    const sql =
      "SELECT current_database(), current_setting('server_encoding'), 'Z' < 'a', (SELECT count(*)::int FROM pg_tables WHERE schemaname = 'public')";
    expect(await query(url, sql)).toEqual([name, "UTF8", true, 0]);
  });

  it("copies a template, several times concurrently", async () => {
    const template = await create(server);
    await query(template.url, "CREATE TABLE kept AS SELECT 7 AS n");
    const copies = await Promise.all([1, 2, 3].map(() => create(server, { template: template.name })));
    expect(await Promise.all(copies.map(({ url }) => query(url, "SELECT n FROM kept")))).toEqual([[7], [7], [7]]);
  });

  it.each(['a"; DROP DATABASE postgres; --', "Größe/✓+%41", " ", "template"])("accepts %j as a name", async (name) => {
    const database = await create(server, { name: `${name}${process.pid}` });
    expect(await query(database.url, "SELECT current_database()")).toEqual([`${name}${process.pid}`]);
  });

  it.each(["", "é".repeat(32), "a\0b", "a?b", "#"])("rejects %j as a name", async (name) => {
    await expect(createDatabase(server, { name })).rejects.toThrow(RangeError);
  });

  it("drops the database under an open connection, and twice", async () => {
    const database = await create(server);
    await withClient(database.url, async (client) => {
      await database.drop();
      await database.drop();
      await expect(client.query("SELECT 1")).rejects.toThrow();
    });
    expect(await query(server, `SELECT datname FROM pg_database WHERE datname = '${database.name}'`)).toEqual([]);
  });
});

it.each(["", "nonsense", "mongodb://root:secret@localhost/x", "mysql://root:secret@localhost"])(
  "rejects %j as a URL without repeating it",
  async (url) => {
    const error: unknown = await createDatabase(url).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(inspect(error)).not.toContain("secret");
  },
);

describe("findLocalPostgres", () => {
  it("prefers SERVICEKIT_TEST_DATABASE_URL", async () => {
    vi.stubEnv("SERVICEKIT_TEST_DATABASE_URL", "postgresql://someone@somewhere:1/else");
    expect(await findLocalPostgres()).toBe("postgresql://someone@somewhere:1/else");
  });

  it("returns a server that can create databases, or none", async () => {
    vi.stubEnv("SERVICEKIT_TEST_DATABASE_URL", "");
    const url = await findLocalPostgres();
    if (url !== undefined) await create(url);
  });
});

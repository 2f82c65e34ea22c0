import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createEmptyMysqlDatabase, type MysqlDatabase } from "../../../scripts/test/mysql-database.js";
import { providers } from "../../../scripts/test/provider-database.js";
import {
  applyMigrations,
  baselineDatabase,
  createDatabase,
  createMigration,
  forgetFailedMigration,
  introspectDatabase,
  migrationStatus,
  pushSchema,
  resetDatabase,
} from "../src/index.js";
import { onMysql } from "../src/migrations/on-mysql.js";
import { issueOf } from "./migration-error.js";

const none = { applied: [], pending: [], failed: [], edited: [], missing: [] };

describe.skipIf(!providers.includes("mysql"))("createDatabase on MySQL and MariaDB", () => {
  it("creates an empty database that compares text exactly, and drops it twice", async () => {
    const server = await createEmptyMysqlDatabase();
    try {
      for (const name of [undefined, "a`b é%41"]) {
        const database = await createDatabase(server.url, name === undefined ? {} : { name });
        const [row] = await onMysql(database.url, ({ query }) =>
          query("SELECT DATABASE() AS name, @@collation_database AS collation"),
        );
        expect(row).toMatchObject({
          name: name ?? expect.stringMatching(/^test_[0-9a-f]{16}$/),
          collation: expect.stringMatching(/^utf8mb4_(nopad|0900)_bin$/),
        });
        expect(row).toMatchObject({ name: database.name });
        await database.drop();
        await database.drop();
        const gone = await issueOf(onMysql(database.url, async () => undefined));
        expect(gone.message).toContain("Unknown database");
      }
    } finally {
      await server.drop();
    }
  });

  it("rejects names that the server would reject, an existing one, and a template", async () => {
    const server = await createEmptyMysqlDatabase();
    try {
      for (const name of ["", "x".repeat(65), "a/b", "a.b", "a "])
        await expect(createDatabase(server.url, { name })).rejects.toThrow(RangeError);
      const name = new URL(server.url).pathname.slice(1);
      expect((await issueOf(createDatabase(server.url, { name }))).message).toMatch(/database exists$/);
      await expect(createDatabase(server.url, { template: name })).rejects.toThrow("MySQL cannot copy a database.");
    } finally {
      await server.drop();
    }
  });
});

describe.skipIf(!providers.includes("mysql"))("C120 migrations of MySQL and MariaDB", () => {
  let database: MysqlDatabase;
  let directory: string;
  beforeEach(async () => {
    database = await createEmptyMysqlDatabase();
    directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-migrations-"));
    fs.writeFileSync(path.join(directory, "migration_lock.toml"), '# a comment\nprovider = "mysql"\n');
  });
  afterEach(async () => {
    await database.drop();
    fs.rmSync(directory, { recursive: true, force: true });
  });

  function write(name: string, sql: string): void {
    fs.mkdirSync(path.join(directory, name), { recursive: true });
    fs.writeFileSync(path.join(directory, name, "migration.sql"), sql);
  }
  const apply = (log?: (line: string) => void) =>
    applyMigrations(database.url, directory, log === undefined ? {} : { log });
  const status = () => migrationStatus(database.url, directory);
  const records = () => database.run("SELECT * FROM _prisma_migrations ORDER BY migration_name");
  const tables = async () => {
    const rows = await database.run("SHOW TABLES WHERE Tables_in_%s <> '_prisma_migrations'".replace("%s", nameOf()));
    return rows.flatMap((row) => Object.values(row as object)) as string[];
  };
  const nameOf = () => new URL(database.url).pathname.slice(1);

  it("are applied once, in the order of their names, with the records of Prisma", async () => {
    write("2_b", "CREATE TABLE b (id INT, CONSTRAINT f FOREIGN KEY (id) REFERENCES a (id));");
    write("1_a", "-- CreateTable\nCREATE TABLE a (id INT PRIMARY KEY);\n\n-- Fill\nINSERT INTO a VALUES (1); -- ; '\n");
    expect(await status()).toEqual({ ...none, pending: ["1_a", "2_b"] });
    const lines: string[] = [];
    const before = Date.now();
    expect(await apply((line) => lines.push(line))).toEqual(["1_a", "2_b"]);
    expect(await apply((line) => lines.push(line))).toEqual([]);
    expect(lines).toEqual(["Applied migration 1_a.", "Applied migration 2_b."]);
    expect([await status(), await tables()]).toEqual([{ ...none, applied: ["1_a", "2_b"] }, ["a", "b"]]);
    const [first] = (await records()) as readonly { readonly started_at: Date; readonly finished_at: Date }[];
    const script = fs.readFileSync(path.join(directory, "1_a/migration.sql"));
    expect(first).toEqual({
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      checksum: createHash("sha256").update(script).digest("hex"),
      finished_at: expect.any(Date),
      migration_name: "1_a",
      logs: null,
      rolled_back_at: null,
      started_at: expect.any(Date),
      applied_steps_count: 1,
    });
    // In UTC, whatever the time zone of the server is.
    expect(Math.abs((first?.started_at.getTime() ?? 0) - before)).toBeLessThan(600_000);
  });

  it("may alternate with Prisma's command line, whose records are accepted", async () => {
    write("1_a", "CREATE TABLE a (id INT);\r\n");
    write("2_b", "CREATE TABLE b (id INT);");
    write("3_c", "CREATE TABLE c (id INT);");
    await apply();
    // As the command line records a migration: with one step, or as marked by "migrate resolve".
    await database.run("DELETE FROM _prisma_migrations WHERE migration_name <> '1_a'");
    const record = (name: string, script: string, others = "NULL, 1, NOW(3), NULL") => {
      const checksum = createHash("sha256").update(script).digest("hex");
      return database.run(`INSERT INTO _prisma_migrations (id, checksum, migration_name, logs, applied_steps_count, finished_at, rolled_back_at)
        VALUES (UUID(), '${checksum}', '${name}', ${others})`);
    };
    await record("2_b", "CREATE TABLE b (id INT);", "'', 0, NOW(3), NULL");
    await record("3_c", "CREATE TABLE wrong", "'failed', 0, NULL, NOW(3)");
    await record("0_gone", "");
    await database.run("DROP TABLE c");
    // Another system has other line ends.
    write("1_a", "CREATE TABLE a (id INT);\n");
    expect(await status()).toEqual({ ...none, applied: ["1_a", "2_b"], pending: ["3_c"], missing: ["0_gone"] });
    expect(await apply()).toEqual(["3_c"]);
    write("2_b", "CREATE TABLE other (id INT);");
    expect(await status()).toMatchObject({ applied: ["1_a", "2_b", "3_c"], edited: ["2_b"], failed: [] });
  });

  it("that fail are named with the statement and the server's message, and block the next ones", async () => {
    write("1_a", "CREATE TABLE a (id INT PRIMARY KEY);");
    write(
      "2_b",
      "CREATE TABLE b (id INT);\nINSERT INTO b VALUES (1);\nINSERT INTO missing VALUES (1);\nCREATE TABLE d (id INT);",
    );
    write("3_c", "CREATE TABLE c (id INT);");
    const { message, migration } = await issueOf(apply());
    expect(message).toBe(
      `The migration 2_b failed: Table '${nameOf()}.missing' doesn't exist (statement 3; the statements before it remain applied)`,
    );
    expect([migration, await tables()]).toEqual(["2_b", ["a", "b"]]);
    expect(await status()).toEqual({ ...none, applied: ["1_a"], pending: ["3_c"], failed: ["2_b"] });
    expect((await records())[1]).toMatchObject({
      finished_at: null,
      applied_steps_count: 0,
      logs: `Statement 3 of the migration 2_b failed with the error 1146: Table '${nameOf()}.missing' doesn't exist`,
    });
    const second = await issueOf(apply());
    expect([second.code, second.migration]).toEqual(["P3009", "2_b"]);
    expect(second.message).toMatch(
      /^The migration 2_b failed at \d{4}-\d\d-\d\d [\d:]{8}\.\d{3} UTC\. No migration is applied/,
    );
    await database.run("UPDATE _prisma_migrations SET rolled_back_at = NOW(3) WHERE migration_name = '2_b'");
    await database.run("DROP TABLE b");
    write("2_b", "CREATE TABLE b (id INT);");
    expect(await apply()).toEqual(["2_b", "3_c"]);
    expect(await status()).toEqual({ ...none, applied: ["1_a", "2_b", "3_c"] });
  });

  it("are recorded although their scripts leave a transaction open", async () => {
    write(
      "1_a",
      "CREATE TABLE a (id INT) ENGINE = InnoDB;\nSET autocommit = 0;\nSTART TRANSACTION;\nINSERT INTO a VALUES (1);",
    );
    write("2_b", "INSERT INTO a VALUES (2);\nSELECT nothing;");
    expect((await issueOf(apply())).message).toContain("Unknown column 'nothing'");
    expect(await status()).toEqual({ ...none, applied: ["1_a"], failed: ["2_b"] });
    expect(await database.run("SELECT id FROM a")).toEqual([{ id: 1 }]);
  });

  it("are applied once by concurrent processes, which wait for the lock of Prisma's command line", async () => {
    write("1_a", "CREATE TABLE a (id INT);");
    const lines: string[] = [];
    let isWaiting = (): void => undefined;
    const waiting = new Promise<void>((resolve) => {
      isWaiting = resolve;
    });
    const log = (line: string): void => {
      lines.push(line);
      if (line.startsWith("Another process")) isWaiting();
    };
    const runs = await onMysql(database.url, async ({ query }) => {
      await query("SELECT GET_LOCK('prisma_migrate', 100)");
      const started = [1, 2, 3].map(() => apply(log));
      await waiting;
      expect(await tables()).toEqual([]);
      await query("SELECT RELEASE_LOCK('prisma_migrate')");
      return Promise.all(started);
    });
    expect(runs.map(({ length }) => length).sort()).toEqual([0, 0, 1]);
    expect(lines.filter((line) => line.startsWith("Applied"))).toHaveLength(1);
  });

  it("are not applied to tables without a history, and not those of another provider", async () => {
    write("1_a", "CREATE TABLE a (id INT);");
    await database.run("CREATE TABLE a (id INT)");
    const notEmpty = await issueOf(apply());
    expect([notEmpty.code, notEmpty.message]).toEqual([
      "P3005",
      'The database is not empty and has no table of migrations. Record the migrations that it already has with "npx prisma migrate resolve --applied <name>".',
    ]);
    fs.writeFileSync(path.join(directory, "migration_lock.toml"), 'provider = "postgresql"\n');
    for (const work of [apply, status]) {
      const other = await issueOf(work());
      expect([other.code, other.message]).toEqual([
        "P3019",
        "The migrations are for postgresql, see migration_lock.toml, and the database URL is that of mysql.",
      ]);
    }
  });

  it("are applied again after a reset, which preserves the collation", async () => {
    write("1_a", "CREATE TABLE a (text VARCHAR(10)); INSERT INTO a VALUES ('a');");
    await apply();
    await database.run("INSERT INTO a VALUES ('b')");
    const collation = () => database.run("SELECT @@collation_database AS name");
    const before = await collation();
    expect(await resetDatabase(database.url, directory)).toEqual(["1_a"]);
    expect(await database.run("SELECT text FROM a")).toEqual([{ text: "a" }]);
    expect(await collation()).toEqual(before);
  });

  it("report an unreachable server, a rejected user and a missing database without the password", async () => {
    write("1_a", "SELECT 1");
    const { host } = new URL(database.url);
    const failure = async (url: string) => (await issueOf(applyMigrations(url, directory))).message;
    const messages = await Promise.all([
      failure(`mysql://root:secret@127.0.0.1:1/x`),
      failure(`mysql://unknown:secret@${host}/x?allowPublicKeyRetrieval=true`),
      failure(database.url.replace(/\/\w+$/, "/no_such_database")),
    ]);
    expect(messages).toEqual([
      "The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Start it, or correct the database URL.",
      expect.stringMatching(/^The database rejects the connection: Access denied .* Correct the user or the password/),
      "The database rejects the connection: Unknown database 'no_such_database'. Create it, or correct the name in the database URL.",
    ]);
    expect(messages.join()).not.toContain("secret");
  });

  it("try to connect once, so that a failure is reported immediately", async () => {
    let attempts = 0;
    const server = net.createServer((socket) => {
      attempts++;
      socket.destroy();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as net.AddressInfo;
    const { message } = await issueOf(applyMigrations(`mysql://root@127.0.0.1:${port}/x`, directory));
    server.close();
    expect(message).toMatch(/^The database cannot be reached: /);
    expect(attempts).toBe(1);
  });

  it("fail if their session ends between two statements, and keep the process", async () => {
    const broken = onMysql(database.url, async ({ query }) => {
      const [row] = await query<{ readonly id: bigint }>("SELECT CONNECTION_ID() AS id");
      await database.run(`KILL ${row?.id}`);
      const sessions = async () =>
        ((await database.run("SHOW PROCESSLIST")) as readonly { readonly Id: unknown }[]).map(({ Id }) => String(Id));
      await expect.poll(sessions).not.toContain(String(row?.id));
      return query("SELECT 1");
    });
    await expect(broken).rejects.toThrow();
  });

  it("are written and introspected by Prisma's command line, which one line names before anything is changed", async () => {
    write("1_a", "CREATE TABLE a (id INT);");
    const schema = 'datasource db {\n  provider = "mysql"\n}\nmodel Note {\n  id Int @id\n}\n';
    const { url } = database;
    for (const [work, command] of [
      [() => createMigration({ url, schema, directory, name: "a b" }), "migrate dev --create-only --name a_b"],
      [() => introspectDatabase(url), "db pull"],
      [() => forgetFailedMigration(url, "1_a"), "migrate resolve --rolled-back 1_a"],
      [() => pushSchema(url, schema), "db push"],
      [
        () => baselineDatabase({ url, schema, directory: path.join(directory, "none") }),
        "migrate diff, and npx prisma migrate resolve --applied 0_init,",
      ],
    ] as const)
      await expect(work()).rejects.toThrow(
        `Prisma's schema engine for Node.js does not support MySQL. Run npx prisma ${command} instead.`,
      );
    expect(await tables()).toEqual([]);
  });
});

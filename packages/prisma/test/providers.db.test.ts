import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createEmptyMysqlDatabase } from "../../../scripts/test/mysql-database.js";
import { providers } from "../../../scripts/test/provider-database.js";
import { createEmptySqliteFile } from "../../../scripts/test/sqlite-database.js";
import { createDatabase } from "../../dev-database/src/index.js";
import { makeMysqlAdapter } from "../src/mysql/index.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { type Capabilities, capabilitiesOf } from "../src/providers/capabilities.js";
import type { Provider } from "../src/providers/provider.js";
import { makeSqliteAdapter } from "../src/sqlite/index.js";

const parser = createRequire(import.meta.url)("@prisma/prisma-schema-wasm") as { get_dmmf(input: string): string };

type Adapter = Awaited<ReturnType<ReturnType<typeof makeSqliteAdapter>["connect"]>>;
type Level = Parameters<Adapter["startTransaction"]>[0];

const counters = {
  postgresql: "BIGSERIAL PRIMARY KEY",
  sqlite: "BIGINT PRIMARY KEY AUTOINCREMENT",
  mysql: "BIGINT PRIMARY KEY AUTO_INCREMENT",
} as const;

/** What depends on this framework, not on the server alone. */
type Own = "name" | "sqlEngine" | "years";
type Probes = Readonly<{ [Name in Exclude<keyof Capabilities, Own>]: () => Promise<Capabilities[Name]> }>;

describe.each(providers)("C113, C119 the capabilities of %s", (provider) => {
  const isSqlite = provider === "sqlite";
  const isMysql = provider === "mysql";
  let adapter: Adapter;
  let drop: () => unknown;
  beforeAll(async () => {
    const created = await {
      postgresql: () => createDatabase(inject("postgresUrl")),
      sqlite: createEmptySqliteFile,
      mysql: createEmptyMysqlDatabase,
    }[provider]();
    const { url } = created;
    const make = { postgresql: makePostgresAdapter, sqlite: makeSqliteAdapter, mysql: makeMysqlAdapter }[provider];
    adapter = await make({ url }).connect();
    drop = async () => {
      await adapter.dispose();
      await created.drop();
    };
  });
  afterAll(() => drop?.());

  const run = async (sql: string, args: unknown[] = []): Promise<readonly unknown[][]> => {
    const argTypes = args.map(() => ({ scalarType: "int", arity: "scalar" }) as const);
    return (await adapter.queryRaw({ sql, args, argTypes })).rows as unknown[][];
  };
  const works = (...statements: readonly string[]): Promise<boolean> =>
    statements
      .reduce((before, sql) => before.then(() => run(sql)), Promise.resolve<readonly unknown[][]>([]))
      .then(
        () => true,
        () => false,
      );
  const isTrue = async (sql: string): Promise<boolean> => {
    const [row] = await run(sql);
    return row?.[0] === true || String(row?.[0]) === "1";
  };
  const takes = (count: number): Promise<boolean> => {
    const places = Array.from({ length: count }, (_, index) =>
      provider === "postgresql" ? `$${index + 1}::int` : "?",
    );
    const args = places.map(() => 1);
    return run(`SELECT 1 WHERE 1 IN (${places.join(", ")})`, args).then(
      () => true,
      () => false,
    );
  };
  const schemaOf = (body: string): string =>
    JSON.stringify({ prismaSchema: [["schema.prisma", `datasource db {\n  provider = "${provider}"\n}\n${body}`]] });
  const parse = (body: string): string => parser.get_dmmf(schemaOf(body));

  const probes: Probes = {
    caseInsensitiveLetters: async () => {
      if (isMysql) return (await isTrue("SELECT LOWER('É') LIKE LOWER('é')")) ? "all" : "ascii";
      const operator = isSqlite ? "LIKE" : "ILIKE";
      expect(await isTrue(`SELECT 'a' ${operator} 'A'`)).toBe(true);
      return (await isTrue(`SELECT 'É' ${operator} 'é' COLLATE ${isSqlite ? "BINARY" : '"und-x-icu"'}`))
        ? "all"
        : "ascii";
    },
    insensitiveMode: async () => parse("model A {\n  id Int @id\n  text String\n}").includes('"QueryMode"'),
    nullsInAscendingOrder: async () => {
      const [first] = await run("SELECT * FROM (SELECT 1 AS a UNION ALL SELECT NULL) AS t ORDER BY a");
      return first?.[0] === null ? "first" : "last";
    },
    listColumns: async () => {
      try {
        return parse("model A {\n  id Int @id\n  list String[]\n}") !== "";
      } catch {
        return false;
      }
    },
    comparesJsonValues: async () => {
      if (isMysql) {
        await run("CREATE TABLE documents (value JSON, other JSON)");
        await run(`INSERT INTO documents VALUES ('{"a":1,"b":2}', '{"b":2,"a":1}')`);
        // MySQL compares them, unlike MariaDB.
        const isMariaDb = await isTrue("SELECT VERSION() LIKE '%MariaDB%'");
        return (await isTrue("SELECT value = other FROM documents")) && isMariaDb;
      }
      const type = isSqlite ? "JSONB" : "jsonb";
      const json = (text: string): string => (isSqlite ? `'${text}'` : `CAST('${text}' AS ${type})`);
      return isTrue(`SELECT ${json('{"a":1,"b":2}')} = ${json('{"b":2,"a":1}')}`);
    },
    nativeEnums: () =>
      works(isMysql ? "CREATE TABLE sizes (size ENUM('b', 'a'))" : "CREATE TYPE size AS ENUM ('b', 'a')"),
    exactDecimals: async () => {
      await run("CREATE TABLE sums (amount DECIMAL(65, 30))");
      await run("INSERT INTO sums VALUES ('0.123456789012345678901234567890')");
      return isTrue(
        `SELECT CAST(amount AS ${isMysql ? "CHAR" : "TEXT"}) = '0.123456789012345678901234567890' FROM sums`,
      );
    },
    nonFiniteNumbers: () =>
      works(
        `CREATE TABLE ratios (ratio ${isSqlite ? "REAL" : isMysql ? "DOUBLE" : "float8"} NOT NULL)`,
        isSqlite ? "INSERT INTO ratios VALUES (9e999 - 9e999)" : "INSERT INTO ratios VALUES ('NaN')",
      ),
    readsEveryValue: async () => {
      const insert = isMysql ? "INSERT IGNORE INTO days VALUES ('0000-00-00')" : "INSERT INTO days VALUES ('text')";
      return !(await works("CREATE TABLE days (day DATE)", insert));
    },
    bigCounters: () => works(`CREATE TABLE counters (id ${counters[provider]})`),
    nativeTypes: async () => {
      try {
        return parse("model A {\n  id Int @id\n  text String @db.VarChar(2)\n}") !== "";
      } catch {
        return false;
      }
    },
    // In MySQL a schema is a database.
    databaseSchemas: async () => !isMysql && works("CREATE SCHEMA other"),
    partialIndexes: () =>
      works("CREATE TABLE indexed (id INT)", "CREATE UNIQUE INDEX only_some ON indexed (id) WHERE id > 0"),
    returning: () =>
      works(
        "CREATE TABLE written (id INT)",
        "INSERT INTO written VALUES (1) RETURNING id",
        "UPDATE written SET id = 2 RETURNING id",
      ),
    rowLocks: () => works("CREATE TABLE locked (id INT)", "SELECT id FROM locked FOR UPDATE"),
    savepoints: async () => {
      const transaction = await adapter.startTransaction();
      try {
        await transaction.createSavepoint?.("a");
        await transaction.rollbackToSavepoint?.("a");
        return transaction.createSavepoint !== undefined;
      } finally {
        await finish(transaction, "ROLLBACK");
      }
    },
    isolationLevels: async () => {
      const levels = ["READ COMMITTED", "READ UNCOMMITTED", "REPEATABLE READ", "SERIALIZABLE"] as const;
      const found: string[] = [];
      for (const level of levels) {
        try {
          await finish(await adapter.startTransaction(level as Level), "ROLLBACK");
          found.push(level.toLowerCase());
        } catch {}
      }
      return found;
    },
    statementTimeLimit: async () =>
      (await works("SET statement_timeout = 5000")) ||
      (await works("SET max_statement_time = 5")) ||
      works("SET max_execution_time = 5000"),
    namesForeignKeys: async () => {
      await run("CREATE TABLE parents (id INT PRIMARY KEY)");
      await run("CREATE TABLE children (id INT, CONSTRAINT child_of FOREIGN KEY (id) REFERENCES parents (id))");
      const error = await run("INSERT INTO children VALUES (1)").catch((caught: unknown) => caught as Error);
      return JSON.stringify((error as { readonly cause?: unknown }).cause).includes("child_of");
    },
    maxParameters: async () => {
      const { maxParameters } = capabilitiesOf(provider);
      expect(await takes(maxParameters)).toBe(true);
      return (await takes(maxParameters + 1)) ? Number.POSITIVE_INFINITY : maxParameters;
    },
    interceptsWrites: async () => {
      await run("CREATE TABLE guarded (id INT)");
      // Its triggers cannot skip a write: they raise an error or change values.
      if (isMysql) return works("CREATE TRIGGER skip BEFORE INSERT ON guarded FOR EACH ROW RETURN NULL");
      if (isSqlite) await run("CREATE TRIGGER skip BEFORE INSERT ON guarded BEGIN SELECT RAISE(IGNORE); END");
      else {
        await run("CREATE FUNCTION skip() RETURNS trigger AS $$ BEGIN RETURN NULL; END $$ LANGUAGE plpgsql");
        await run("CREATE TRIGGER skip BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION skip()");
      }
      return (await run("INSERT INTO guarded VALUES (1) RETURNING id")).length === 0;
    },
    textSearch: () => works("SELECT CAST(to_tsvector('simple', 'a') AS TEXT)"),
    changeLog: () => works("SELECT CAST(pg_current_xact_id() AS TEXT)"),
  };

  it.each(Object.keys(probes) as (keyof Probes)[])("C113 %s is that of the server", async (name) => {
    expect(await probes[name]()).toEqual(capabilitiesOf(provider satisfies Provider)[name]);
  });
});

/** Ends a transaction as the client of Prisma does. */
async function finish(transaction: Awaited<ReturnType<Adapter["startTransaction"]>>, end: "ROLLBACK"): Promise<void> {
  if (transaction.options.usePhantomQuery === false) await transaction.executeRaw({ sql: end, args: [], argTypes: [] });
  await transaction.rollback();
}

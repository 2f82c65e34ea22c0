import { ColumnTypeEnum, DriverAdapterError, type SqlDriverAdapter, type SqlQuery } from "@prisma/driver-adapter-utils";
import { whenMissing } from "@servicekit/core/internal";
import type { MigrationAdapter } from "./migration-adapter.js";
import { quoteJsonDefaults } from "./quote-json-defaults.js";
import { readName } from "./sqlite/column-definitions.js";
import { shownDefault } from "./sqlite/exact-default.js";
import { exactDefaults } from "./sqlite/exact-script.js";
import { runScript } from "./sqlite/run-script.js";

/** Which differences the engine sees between the tables and a schema. */
interface SqliteComparison {
  /** Whether it sees no default that the service cannot compare, so that it makes their tables again. */
  readonly hidesOutdatedDefaults?: boolean;
  /** The tables that it makes again in each case. */
  readonly remadeTables?: ReadonlySet<string>;
}

/**
 * Prisma's adapter of SQLite for the schema engine. Its shadow database is in memory.
 *
 * @throws {StartupError} if the adapter is not installed
 */
export async function createSqliteAdapter(
  url: string,
  { hidesOutdatedDefaults = false, remadeTables = new Set() }: SqliteComparison = {},
): Promise<MigrationAdapter> {
  const { PrismaLibSql } = await import("@prisma/adapter-libsql").catch(
    whenMissing("A database URL that begins with file:", {
      names: ["@prisma/adapter-libsql"],
      purpose: "The SQLite adapter of Prisma",
      development: false,
    }),
  );
  type Client = ReturnType<InstanceType<typeof PrismaLibSql>["createClient"]>;
  const opened: SqlDriverAdapter[] = [];
  let lastError: string | undefined;
  let created: Client | undefined;
  class Factory extends PrismaLibSql {
    override createClient(config: Parameters<typeof PrismaLibSql.prototype.createClient>[0]): Client {
      created = super.createClient(config);
      return created;
    }
  }
  const factory = new Factory({ url, intMode: "bigint" });
  const open = async (connecting: Promise<SqlDriverAdapter>, isShadow: boolean): Promise<SqlDriverAdapter> => {
    const client = created as Client;
    const adapter = await connecting;
    opened.push(adapter);
    const executeScript = adapter.executeScript.bind(adapter);
    const executeRaw = adapter.executeRaw.bind(adapter);
    const queryRaw = adapter.queryRaw.bind(adapter);
    return Object.assign(adapter, {
      queryRaw: async (query: SqlQuery) => {
        const result = await queryRaw(query);
        const table = /^PRAGMA table_info \(("(?:[^"]|"")*")\)/.exec(query.sql)?.[1];
        if (table === undefined) return result;
        const isRemade = remadeTables.has(readName(table));
        const [type, value] = ["type", "dflt_value"].map((name) => result.columnNames.indexOf(name)) as [
          number,
          number,
        ];
        for (const row of result.rows)
          row[value] = shownDefault(String(row[type]), row[value], hidesOutdatedDefaults, isRemade);
        // The adapter takes the type of a column without values for a number.
        result.columnTypes[value] = ColumnTypeEnum.Text;
        return result;
      },
      // The engine runs the scripts of a shadow database in this way, and libSQL only their first statement; in the database
      // itself it runs the statements of a push.
      executeRaw: async (query: SqlQuery) => {
        if (query.args.length > 0) return executeRaw(query);
        await executeScript(isShadow ? quoteJsonDefaults(query.sql) : exactDefaults(query.sql));
        return 0;
      },
      executeScript: async (script: string) => {
        if (isShadow) return executeScript(quoteJsonDefaults(script));
        try {
          await runScript(client, quoteJsonDefaults(script));
        } catch (error) {
          const { message, rawCode } = error as Error & { readonly rawCode?: number };
          lastError = message;
          throw new DriverAdapterError({ kind: "sqlite", extendedCode: rawCode ?? 1, message });
        }
      },
    });
  };
  return {
    factory: {
      provider: factory.provider,
      adapterName: factory.adapterName,
      connect: () => open(factory.connect(), false),
      connectToShadowDb: () => open(factory.connectToShadowDb(), true),
    },
    scriptError: () => lastError,
    commit: async () => undefined,
    dispose: async () => {
      await Promise.all(opened.map((adapter) => adapter.dispose()));
    },
  };
}

import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import { whenMissing } from "@servicekit/core/internal";
import type { MigrationAdapter } from "./migration-adapter.js";
import { quoteJsonDefaults } from "./quote-json-defaults.js";

/**
 * Prisma's adapter of SQLite for the schema engine. Its shadow database is in memory.
 *
 * @throws {StartupError} if the adapter is not installed
 */
export async function createSqliteAdapter(url: string): Promise<MigrationAdapter> {
  const { PrismaLibSql } = await import("@prisma/adapter-libsql").catch(
    whenMissing("A database URL that begins with file:", {
      names: ["@prisma/adapter-libsql"],
      purpose: "The SQLite adapter of Prisma",
      development: false,
    }),
  );
  const factory = new PrismaLibSql({ url, intMode: "bigint" });
  const opened: SqlDriverAdapter[] = [];
  let lastError: string | undefined;
  const open = async (connecting: Promise<SqlDriverAdapter>): Promise<SqlDriverAdapter> => {
    const adapter = await connecting;
    opened.push(adapter);
    const executeScript = adapter.executeScript.bind(adapter);
    const executeRaw = adapter.executeRaw.bind(adapter);
    return Object.assign(adapter, {
      // The engine runs the scripts of a shadow database in this way, and libSQL only their first statement.
      executeRaw: async (query: Parameters<typeof executeRaw>[0]) => {
        if (query.args.length > 0) return executeRaw(query);
        await executeScript(quoteJsonDefaults(query.sql));
        return 0;
      },
      // One transaction. Foreign keys cannot be changed inside it: with them, a table that is made again would delete the
      // rows that reference it.
      executeScript: async (script: string) => {
        try {
          await executeScript(`PRAGMA foreign_keys = OFF; BEGIN;\n${quoteJsonDefaults(script)}\n;COMMIT;`);
        } catch (error) {
          const { cause } = error as { readonly cause?: { readonly originalMessage?: string } };
          lastError = cause?.originalMessage;
          throw error;
        } finally {
          await executeScript("PRAGMA foreign_keys = ON;");
        }
      },
    });
  };
  const used: SqlMigrationAwareDriverAdapterFactory = {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: () => open(factory.connect()),
    connectToShadowDb: () => open(factory.connectToShadowDb()),
  };
  return {
    factory: used,
    scriptError: () => lastError,
    commit: async () => undefined,
    dispose: async () => {
      await Promise.all(opened.map((adapter) => adapter.dispose()));
    },
  };
}

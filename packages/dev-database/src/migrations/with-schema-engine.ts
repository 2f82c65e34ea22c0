import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import type { SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";
import { isSqliteUrl } from "../databases/is-sqlite-url.js";
import { createMigrationAdapter, type MigrationAdapter } from "./migration-adapter.js";
import { toMigrationError } from "./migration-error.js";
import { withPanicRegistry } from "./panic-registry.js";
import { loadSchemaEngine } from "./schema-engine.js";
import { createSqliteAdapter } from "./sqlite-adapter.js";

/** Options of `withSchemaEngine`. */
interface EngineOptions {
  /** Whether the changes of failed work are rolled back; not in SQLite. */
  readonly isAtomic?: boolean;
  /** Whether the engine sees no default that the service cannot compare, so that it makes their tables again; only in SQLite. */
  readonly hidesOutdatedDefaults?: boolean;
  /** The tables that the engine makes again in each case; only in SQLite. */
  readonly remadeTables?: ReadonlySet<string>;
}

/**
 * Runs `work` with a schema engine on the database and cleans up afterwards: connections, locks and shadow databases,
 * whether `work` succeeds or not.
 *
 * @throws MigrationError for every error of the engine or the database.
 */
export async function withSchemaEngine<T>(
  url: string,
  work: (engine: SchemaEngine) => Promise<T>,
  { isAtomic = false, ...sqlite }: EngineOptions = {},
): Promise<T> {
  return withPanicRegistry(async (panicMessage) => {
    let adapter: MigrationAdapter | undefined;
    try {
      adapter = isSqliteUrl(url) ? await createSqliteAdapter(url, sqlite) : createMigrationAdapter(url, isAtomic);
      const { SchemaEngine } = await loadSchemaEngine();
      const bound = bindMigrationAwareSqlAdapterFactory(adapter.factory);
      const engine = await SchemaEngine.new({ datamodels: undefined }, () => {}, bound);
      try {
        const result = await work(engine);
        await adapter.commit();
        return result;
      } finally {
        engine.free();
      }
    } catch (error) {
      throw toMigrationError(error, { scriptError: adapter?.scriptError(), panic: panicMessage() });
    } finally {
      await adapter?.dispose();
    }
  });
}

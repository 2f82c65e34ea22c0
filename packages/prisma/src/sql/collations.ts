import { ormErrors } from "../errors/orm-errors.js";
import { type Model, type StoredField } from "../model.js";
import { type SqlLink } from "../sql-link.js";

/**
 * Columns with a collation that holds different texts for the same, such as those in any case of letters: PostgreSQL before 18
 * searches for no patterns in them, unless the pattern has a collation of its own.
 */
export class Collations {
  #columns: ReadonlySet<string> | undefined;

  get isKnown(): boolean {
    return this.#columns !== undefined;
  }

  /** What a pattern on the column needs behind it. */
  forPattern({ table, schema }: Model, { column }: StoredField, defaultSchema: string): string {
    const isLoose = this.#columns?.has(JSON.stringify([schema ?? defaultSchema, table, column])) === true;
    return isLoose ? ' COLLATE pg_catalog."default"' : "";
  }

  async load(link: SqlLink): Promise<void> {
    const rows = await link.query(columnsSql, []);
    this.#columns = new Set(rows.map((row) => JSON.stringify(row)));
  }
}

const columnsSql = `SELECT n.nspname::text, c.relname::text, a.attname::text FROM pg_collation l
JOIN pg_attribute a ON a.attcollation = l.oid JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT l.collisdeterministic`;

const known = new WeakMap<SqlLink, Collations>();

/** Those of the database that a link leads to: nothing is asked before a statement needs it. */
export function collationsOf(link: SqlLink): Collations {
  const found = known.get(link) ?? new Collations();
  known.set(link, found);
  return found;
}

/** Whether PostgreSQL refused a pattern for the collation of its column. */
export function isRefusedPattern(error: unknown): boolean {
  const { cause, meta } = error as {
    readonly cause?: { readonly originalMessage?: unknown };
    readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly originalMessage?: unknown } } };
  };
  const message = cause?.originalMessage ?? meta?.driverAdapterError?.cause?.originalMessage;
  return typeof message === "string" && message.includes("nondeterministic collations are not supported");
}

/** Reads again where the collations of columns were not known; a transaction must begin again for that. */
export function withCollations(link: SqlLink, isInside: boolean) {
  const collations = collationsOf(link);
  return async <T>(read: () => Promise<T>, again = read): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (collations.isKnown || !isRefusedPattern(error)) throw error;
      await collations.load(link);
      if (isInside) throw ormErrors.WriteConflict(undefined, { cause: error });
      return again();
    }
  };
}

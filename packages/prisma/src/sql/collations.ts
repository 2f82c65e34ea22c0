import { type SqlLink } from "../database/sql-link.js";
import { ormErrors } from "../errors/orm-errors.js";
import { type Model, type StoredField } from "../models/model.js";

/**
 * Columns with a nondeterministic collation, which treats different texts as equal, such as case-insensitive ones:
 * PostgreSQL before 18 does not support patterns on them, unless the pattern has a collation of its own.
 */
export class Collations {
  #columns: ReadonlySet<string> | undefined;

  get isKnown(): boolean {
    return this.#columns !== undefined;
  }

  /** The suffix that a pattern on the column needs. */
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

/** Those of the link's database: queried on demand. */
export function collationsOf(link: SqlLink): Collations {
  const found = known.get(link) ?? new Collations();
  known.set(link, found);
  return found;
}

/** Whether PostgreSQL rejected a pattern for the collation of its column. */
export function isRejectedPattern(error: unknown): boolean {
  const { cause, meta } = error as {
    readonly cause?: { readonly originalMessage?: unknown };
    readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly originalMessage?: unknown } } };
  };
  const message = cause?.originalMessage ?? meta?.driverAdapterError?.cause?.originalMessage;
  return typeof message === "string" && message.includes("nondeterministic collations are not supported");
}

/** Repeats a read if the collations of columns were unknown; a transaction must be restarted for that. */
export function withCollations(link: SqlLink, isInside: boolean) {
  const collations = collationsOf(link);
  return async <T>(read: () => Promise<T>, again = read): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (collations.isKnown || !isRejectedPattern(error)) throw error;
      await collations.load(link);
      if (isInside) throw ormErrors.WriteConflict(undefined, { cause: error });
      return again();
    }
  };
}

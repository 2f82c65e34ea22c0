import { rowsWhere } from "../conditions/rows-where.js";
import type { Model } from "../models/model.js";
import type { Clause, Row } from "../queries/query-args.js";
import type { Delegate } from "./delegate.js";
import { lockAll } from "./lock-all.js";
import { keyFields, keyText, keyWhere } from "./row-key.js";

/** The rows of a recorded model in a transaction, by key and by their recorded fields. */
export interface RecordedRows {
  /** Prisma's `where` of a row, by its key. */
  whereOf(row: Row): Clause;
  /** A text that is equal for the same key. */
  textOf(row: Row): string;
  /** The condition of several rows. */
  whereAll(rows: readonly Row[]): Clause;
  /** The rows by {@link textOf}. */
  byKey(rows: readonly Row[]): ReadonlyMap<string, Row>;
  /** Locks the rows that match until the transaction ends, and reads their recorded fields in their current state. */
  lock(where: Clause, options: { readonly forDelete: boolean }): Promise<readonly Row[]>;
  /** Reads the current state of rows that were read before; rows that do not exist any more are left out. */
  read(rows: readonly Row[]): Promise<readonly Row[]>;
}

/** The fields of the key as a `select`. */
export const keySelect = (model: Model): Clause => Object.fromEntries(keyFields(model).map(({ name }) => [name, true]));

/** @param select the recorded fields, including those of the key */
export function recordedRows(plain: Delegate, model: Model, select: Clause): RecordedRows {
  const fields = keyFields(model);
  const names = fields.map(({ name }) => name);
  const rows: RecordedRows = {
    whereOf: (row) => keyWhere(model, row),
    textOf: (row) => keyText(fields, row),
    whereAll: (found) => rowsWhere(names, found),
    byKey: (found) => new Map(found.map((row) => [rows.textOf(row), row])),
    async lock(where, { forDelete }) {
      const found = await plain.findMany({ where, select: keySelect(model) });
      if (found.length === 0) return [];
      await lockAll(plain, found.map(rows.whereOf), { forDelete });
      return plain.findMany({ where: { AND: [rows.whereAll(found), where] }, select });
    },
    read: async (found) => (found.length === 0 ? [] : plain.findMany({ where: rows.whereAll(found), select })),
  };
  return rows;
}

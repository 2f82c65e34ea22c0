import { rowsWhere } from "../conditions/rows-where.js";
import { ormErrors } from "../errors/orm-errors.js";
import { storedFields } from "../models/is-stored.js";
import type { Model, StoredField } from "../models/model.js";
import { quoteName, quoteTable, quoteText } from "../models/quote-name.js";
import type { Clause, Row, RowChange, UpdateArgs } from "../queries/query-args.js";
import type { Executor } from "./executor.js";
import { executeSql, type PrismaHandle } from "./prisma-client-like.js";
import { isPossibleKey, isRowOfKey, keyFields, keyOrder, keyText, keyValues, storedKey } from "./row-key.js";
import { isWrapped, toStoredValue, toWrappedValue, unwrap } from "./stored-value.js";

/** The dependencies of updating the rows of one model. */
export interface RowUpdater {
  readonly client: PrismaHandle;
  readonly executor: Executor;
  readonly model: Model;
  /** `undefined` if it is unknown: then Prisma updates each row. */
  readonly schema: string | undefined;
  readonly update: (args: UpdateArgs) => Promise<Row>;
}

/**
 * Updates each row with its own values, and reads them back in the order of the changes. One statement contains all
 * changes as one JSON parameter, which PostgreSQL converts to the column types; it changes all rows or none. Rows are
 * locked in the order of their keys, so that two updates of the same rows do not deadlock.
 *
 * @throws {HttpError} 404 if a row is missing
 */
export async function updateEach(
  updater: RowUpdater,
  changes: readonly RowChange[],
  select: Clause,
): Promise<readonly Row[]> {
  const { client, model, schema, update } = updater;
  if (schema === undefined) {
    const rows: Row[] = [];
    for (const index of inKeyOrder(model, changes)) {
      const { where, data } = changes[index] as RowChange;
      rows[index] = await update({ where, data, select });
    }
    return rows;
  }
  const { keys, datas, statement } = planChanges({ model, schema }, changes);
  if (statement !== undefined) {
    const { sql, values } = statement;
    if ((await executeSql(client, sql, values)) < changes.length) throw ormErrors.NotFound();
  }
  return readBack(
    updater,
    keys.map((key, index) => overwritten(key, datas[index] ?? {})),
    select,
  );
}

/** Columns that are read of the rows before they change. */
export interface LockedColumns {
  readonly sql: string;
  readonly names: readonly string[];
}

/** The table whose rows are changed. */
interface ChangedTable {
  readonly model: Model;
  readonly schema: string;
}

/**
 * The changes as one statement, without one where no column changes; throws 404 for a key that no row can have.
 *
 * @param locked more columns of the locked rows `t`, which the statement has in `i`
 */
export function planChanges({ model, schema }: ChangedTable, changes: readonly RowChange[], locked?: LockedColumns) {
  const keys = changes.map(({ where }) => keyValues(model, where));
  if (!keys.every((key) => isPossibleKey(model, key))) throw ormErrors.NotFound();
  const now = new Date();
  const stamps = Object.fromEntries(
    storedFields(model).flatMap((field) => (field.isUpdatedAt ? [[field.name, now]] : [])),
  );
  const datas = changes.map(({ data }) => ({ ...stamps, ...data }));
  checkNames(model, datas);
  const changed = storedFields(model).filter(({ name }) => datas.some((data) => Object.hasOwn(data, name)));
  if (changed.length === 0) return { keys, datas, statement: undefined };
  const items = datas.map((data, index) => toItem(model, changed, keys[index] ?? {}, data));
  const sql = updateSql(model, schema, changed, locked);
  return { keys, datas, statement: { sql, values: [JSON.stringify(items), changes.length] } };
}

/** The indexes of the changes, sorted by key: in a stable order, though not always PostgreSQL's. */
function inKeyOrder(model: Model, changes: readonly RowChange[]): readonly number[] {
  const texts = changes.map(({ where }) => keyText(keyFields(model), keyValues(model, where)));
  return [...texts.keys()].sort((one, other) => ((texts[one] ?? "") < (texts[other] ?? "") ? -1 : 1));
}

/** The statement would silently ignore keys that are not columns. */
function checkNames(model: Model, datas: readonly Clause[]): void {
  const names = new Set(storedFields(model).map(({ name }) => name));
  for (const data of datas) {
    const unknown = Object.keys(data).find((name) => !names.has(name));
    if (unknown !== undefined)
      throw ormErrors.InvalidArguments(
        `The update of ${model.name} names ${unknown}, which is not one of its stored fields.`,
      );
  }
}

/** The key after the change. */
const overwritten = (key: Clause, data: Clause): Clause =>
  Object.fromEntries(
    Object.entries(key).map(([name, value]) => [name, Object.hasOwn(data, name) ? data[name] : value]),
  );

function toItem(model: Model, changed: readonly StoredField[], key: Clause, data: Clause): object {
  const own = (wrapped: boolean, to: (field: StoredField, value: unknown) => unknown) =>
    Object.fromEntries(
      changed.flatMap((field) =>
        isWrapped(field) === wrapped && Object.hasOwn(data, field.name)
          ? [[field.column, to(field, data[field.name])]]
          : [],
      ),
    );
  return {
    key: storedKey(model, key),
    plain: own(false, toStoredValue),
    wrapped: own(true, toWrappedValue),
  };
}

/** Names come from the model only; every value is in the parameter. */
function updateSql(
  model: Model,
  schema: string,
  changed: readonly StoredField[],
  locked: LockedColumns = { sql: "", names: [] },
): string {
  const table = quoteTable(model, schema);
  const assignments = changed.map((field) => {
    const column = quoteName(field.column);
    const part = isWrapped(field) ? "wrapped" : "plain";
    const given = `(i.item -> '${part}' -> ${quoteText(field.column)})`;
    const value = isWrapped(field) ? unwrap(field, given) : `p.${column}`;
    return `${column} = CASE WHEN ${given} IS NULL THEN t.${column} ELSE ${value} END`;
  });
  const read = locked.names.length === 0 ? "" : `, ${locked.sql}`;
  const kept = locked.names.map((name) => `, l.${name}`).join("");
  // Two keys may identify one row, in a collation that treats them as equal.
  return `UPDATE ${table} AS t SET ${assignments.join(", ")}
FROM (SELECT m.*, max(m.same) OVER () AS most FROM (
    SELECT l.item, l.n${kept}, count(*) OVER () AS found, count(*) OVER (PARTITION BY l.tableoid, l.place) AS same
    FROM (SELECT i.item, i.n, t.tableoid, t.ctid AS place${read} FROM ${table} AS t, json_array_elements($1::json) WITH ORDINALITY AS i(item, n),
      json_populate_record(NULL::${table}, i.item -> 'key') AS k
    WHERE ${isRowOfKey(model)} ORDER BY ${keyOrder(model)} FOR NO KEY UPDATE OF t) AS l
  ) AS m) AS i,
  json_populate_record(NULL::${table}, i.item -> 'key') AS k,
  json_populate_record(NULL::${table}, i.item -> 'plain') AS p
WHERE ${isRowOfKey(model)} AND i.found = $2::bigint AND i.most = 1`;
}

export const withKey = (model: Model, select: Clause): Clause => ({
  ...select,
  ...Object.fromEntries(keyFields(model).map(({ name }) => [name, true])),
});

/** Reads rows by their keys, in this order. */
async function readBack(
  { executor, model }: RowUpdater,
  keys: readonly Clause[],
  select: Clause,
): Promise<readonly Row[]> {
  const fields = keyFields(model);
  const where = rowsWhere(
    fields.map(({ name }) => name),
    keys,
  );
  const selection = withKey(model, select);
  const find = async (found: Clause): Promise<readonly Row[]> => {
    const result = await executor.prepare(model, {
      operation: "findMany",
      args: { where: found, select: selection },
    })?.();
    return result !== undefined && "rows" in result ? result.rows : [];
  };
  const rows = await find(where);
  const byKey = new Map(rows.map((row) => [keyText(fields, row), row]));
  return Promise.all(
    keys.map(async (key) => {
      // A key such as an `inet` has several spellings, which only the database can compare.
      const found = byKey.get(keyText(fields, key)) ?? (await find(key))[0];
      if (found === undefined) throw ormErrors.NotFound();
      return found;
    }),
  );
}

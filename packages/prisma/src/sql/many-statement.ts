import type { SeenModels } from "../database/executor.js";
import type { Model, StoredField } from "../models/model.js";
import type { Clause, CreateManyArgs } from "../queries/query-args.js";
import { columnOf } from "./column.js";
import { madeValue } from "./made-value.js";
import { giveUp } from "./not-foldable.js";
import type { Shape } from "./shape.js";
import { listOf, openScope, type Statement } from "./statement.js";
import { returnedColumns, type WriteStatement, writtenFields } from "./write-statement.js";
import { writtenValue } from "./written-value.js";

/**
 * Compiles the arguments of a create of many rows: one parameter contains all of them. Fields that some rows lack are
 * NULL there, as in Prisma's own statement.
 */
export function insertManySql(
  statement: Statement,
  model: Model,
  args: CreateManyArgs,
  now: Date,
  { seen, maxBytes }: ResultRows,
): WriteStatement {
  const { data, select, ...more } = args;
  if (Object.keys(more).length > 0 || !model.isCreatable || data.length === 0) return giveUp();
  const columns: string[] = [];
  const sources: string[] = [];
  const items = data.map(() => ({ plain: {} as Record<string, unknown>, texts: {} as Record<string, unknown> }));
  for (const field of writtenFields(model, ...data)) {
    const values = data.map((row) => (Object.hasOwn(row, field.name) ? row[field.name] : madeOrLeft(field, now)));
    const left = values.filter((value) => value === leftOut || value === byDatabase).length;
    if (left > 0 && field.isRequired && values.includes(leftOut)) return giveUp();
    if (left === values.length) continue;
    if (values.includes(byDatabase)) return giveUp();
    const { form, name, cast } = columnOf(field);
    if (form === "list" || cast !== "") return giveUp();
    const part = form === "json" ? "texts" : "plain";
    for (const [index, value] of values.entries()) {
      const written = value === leftOut ? null : writtenValue(field, value);
      if (written !== null) (items[index] as (typeof items)[number])[part][field.column] = written;
    }
    columns.push(name);
    sources.push(part === "texts" ? jsonSource(field) : `p.${name}`);
  }
  if (columns.length === 0) return giveUp();
  const scope = openScope(statement, model);
  const table = statement.table(model);
  const { shape, columns: shown } = returnedColumns(select, scope, seen);
  const rows = `json_array_elements(${statement.parameter(JSON.stringify(items))}::json) WITH ORDINALITY AS i(item, n)`;
  const sql = `INSERT INTO ${table} AS ${scope.alias} (${columns.join(", ")})
SELECT ${sources.join(", ")} FROM ${rows}, json_populate_record(NULL::${table}, i.item -> 'plain') AS p ORDER BY i.n
RETURNING ${listOf(shown)}`;
  return { sql: withResultAsJson(statement, sql, maxBytes), shape };
}

const leftOut = Symbol("leftOut");
const byDatabase = Symbol("byDatabase");

function madeOrLeft(field: StoredField, now: Date): unknown {
  const made = madeValue(field, now);
  if (made === undefined) return leftOut;
  return made === "by the database" ? byDatabase : made.value;
}

/** A JSON `null` would become NULL where PostgreSQL populates a record, so it is sent as a text. */
const jsonSource = ({ column, nativeType }: StoredField): string =>
  `(i.item -> 'texts' ->> '${column.replaceAll("'", "''")}')::${nativeType?.name === "Json" ? "json" : "jsonb"}`;

/** The result of an update of many rows, in the order of its changes. */
export function changedRows(
  statement: Statement,
  model: Model,
  select: Clause,
  { seen, maxBytes }: ResultRows,
): { readonly shape: Shape; readonly toSql: (update: string) => string } {
  const { shape, columns } = returnedColumns(
    select,
    { statement, model, alias: "t", joins: { sql: "", joined: new Map() } },
    seen,
  );
  const toSql = (update: string): string =>
    withResultAsJson(statement, `${update}\nRETURNING ${listOf(columns)}, i.n`, maxBytes, " ORDER BY w.n");
  return { shape, toSql };
}

/**
 * One result with the JSON of all rows of a write: a thousand rows are one text to read. Rows that exceed the limit are
 * an error of PostgreSQL, so that nothing is written.
 */
function withResultAsJson(statement: Statement, write: string, maxBytes: number | undefined, order = ""): string {
  const rows = `json_agg(w.r${order})`;
  if (maxBytes === undefined) return `WITH w AS (${write}) SELECT ${statement.shown([rows])} FROM w`;
  const isTooLarge = `(SELECT sum(pg_column_size(w.r)) FROM w) > ${maxBytes}`;
  const result = `CASE WHEN ${isTooLarge} THEN current_setting('${tooLargeSetting}')::json ELSE (SELECT ${rows} FROM w) END`;
  return `WITH w AS (${write}) SELECT ${statement.shown([result])}`;
}

/**
 * No setting has this name: only reading one can fail in the middle of an expression, and its error contains the name.
 */
const tooLargeSetting = "servicekit.response_too_large";

/** Whether a write failed because its rows exceed the limit. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && error.message.includes(tooLargeSetting);

/** The form of a write's result. */
export interface ResultRows {
  readonly seen?: SeenModels | undefined;
  /** Maximum size in bytes. */
  readonly maxBytes?: number | undefined;
}

import type { SeenModels } from "../database/executor.js";
import type { LockedColumns } from "../database/update-each.js";
import type { Model, StoredField } from "../models/model.js";
import { quoteText } from "../models/quote-name.js";
import type { Clause, CreateManyArgs, DeleteManyArgs, UpdateManyArgs } from "../queries/query-args.js";
import { columnOf } from "./column.js";
import { madeValue } from "./made-value.js";
import { giveUp } from "./not-foldable.js";
import type { Shape } from "./shape.js";
import { stateJson } from "./state-json.js";
import { listOf, openScope, type Statement } from "./statement.js";
import {
  assignmentsSql,
  changesSql,
  conditionWithoutJoins,
  keyAndState,
  lockedRows,
  type RecordedChange,
  returnedColumns,
  updatedOf,
  type WriteStatement,
  writtenFields,
} from "./write-statement.js";
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
  { seen, maxBytes, change }: ManyWritten,
): WriteStatement {
  const { data, select, ...more } = args;
  if (Object.keys(more).length > 0 || !model.isCreatable || data.length === 0) return giveUp();
  const scope = openScope(statement, model);
  const { shape, columns: shown } = returnedColumns(select, scope, seen);
  const recorded = change === undefined ? "" : `, ${keyAndState(model, change, scope.alias, "after")}`;
  const columns: string[] = [];
  const sources: string[] = [];
  const items = data.map(() => ({ plain: {} as Record<string, unknown>, texts: {} as Record<string, unknown> }));
  for (const field of writtenFields(model, ...data)) {
    const values = data.map((row) => (Object.hasOwn(row, field.name) ? row[field.name] : madeOrLeft(field, now)));
    const left = values.filter((value) => value === leftOut || value === byDatabase).length;
    if (left > 0 && field.isRequired && !field.isList && values.includes(leftOut)) return giveUp();
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
  const table = statement.table(model);
  const rows = `json_array_elements(${statement.parameter(JSON.stringify(items))}::json) WITH ORDINALITY AS i(item, n)`;
  const sql = `INSERT INTO ${table} AS ${scope.alias} (${columns.join(", ")})
SELECT ${sources.join(", ")} FROM ${rows}, json_populate_record(NULL::${table}, i.item -> 'plain') AS p ORDER BY i.n
RETURNING ${listOf(shown)}${recorded}`;
  const stored = change === undefined ? [] : [changesSql(statement, change, ["after"])];
  return { sql: withResultAsJson(statement, [writtenRows(sql), ...stored], maxBytes), shape };
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
  `(i.item -> 'texts' ->> ${quoteText(column)})::${nativeType?.name === "Json" ? "json" : "jsonb"}`;

/** The result of an update of many rows, in the order of its changes. */
export function changedRows(
  statement: Statement,
  model: Model,
  select: Clause,
  { seen, maxBytes, change }: ManyWritten,
): ChangedRows {
  const alias = "t";
  const { shape, columns } = returnedColumns(
    select,
    { statement, model, alias, joins: { sql: "", joined: new Map() } },
    seen,
  );
  const order = " ORDER BY w.n";
  const recorded = change && {
    locked: { sql: keyAndState(model, change, alias, "before"), names: ["k", "before"] },
    returned: `, i.k, i.before, ${stateJson(change.fields, alias)} AS after`,
    stored: [changesSql(statement, change, ["before", "after"], order)],
  };
  const toSql = (update: string): string => {
    const written = writtenRows(`${update}\nRETURNING ${listOf(columns)}, i.n${recorded?.returned ?? ""}`);
    return withResultAsJson(statement, [written, ...(recorded?.stored ?? [])], maxBytes, order);
  };
  return { shape, locked: recorded?.locked, toSql };
}

/** How the rows of an update of many rows are returned. */
export interface ChangedRows {
  readonly shape: Shape;
  /** What the update reads of the locked rows, if their changes are recorded. */
  readonly locked: LockedColumns | undefined;
  readonly toSql: (update: string) => string;
}

/** An update of all rows that match, with their changes. */
export function updateManySql(
  statement: Statement,
  model: Model,
  { where, data, select, ...more }: UpdateManyArgs,
  now: Date,
  { seen, maxBytes, change }: ManyRecorded,
): WriteStatement {
  if (Object.keys(more).length > 0 || Object.keys(data).length === 0) return giveUp();
  const scope = openScope(statement, model);
  const { shape, columns } = returnedColumns(select, scope, seen);
  const set = assignmentsSql(statement, updatedOf(model, data, now));
  const { locked, isSame } = lockedRows(scope, conditionWithoutJoins(where, scope), change, {
    isMany: true,
    lock: "NO KEY UPDATE",
  });
  const after = `b.k, b.before, ${stateJson(change.fields, scope.alias)} AS after`;
  const written = writtenRows(
    `UPDATE ${statement.table(model)} AS ${scope.alias} SET ${set} FROM b WHERE ${isSame} RETURNING ${listOf(columns)}, ${after}`,
  );
  const stored = changesSql(statement, change, ["before", "after"]);
  return { sql: withResultAsJson(statement, [locked, written, stored], maxBytes), shape };
}

/** A delete of all rows that match, with their changes; its result is their number. */
export function deleteManySql(
  statement: Statement,
  model: Model,
  { where, ...more }: DeleteManyArgs,
  change: RecordedChange,
): string {
  if (Object.keys(more).length > 0 || model.isView) return giveUp();
  const scope = openScope(statement, model);
  const { locked, isSame } = lockedRows(scope, conditionWithoutJoins(where, scope), change, { isMany: true });
  const remove = `DELETE FROM ${statement.table(model)} AS ${scope.alias} USING b WHERE ${isSame}`;
  const written = writtenRows(`${remove} RETURNING b.k, b.before`);
  return `WITH ${locked}, ${written}, ${changesSql(statement, change, ["before"])} SELECT ${statement.shown(["count(*)"])} FROM w`;
}

/** The rows of a write, as a part of its statement. */
const writtenRows = (write: string): string => `w AS (${write})`;

/**
 * One result with the JSON of all rows of a write in `w`: a thousand rows are one text to read. Rows that exceed the
 * limit are an error of PostgreSQL, so that nothing is written.
 */
function withResultAsJson(
  statement: Statement,
  parts: readonly string[],
  maxBytes: number | undefined,
  order = "",
): string {
  const write = `WITH ${parts.join(", ")}`;
  const rows = `json_agg(w.r${order})`;
  if (maxBytes === undefined) return `${write} SELECT ${statement.shown([rows])} FROM w`;
  const isTooLarge = `(SELECT sum(pg_column_size(w.r)) FROM w) > ${maxBytes}`;
  const result = `CASE WHEN ${isTooLarge} THEN current_setting('${tooLargeSetting}')::json ELSE (SELECT ${rows} FROM w) END`;
  return `${write} SELECT ${statement.shown([result])}`;
}

/**
 * No setting has this name: only reading one can fail in the middle of an expression, and its error contains the name.
 */
const tooLargeSetting = "servicekit.response_too_large";

/** Whether a write failed because its rows exceed the limit. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && error.message.includes(tooLargeSetting);

/** The form of a write's result. */
interface ResultRows {
  readonly seen?: SeenModels | undefined;
  /** Maximum size in bytes. */
  readonly maxBytes?: number | undefined;
}

/** The result of a write of many rows, and the changes that are stored with it. */
export interface ManyWritten extends ResultRows {
  readonly change?: RecordedChange | undefined;
}

/** The same for a write that stores changes. */
export interface ManyRecorded extends ResultRows {
  readonly change: RecordedChange;
}

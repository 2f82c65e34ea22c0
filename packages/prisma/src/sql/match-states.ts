import { type PrismaHandle, queryRaw } from "../database/prisma-client-like.js";
import { timeText, toStoredValue } from "../database/stored-value.js";
import { readFailure } from "../errors/database-failure.js";
import { toHttpError } from "../errors/to-http-error.js";
import type { Condition, Filter } from "../filter/filter.js";
import type { Model, Models, StoredField } from "../models/model.js";
import type { Clause, Row } from "../queries/query-args.js";
import { whereSql } from "./filter-sql.js";
import { columnIn, linkOf } from "./link.js";
import { giveUp, notFoldable } from "./not-foldable.js";
import { openScope, Statement } from "./statement.js";

/**
 * Decides which recorded states of rows a filter matches, as if the table contained each state in place of the current
 * row; the other rows are the current ones. A state that lacks a field of the filter does not match, and none does if
 * SQL cannot express the filter.
 *
 * It takes the fields of rows by name, in the form of a response (contract C4), and returns for each state whether it matches.
 */
export interface MatchStates {
  (model: Model, states: readonly Row[], where: Clause): Promise<readonly boolean[]>;
  /** Whether states can be compared with a filter; otherwise none matches. */
  supports(model: Model, where: Clause): boolean;
}

/** The database of the related rows. */
export interface StateMatcherSettings {
  readonly client: PrismaHandle;
  readonly models: Models;
  /** The database schema of models without one. @default "public" */
  readonly schema?: string | undefined;
}

/** Creates {@link MatchStates} for PostgreSQL, with any engine. */
export function makeStateMatcher({ client, models, schema = "public" }: StateMatcherSettings): MatchStates {
  const matching = async (found: readonly Row[], { sql, values }: Compiled): Promise<ReadonlySet<number>> => {
    const rows = await queryRaw(client, sql, [JSON.stringify(found), ...values]);
    return new Set(rows.map(({ n }) => Number(n)));
  };
  /** A state that its table can no longer contain does not match; it is found by halves. */
  const match = async (found: readonly Row[], compiled: Compiled): Promise<readonly boolean[]> => {
    try {
      const numbers = await matching(found, compiled);
      return found.map((_, index) => numbers.has(index));
    } catch (error) {
      if (readFailure(error)?.sqlState?.startsWith("22") !== true) throw toHttpError(error, { operation: "read" });
      if (found.length === 1) return [false];
      const middle = Math.ceil(found.length / 2);
      return [...(await match(found.slice(0, middle), compiled)), ...(await match(found.slice(middle), compiled))];
    }
  };
  const compiledFor = ({ name }: Model, where: Clause): Compiled | undefined => {
    const model = models.get(name);
    return model && compile(model, where, { models, schema });
  };
  const matchStates = async (model: Model, states: readonly Row[], where: Clause): Promise<readonly boolean[]> => {
    const compiled = compiledFor(model, where);
    if (compiled === undefined) return states.map(() => false);
    const complete = states.map((state) => compiled.fields.every((field) => Object.hasOwn(state, field.name)));
    const rows = states.filter((_, index) => complete[index]).map((state) => toColumns(state, compiled.fields));
    const results = rows.length === 0 ? [] : await match(rows, compiled);
    let at = 0;
    return complete.map((isComplete) => isComplete && results[at++] === true);
  };
  return Object.assign(matchStates, {
    supports: (model: Model, where: Clause) => compiledFor(model, where) !== undefined,
  });
}

/** A filter on states; its first parameter is their list. */
interface Compiled {
  readonly sql: string;
  readonly values: readonly unknown[];
  /** The fields of the states that it reads. */
  readonly fields: readonly StoredField[];
}

/** @returns `undefined` if SQL cannot express the filter */
function compile(
  model: Model,
  where: Clause,
  { models, schema }: { readonly models: Models; readonly schema: string },
): Compiled | undefined {
  const statement = new Statement(models, schema, "named");
  const list = statement.parameter(undefined);
  try {
    const key = model.key?.fields ?? giveUp();
    const fields = new Set([...key, ...fieldsOf(model, statement.filter(where, model), model, statement)]);
    const scope = openScope(statement, model);
    const table = statement.table(model);
    const { alias, joins } = scope;
    const current = statement.alias();
    const isSame = key.map((field) => `${columnIn(current, field)} = ${columnIn(alias, field)}`).join(" AND ");
    statement.replaceRows(
      model,
      `LATERAL (SELECT ${current}.* FROM ${table} AS ${current} WHERE NOT (${isSame}) UNION ALL SELECT ${alias}.*)`,
    );
    const condition = whereSql(where, scope);
    const sql = `SELECT (s.n - 1)::text AS n FROM json_array_elements(${list}::json) WITH ORDINALITY AS s(state, n)
CROSS JOIN LATERAL json_populate_record(NULL::${table}, s.state) AS ${alias}${joins.sql} WHERE ${condition}`;
    return { sql, values: statement.values.slice(1), fields: [...fields] };
  } catch (error) {
    if (error !== notFoldable) throw error;
    return undefined;
  }
}

/** The fields of a model that a filter reads, also through relations that lead to the model. */
function fieldsOf(model: Model, filter: Filter, filtered: Model, statement: Statement): readonly StoredField[] {
  const isOwn = filtered.name === model.name;
  switch (filter.kind) {
    case "all":
    case "any":
      return filter.filters.flatMap((one) => fieldsOf(model, one, filtered, statement));
    case "not":
      return fieldsOf(model, filter.filter, filtered, statement);
    case "condition":
      if (!isOwn) return [];
      return isExact(filter) ? [filter.field] : giveUp();
    case "json":
      return isOwn ? [filter.field] : [];
    case "related": {
      const link = linkOf(statement, filtered, filter.field);
      const pairs = link.kind === "key" ? link.pairs : [[link.here, link.there] as const];
      return [
        ...(isOwn ? pairs.map(([here]) => here) : []),
        ...(link.target.name === model.name ? pairs.map(([, there]) => there) : []),
        ...(filter.filter === null ? [] : fieldsOf(model, filter.filter, link.target, statement)),
      ];
    }
    case "opaque":
      return giveUp();
  }
}

/**
 * Whether a state contains a field exactly: in responses a missing list is empty, a JSON null is like none, and money
 * has the format of the database's locale.
 */
const isExact = ({ field, operator, operand }: Condition): boolean =>
  !(field.kind === "scalar" && field.expression !== undefined) &&
  field.type !== "Json" &&
  field.nativeType?.name !== "Money" &&
  !(field.isList && (operand === null || operator === "isNull"));

const toColumns = (state: Row, fields: readonly StoredField[]): Row =>
  Object.fromEntries(fields.map((field) => [field.column, toColumn(field, state[field.name])]));

/** A value of a response as `json_populate_record` reads it. */
function toColumn(field: StoredField, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => toColumn(field, item));
  if (typeof value !== "string") return toStoredValue(field, value);
  if (field.type === "DateTime") return timeText(field, value);
  if (field.type === "Bytes") return `\\x${Buffer.from(value, "base64").toString("hex")}`;
  return toStoredValue(field, value);
}

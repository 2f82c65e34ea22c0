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
  /** Decides the same for several filters, in one statement where that is possible. */
  each(model: Model, filters: readonly FilteredStates[]): Promise<readonly (readonly boolean[])[]>;
  /** Whether states can be compared with a filter; otherwise none matches. */
  supports(model: Model, where: Clause): boolean;
}

/** A filter, and the states that it is compared with. */
export interface FilteredStates {
  readonly states: readonly Row[];
  readonly where: Clause;
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
  const compiledFor = ({ name }: Model, wheres: readonly Clause[]): Compiled | undefined => {
    const model = models.get(name);
    return model && compile(model, wheres, { models, schema });
  };
  /** For each state, for each filter whether it matches. */
  const query = async (states: readonly Row[], { sql, values, fields }: Compiled): Promise<readonly Matched[]> => {
    const rows = await queryRaw(client, sql, [
      JSON.stringify(states.map((state) => toColumns(state, fields))),
      ...values,
    ]);
    const found: Matched[] = states.map(() => "");
    for (const { n, matched } of rows) found[Number(n)] = String(matched);
    return found;
  };
  /** A state that its table can no longer contain does not match; it is found by halves. */
  const match = async (states: readonly Row[], compiled: Compiled): Promise<readonly Matched[]> => {
    try {
      return await query(states, compiled);
    } catch (error) {
      if (!isUnreadable(error)) throw toHttpError(error, { operation: "read" });
      if (states.length === 1) return [""];
      const middle = Math.ceil(states.length / 2);
      return [...(await match(states.slice(0, middle), compiled)), ...(await match(states.slice(middle), compiled))];
    }
  };
  const matchStates = async (model: Model, states: readonly Row[], where: Clause): Promise<readonly boolean[]> => {
    const compiled = compiledFor(model, [where]);
    const [fields] = compiled?.ofFilters ?? [];
    if (compiled === undefined || fields === undefined) return states.map(() => false);
    const complete = states.filter((state) => isComplete(state, fields));
    const matched = complete.length === 0 ? [] : await match(complete, compiled);
    let at = 0;
    return states.map((state) => isComplete(state, fields) && matched[at++] === yes);
  };
  /** `undefined` if one statement cannot do it, such as for a state that its table can no longer contain. */
  const matchTogether = async (
    model: Model,
    filters: readonly FilteredStates[],
  ): Promise<readonly (readonly boolean[])[] | undefined> => {
    const compiled = compiledFor(
      model,
      filters.map(({ where }) => where),
    );
    if (compiled === undefined) return undefined;
    const states = [...new Set(filters.flatMap((filter) => filter.states))];
    if (states.length === 0) return filters.map(() => []);
    try {
      const matched = new Map((await query(states, compiled)).map((one, index) => [states[index], one]));
      return filters.map((filter, at) =>
        filter.states.map(
          (state) => matched.get(state)?.[at] === yes && isComplete(state, compiled.ofFilters[at] ?? []),
        ),
      );
    } catch (error) {
      if (isUnreadable(error)) return undefined;
      throw toHttpError(error, { operation: "read" });
    }
  };
  return Object.assign(matchStates, {
    each: async (model: Model, filters: readonly FilteredStates[]) => {
      const together = filters.length > 1 ? await matchTogether(model, filters) : undefined;
      if (together !== undefined) return together;
      const found: (readonly boolean[])[] = [];
      for (const { states, where } of filters) found.push(await matchStates(model, states, where));
      return found;
    },
    supports: (model: Model, where: Clause) => compiledFor(model, [where]) !== undefined,
  });
}

/** A character for each filter. */
type Matched = string;
const yes = "1";

/** Whether PostgreSQL cannot read a state, or compare it. */
const isUnreadable = (error: unknown): boolean => readFailure(error)?.sqlState?.startsWith("22") === true;

const isComplete = (state: Row, fields: readonly StoredField[]): boolean =>
  fields.every(({ name }) => Object.hasOwn(state, name));

/** Filters on states; the first parameter is the list of the states. */
interface Compiled {
  readonly sql: string;
  readonly values: readonly unknown[];
  /** The fields of the states that any of the filters reads. */
  readonly fields: readonly StoredField[];
  /** The same for each filter. */
  readonly ofFilters: readonly (readonly StoredField[])[];
}

/** @returns `undefined` if SQL cannot express one of the filters */
function compile(
  model: Model,
  wheres: readonly Clause[],
  { models, schema }: { readonly models: Models; readonly schema: string },
): Compiled | undefined {
  const statement = new Statement(models, schema, "named");
  const list = statement.parameter(undefined);
  try {
    const key = model.key?.fields ?? giveUp();
    const ofFilters = wheres.map((where) => [
      ...new Set([...key, ...fieldsOf(model, statement.filter(where, model), model, statement)]),
    ]);
    const scope = openScope(statement, model);
    const table = statement.table(model);
    const { alias, joins } = scope;
    const current = statement.alias();
    const isSame = key.map((field) => `${columnIn(current, field)} = ${columnIn(alias, field)}`).join(" AND ");
    statement.replaceRows(
      model,
      `LATERAL (SELECT ${current}.* FROM ${table} AS ${current} WHERE NOT (${isSame}) UNION ALL SELECT ${alias}.*)`,
    );
    const conditions = wheres.map((where) => `CASE WHEN ${whereSql(where, scope)} THEN '${yes}' ELSE '0' END`);
    const sql = `SELECT (s.n - 1)::text AS n, ${conditions.join(" || ")} AS matched
FROM json_array_elements(${list}::json) WITH ORDINALITY AS s(state, n)
CROSS JOIN LATERAL json_populate_record(NULL::${table}, s.state) AS ${alias}${joins.sql}`;
    return { sql, values: statement.values.slice(1), fields: [...new Set(ofFilters.flat())], ofFilters };
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
  Object.fromEntries(
    fields.flatMap((field) =>
      Object.hasOwn(state, field.name) ? [[field.column, toColumn(field, state[field.name])]] : [],
    ),
  );

/** A value of a response as `json_populate_record` reads it. */
function toColumn(field: StoredField, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => toColumn(field, item));
  if (typeof value !== "string") return toStoredValue(field, value);
  if (field.type === "DateTime") return timeText(field, value);
  if (field.type === "Bytes") return `\\x${Buffer.from(value, "base64").toString("hex")}`;
  return toStoredValue(field, value);
}

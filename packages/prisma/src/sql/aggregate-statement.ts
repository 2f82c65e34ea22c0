import type { AggregateArgs, Group } from "../aggregates/aggregate-args.js";
import { aggregateFunctions, type Measure } from "../aggregates/measure.js";
import type { Model, StoredField } from "../models/model.js";
import { columnOf } from "./column.js";
import { filterSql, whereSql } from "./filter-sql.js";
import { columnIn, joinOne, linkOf } from "./link.js";
import { giveUp } from "./not-foldable.js";
import type { ReadStatement } from "./read-statement.js";
import { matchingSql } from "./search-in-scope.js";
import { limitSql, type Member, type Shape } from "./shape.js";
import { fromScope, openScope, type Scope, type Statement } from "./statement.js";

/** The alias of the groups, to which conditions on measures and the order refer. */
const grouped = "h";

/** Compiles an aggregate: the groups with their measures, and around them the conditions on measures and the order. */
export function aggregateSql(statement: Statement, model: Model, args: AggregateArgs): ReadStatement {
  const { where, search, groups, measures, shown, having, orderBy, timeZone, take, skip } = args;
  const scope = openScope(statement, model);
  // PostgreSQL rejects a parameter that no expression uses.
  const zone = groups.some(hasZone) ? `${statement.parameter(timeZone)}::text` : "";
  const columns = [
    ...groups.map((group) => `${groupSql(group, scope, zone)} AS ${columnOf(group.field).name}`),
    "count(*) AS n",
    ...measures.map((measure) => `${measureSql(measure, scope)} AS ${columnOf(measure.field).name}`),
  ];
  const condition = matchingSql({ where, search }, scope);
  const by = groups.length === 0 ? "" : ` GROUP BY ${groups.map((_group, at) => at + 1).join(", ")}`;
  const inner = `SELECT ${columns.join(", ")} ${fromScope(scope)} WHERE ${condition}${by}`;
  const outer: Scope = { statement, model, alias: grouped, joins: { sql: "", joined: new Map() } };
  const matching = having === undefined ? "" : ` WHERE ${filterSql(having, outer)}`;
  const keys = orderBy.map(({ field, direction, nulls }) => {
    const place = nulls === undefined ? "" : ` NULLS ${nulls.toUpperCase()}`;
    return `${columnIn(grouped, field)} ${direction.toUpperCase()}${place}`;
  });
  const order = keys.length === 0 ? "" : ` ORDER BY ${keys.join(", ")}`;
  const limit = limitSql(take, skip, outer);
  const visible = measures.filter(({ name }) => shown.has(name));
  const read = [...groups, ...visible].map(({ field }) => columnOf(field).read(columnIn(grouped, field)));
  const list = statement.shown([`${grouped}.n`, ...read]);
  return {
    sql: `SELECT ${list} FROM (${inner}) AS ${grouped}${matching}${order}${limit}`,
    shape: shapeOf(groups, visible),
  };
}

/** The first column is the number of rows, which is never NULL, so that no member is. */
function shapeOf(groups: readonly Group[], measures: readonly Measure[]): Shape {
  const inside = (name: string, members: readonly Member[]): Shape =>
    members.length === 0 ? [] : [{ kind: "one", name, at: 0, shape: members }];
  const member = (name: string, field: StoredField, at: number): Member => ({
    ...{ kind: "column", name, at, field },
    form: columnOf(field).form,
  });
  const results = measures.map((measure, index) => ({ measure, at: 1 + groups.length + index }));
  const of = (word: Measure["function"]): readonly Member[] =>
    results
      .filter(({ measure }) => measure.function === word)
      .map(({ measure, at }) => member(measure.of?.name ?? measure.name, measure.field, at));
  return [
    ...inside(
      "group",
      groups.map(({ name, field }, at) => member(name, field, 1 + at)),
    ),
    ...of("count"),
    ...aggregateFunctions.flatMap((word) => inside(word, of(word))),
  ];
}

/** A value of a group; NULL if a row on its path is missing or not to be read. */
function groupSql({ path, of, part }: Group, start: Scope, zone: string): string {
  let scope = start;
  const conditions: string[] = [];
  for (const { relation, where } of path) {
    const field = scope.model.fieldsByName.get(relation);
    if (field?.kind !== "relation" || field.isList) return giveUp();
    scope = joinOne(scope, field, linkOf(scope.statement, scope.model, field));
    if (where !== undefined) conditions.push(whereSql(where, scope));
  }
  const column = columnOf(of).compared(columnIn(scope.alias, of));
  const value = part === undefined ? column : periodSql(part, of, column, zone);
  return conditions.length === 0 ? value : `CASE WHEN ${conditions.join(" AND ")} THEN ${value} END`;
}

/** Whether the period of a group depends on the time zone. */
const hasZone = ({ part, of }: Group): boolean => part !== undefined && of.nativeType?.name !== "Date";

/** The first day of the period. A column without a time zone contains times in UTC, and a date has no zone. */
function periodSql(
  part: NonNullable<Group["part"]>,
  { nativeType }: StoredField,
  column: string,
  zone: string,
): string {
  const local =
    nativeType?.name === "Date"
      ? `${column}::timestamp`
      : nativeType?.name === "Timestamptz"
        ? `(${column} AT TIME ZONE ${zone})`
        : `(${column} AT TIME ZONE 'UTC' AT TIME ZONE ${zone})`;
  return `date_trunc('${part}', ${local})::date`;
}

function measureSql({ function: word, of }: Measure, { alias }: Scope): string {
  if (of === undefined) return "count(*)";
  const { compared } = columnOf(of);
  const column = compared(columnIn(alias, of));
  const cast = of.type === "Float" ? "::float8" : word === "avg" && of.nativeType?.name === "Money" ? "::numeric" : "";
  switch (word) {
    case "countDistinct":
      return `count(DISTINCT ${column})`;
    case "sum":
    case "avg":
      return `${word}(${column}${cast})`;
    default:
      return `${word}(${column})`;
  }
}

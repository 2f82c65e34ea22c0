import type { SqlDriverAdapter } from "@prisma/driver-adapter-utils";
import { quoteJsonDefaults } from "../quote-json-defaults.js";
import { type DefinedDefault, readName, rewriteDefaults, splitItems, splitStatements } from "./column-definitions.js";
import { exactDefault, isText, momentSql } from "./exact-default.js";
import { findOutdatedDefaults, type OutdatedDefault } from "./outdated-defaults.js";

/**
 * A script of Prisma's engine for SQLite whose defaults have the form in which Prisma Client writes the same values.
 *
 * @param isExact decides about each default; by default true
 */
export const exactDefaults = (script: string, isExact: (of: DefinedDefault) => boolean = () => true): string =>
  rewriteDefaults(quoteJsonDefaults(script), (of) => (isExact(of) ? exactDefault(of.type, of.value) : of.value));

/**
 * The same for a script that changes a database: where it copies a table whose defaults have another form, it changes the
 * values that these defaults have created. A table that is made again without a difference stays as it is, because the engine
 * cannot compare every default.
 *
 * @returns an empty text if nothing is left
 */
export async function exactScript(adapter: SqlDriverAdapter, script: string): Promise<string> {
  if (script === "") return script;
  const oldDefaults = await findOutdatedDefaults(adapter);
  const { rows } = await adapter.queryRaw({ sql: "SELECT sql FROM sqlite_master", args: [], argTypes: [] });
  const definitions = new Set(rows.map(([sql]) => String(sql)));
  const newDefaults: DefinedDefault[] = [];
  const exact = rewriteDefaults(quoteJsonDefaults(script), (of) => {
    const value = exactDefault(of.type, of.value);
    newDefaults.push({ ...of, value });
    return value;
  });
  const statements = splitStatements(exact);
  const equalTables = statements.flatMap((statement) => {
    const [, name = "", body = ""] = /CREATE TABLE "new_((?:[^"]|"")*)" (\([\s\S]*\));$/.exec(statement) ?? [];
    return definitions.has(`CREATE TABLE "${name}" ${body}`) ? [name] : [];
  });
  const isRepeated = (statement: string): boolean =>
    equalTables.some((name) => isCopyOf(name, statement) || definitions.has(indexOf(name, statement)));
  const changes = statements.filter((statement) => !isRepeated(statement));
  if (changes.every(isWithoutChange)) return "";
  return changes.map((statement) => withExactValues(statement, oldDefaults, newDefaults)).join("");
}

/** Whether a statement consists of comments, or sets a parameter of the connection. */
const isWithoutChange = (statement: string): boolean =>
  /^(?:PRAGMA [^;]*;)?$/.test(statement.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, "").trim());

/** Whether a statement makes the table again. */
function isCopyOf(name: string, statement: string): boolean {
  const [first = ""] = /^(?:CREATE|INSERT|DROP|ALTER)[\s\S]*/m.exec(statement) ?? [];
  return [
    `CREATE TABLE "new_${name}" (`,
    `INSERT INTO "new_${name}" (`,
    `DROP TABLE "${name}";`,
    `ALTER TABLE "new_${name}" RENAME`,
  ].some((start) => first.startsWith(start));
}

/** The definition of an index of the table that a statement creates. */
const indexOf = (name: string, statement: string): string => {
  const [index = ""] = /CREATE (?:UNIQUE )?INDEX [^;]*(?=;)/.exec(statement) ?? [];
  return index.includes(`" ON "${name}"(`) ? index : "";
};

const copy = /^INSERT INTO "(new_(?:[^"]|"")*)" \(([\s\S]*?)\) SELECT ([\s\S]*) FROM ("(?:[^"]|"")*");$/m;

/** The copy of a table with values in the form of Prisma Client. */
function withExactValues(
  statement: string,
  oldDefaults: readonly OutdatedDefault[],
  newDefaults: readonly DefinedDefault[],
): string {
  const [all = "", target = "", columns = "", items = "", table = ""] = copy.exec(statement) ?? [];
  if (all === "") return statement;
  const names = splitItems(columns);
  const values = splitItems(items).map((item, at) => {
    const quoted = names[at] ?? "";
    const column = readName(quoted);
    const previous = oldDefaults.find((one) => one.table === readName(table) && one.column === column);
    const next = newDefaults.find((one) => one.table === readName(`"${target}"`) && one.column === column);
    const isFilled = next !== undefined && item.startsWith("coalesce(");
    if (previous === undefined && !isFilled) return item;
    const value = previous === undefined ? quoted : exactValue(quoted, previous);
    return `${isFilled ? `coalesce(${value}, ${next.value})` : value} AS ${quoted}`;
  });
  return statement.replace(`) SELECT ${items} FROM `, () => `) SELECT ${values.join(", ")} FROM `);
}

function exactValue(value: string, { type, value: previous }: OutdatedDefault): string {
  if (type.toUpperCase() === "DATETIME") return momentSql(value);
  return isText(previous)
    ? `CASE ${value} WHEN ${previous} THEN ${exactDefault(type, previous)} ELSE ${value} END`
    : value;
}

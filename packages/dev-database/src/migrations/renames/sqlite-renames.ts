import { quoteName } from "../../databases/database-url.js";
import { onSqlite } from "../on-sqlite.js";
import { readName, splitItems, splitStatements } from "../sqlite/column-definitions.js";
import { pairColumns } from "./pair-columns.js";
import { commented } from "./postgres-renames.js";

const creation = /^CREATE TABLE "new_((?:[^"]|"")*)" \(([\s\S]*)\);$/m;
const copy = /^INSERT INTO "new_((?:[^"]|"")*)" \(([\s\S]*?)\) SELECT ([\s\S]*) FROM ("(?:[^"]|"")*");$/m;
const column = /^("(?:[^"]|"")*") (\w+)/;

/** Adds the statements of probable renames to a script for SQLite, as comments: a copy of the table with the values. */
export function withSqliteRenames(url: string, script: string): Promise<string> {
  return onSqlite(url, async (adapter) => {
    const tables = new Map<string, readonly { readonly name: string; readonly type: string }[]>();
    const statements: string[] = [];
    for (const statement of splitStatements(script)) {
      const [, table, body = ""] = creation.exec(statement) ?? [];
      if (table !== undefined) tables.set(table, columnsOf(body));
      statements.push(await withRename(statement));
    }
    return statements.join("");

    async function withRename(statement: string): Promise<string> {
      const [all = "", table = "", columns = "", values = "", source = ""] = copy.exec(statement) ?? [];
      if (all === "") return statement;
      const { rows } = await adapter.queryRaw({
        sql: "SELECT name, type FROM pragma_table_info(?)",
        args: [readName(source)],
        argTypes: [{ scalarType: "string", arity: "scalar" }],
      });
      const before = rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
      const after = tables.get(table) ?? [];
      const pairs = pairColumns(
        before.filter(({ name }) => !after.some((one) => one.name === name)),
        after.filter(({ name }) => !before.some((one) => one.name === name)),
      );
      if (pairs.length === 0) return statement;
      const names = [columns, ...pairs.map(({ to }) => quoteName(to))].join(", ");
      const items = [values, ...pairs.map(({ from }) => quoteName(from))].join(", ");
      const word = pairs.length === 1 ? "column" : "columns";
      const comment = [
        `To rename the ${word} ${pairs.map(({ from, to }) => `${from} to ${to}`).join(", ")} instead, replace the statement below by this one:`,
        `INSERT INTO "new_${table}" (${names}) SELECT ${items} FROM ${source};`,
      ];
      return statement.replace(all, () => `${commented(comment)}\n${all}`);
    }
  });
}

const columnsOf = (body: string) =>
  splitItems(body).flatMap((item) => {
    const [, name, type] = column.exec(item) ?? [];
    return name === undefined || type === undefined ? [] : [{ name: readName(name), type }];
  });

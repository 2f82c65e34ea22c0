import { parseDatabaseUrl, quoteName } from "../../databases/database-url.js";
import { withClient } from "../../databases/with-client.js";
import { readName, splitItems, splitStatements } from "../sqlite/column-definitions.js";
import { type ChangedColumn, pairColumns } from "./pair-columns.js";

const name = '"(?:[^"]|"")*"';
const alteration = new RegExp(`^ALTER TABLE ((?:${name}\\.)?${name}) ([\\s\\S]*);$`, "m");
const drop = new RegExp(`^DROP COLUMN\\s+(${name})$`);
const add = new RegExp(`^ADD COLUMN\\s+(${name})\\s+([\\s\\S]+?)(?= NOT NULL| DEFAULT |$)`);

/** Adds the statements of probable renames to a script for PostgreSQL, as comments. */
export function withPostgresRenames(url: string, script: string): Promise<string> {
  return withClient(url, async (client) => {
    const schema = parseDatabaseUrl(url).searchParams.get("schema");
    // Everything is rolled back.
    await client.query("BEGIN");
    if (schema !== null) await client.query(`SET LOCAL search_path = ${quoteName(schema)}`);
    const statements: string[] = [];
    for (const statement of splitStatements(script)) statements.push(await withRenames(statement));
    await client.query("ROLLBACK");
    return statements.join("");

    async function withRenames(statement: string): Promise<string> {
      const [all = "", table = "", list = ""] = alteration.exec(statement) ?? [];
      const clauses = all === "" ? [] : splitItems(list);
      const oldNames = clauses.flatMap((clause) => drop.exec(clause)?.[1] ?? []);
      const newColumns = clauses.flatMap((clause) => {
        const [, column, type] = add.exec(clause) ?? [];
        return column === undefined || type === undefined ? [] : [{ column, type }];
      });
      if (oldNames.length === 0 || newColumns.length === 0) return statement;
      const types = await columnTypes(table);
      const before = oldNames.map((column) => ({ name: readName(column), type: types.get(readName(column)) }));
      const after: ChangedColumn[] = [];
      for (const { column, type } of newColumns) after.push({ name: readName(column), type: await typeName(type) });
      const pairs = pairColumns(before, after);
      if (pairs.length === 0) return statement;
      const renames = pairs.map(
        ({ from, to }) => `ALTER TABLE ${table} RENAME COLUMN ${quoteName(from)} TO ${quoteName(to)};`,
      );
      const isPaired = (clause: string): boolean => {
        const column = readName(drop.exec(clause)?.[1] ?? add.exec(clause)?.[1] ?? '""');
        return pairs.some(({ from, to }) => (drop.test(clause) ? from === column : add.test(clause) && to === column));
      };
      const others = clauses.filter((clause) => !isPaired(clause));
      const rest = others.length === 0 ? [] : [`ALTER TABLE ${table} ${others.join(",\n")};`];
      const [word, these] =
        pairs.length === 1 ? ["column", rest.length === 0 ? "this one" : "these"] : ["columns", "these"];
      const comment = [`To rename the ${word} instead, replace the statement below by ${these}:`, ...renames, ...rest];
      return statement.replace(all, () => `${commented(comment)}\n${all}`);
    }

    async function columnTypes(table: string): Promise<ReadonlyMap<string, string>> {
      const { rows } = await client.query<{ name: string; type: string }>(typesSql, [table]);
      return new Map(rows.map(({ name: column, type }) => [column, type]));
    }

    /** PostgreSQL's own name of a type; `undefined` for one that the script creates. */
    async function typeName(type: string): Promise<string | undefined> {
      await client.query("SAVEPOINT type");
      try {
        await client.query(`CREATE TEMP TABLE servicekit_type (value ${type}) ON COMMIT DROP`);
        return (await columnTypes("pg_temp.servicekit_type")).get("value");
      } catch {
        return undefined;
      } finally {
        await client.query("ROLLBACK TO SAVEPOINT type");
      }
    }
  });
}

/** Lines as a comment. */
export const commented = (lines: readonly string[]): string =>
  lines
    .join("\n")
    .split("\n")
    .map((line) => `-- ${line}`)
    .join("\n");

const typesSql = `SELECT attname::text AS name, format_type(atttypid, atttypmod) AS type
FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`;

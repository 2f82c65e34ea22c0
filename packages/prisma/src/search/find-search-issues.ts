import type { Models } from "../models/model.js";
import { quoteTable, quoteText } from "../models/quote-name.js";
import { type SearchStorage, searchStorage } from "./search-storage.js";

/** What a search needs: the field in the Prisma schema, the generated column in the database, or an index. */
export type SearchNeed = "field" | "column" | "index";

/** What the searches of models need and the database does not have. */
export interface SearchIssues {
  /** Models whose language is not a text search configuration. */
  readonly unknownLanguages: readonly { readonly model: string; readonly language: string }[];
  /** The text search configurations. */
  readonly knownLanguages: readonly string[];
  /** Searches that read the whole table, of tables that exist. */
  readonly needs: readonly { readonly model: string; readonly need: SearchNeed }[];
  /** Models whose text vectors are in a column. */
  readonly vectors: ReadonlySet<string>;
}

interface Row {
  readonly hasTable: boolean;
  readonly isGenerated: boolean;
  readonly hasIndex: boolean;
}

/**
 * Compares the searches of models with the database.
 *
 * @param defaultSchema the schema of models without one; if unknown, that of the connection
 */
export async function findSearchIssues(
  query: (statement: string) => Promise<readonly unknown[]>,
  models: Models,
  defaultSchema: string | undefined,
): Promise<SearchIssues> {
  const storages = [...models.values()].flatMap((model) => searchStorage(model) ?? []);
  if (storages.length === 0) return { unknownLanguages: [], knownLanguages: [], needs: [], vectors: new Set() };
  const languages = (await query(languagesSql)) as readonly { readonly name: string }[];
  const known = new Set(languages.map(({ name }) => name));
  const states = storages.map((storage) => stateSql(storage, storage.schema ?? defaultSchema)).join(" UNION ALL ");
  const rows = (await query(`SELECT * FROM (${states}) AS s ORDER BY n`)) as readonly Row[];
  return {
    unknownLanguages: [...models.values()].flatMap(({ name, search }) =>
      search?.mode !== "fullText" || known.has(search.language) ? [] : [{ model: name, language: search.language }],
    ),
    knownLanguages: [...known].filter((name) => !name.includes(".")).sort(),
    needs: storages.flatMap((storage, at) => {
      const need = needOf(storage, rows[at]);
      return need === undefined ? [] : [{ model: storage.model, need }];
    }),
    vectors: new Set(
      storages.flatMap(({ kind, model }, at) => (kind === "column" && rows[at]?.isGenerated ? [model] : [])),
    ),
  };

  function stateSql(storage: SearchStorage, schema: string | undefined): string {
    const named = (name: string): string => quoteText(quoteTable({ table: name }, schema));
    const table = `to_regclass(${named(storage.table)})`;
    const at = `${storages.indexOf(storage)} AS n, ${table} IS NOT NULL AS "hasTable"`;
    if (storage.kind === "index")
      return `SELECT ${at}, false AS "isGenerated", to_regclass(${named(storage.name)}) IS NOT NULL AS "hasIndex"`;
    const column = `a.attrelid = ${table} AND a.attname = ${quoteText(storage.column ?? "")} AND NOT a.attisdropped`;
    const isGenerated = `a.attgenerated = 's' AND col_description(a.attrelid, a.attnum) = ${quoteText(storage.comment)}`;
    return `SELECT ${at}, EXISTS(SELECT FROM pg_attribute a WHERE ${column} AND ${isGenerated}) AS "isGenerated",
EXISTS(SELECT FROM pg_attribute a JOIN pg_index i ON i.indrelid = a.attrelid AND i.indkey[0] = a.attnum WHERE ${column}) AS "hasIndex"`;
  }
}

function needOf({ kind, ...storage }: SearchStorage, row: Row | undefined): SearchNeed | undefined {
  if (kind === "column" && "column" in storage && storage.column === undefined) return "field";
  // A missing table is reported as such.
  if (row === undefined || !row.hasTable) return undefined;
  if (kind === "column" && !row.isGenerated) return "column";
  return row.hasIndex ? undefined : "index";
}

const languagesSql = `SELECT c.cfgname::text AS name FROM pg_ts_config c
UNION SELECT n.nspname || '.' || c.cfgname FROM pg_ts_config c JOIN pg_namespace n ON n.oid = c.cfgnamespace`;

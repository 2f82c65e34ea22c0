/** The default of a column in a script. */
export interface DefinedDefault {
  readonly table: string;
  readonly column: string;
  /** The declared type, such as `DATETIME`. */
  readonly type: string;
  /** The SQL of the default. */
  readonly value: string;
}

const name = '"(?:[^"]|"")*"';

/** Comments, texts and names, which may contain anything, the beginnings of tables, and columns with a type that is rewritten. */
const parts = new RegExp(
  [
    "--[^\\n]*",
    "/\\*[\\s\\S]*?\\*/",
    "'(?:[^']|'')*'",
    `(?:CREATE|ALTER) TABLE (?<table>${name})`,
    `(?<column>${name}) (?<type>DATETIME|BLOB|JSONB)(?:(?: NOT NULL| PRIMARY KEY| UNIQUE)*)(?<default> DEFAULT )?`,
    name,
  ].join("|"),
  "g",
);

/**
 * Rewrites the defaults of dates, bytes and JSON in a script of Prisma's engine for SQLite.
 *
 * @param rewrite returns the SQL of a default
 */
export function rewriteDefaults(script: string, rewrite: (of: DefinedDefault) => string): string {
  let result = "";
  let from = 0;
  let table = "";
  for (const match of script.matchAll(parts)) {
    const { groups = {}, index } = match;
    if (index < from) continue;
    if (groups.table !== undefined) table = readName(groups.table);
    if (groups.default === undefined) continue;
    const start = index + match[0].length;
    const end = expressionEnd(script, start);
    const of = {
      table,
      column: readName(groups.column ?? ""),
      type: groups.type ?? "",
      value: script.slice(start, end),
    };
    result += script.slice(from, start) + rewrite(of);
    from = end;
  }
  return result + script.slice(from);
}

/** The tables to which a script adds a column whose default is an expression, which SQLite rejects. */
export function tablesToMakeAgain(script: string): ReadonlySet<string> {
  const addition = /^ALTER TABLE ("(?:[^"]|"")*") ADD COLUMN "(?:[^"]|"")*" \w+(?: NOT NULL)? DEFAULT (?:\(|CURRENT_)/m;
  const tables = splitStatements(script).map((statement) => addition.exec(statement)?.[1]);
  return new Set(tables.flatMap((table) => (table === undefined ? [] : [readName(table)])));
}

/** The statements of a script, each with the comments before it and its semicolon. */
export function splitStatements(script: string): string[] {
  const statements: string[] = [];
  for (let from = 0; from < script.length; ) {
    const end = expressionEnd(script, from, /[;]/y);
    statements.push(script.slice(from, end + 1));
    from = end + 1;
  }
  return statements;
}

/** The items of a list from a place to the end of the text, separated by commas outside of parentheses. */
export function splitItems(list: string): string[] {
  const items: string[] = [];
  for (let from = 0; from <= list.length; ) {
    const end = expressionEnd(list, from, /,/y);
    items.push(list.slice(from, end).trim());
    from = end + 1;
  }
  return items;
}

/** Where an expression ends: at one of these characters outside of texts, comments and parentheses. */
function expressionEnd(sql: string, start: number, ends = /[,;)\n]/y): number {
  const skipped = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"/y;
  let depth = 0;
  for (let at = start; at < sql.length; ) {
    ends.lastIndex = at;
    if (depth === 0 && ends.test(sql)) return at;
    skipped.lastIndex = at;
    if (skipped.test(sql)) at = skipped.lastIndex;
    else {
      if (sql[at] === "(") depth++;
      else if (sql[at] === ")") depth--;
      at++;
    }
  }
  return sql.length;
}

/** A quoted name without its quotes. */
export const readName = (quoted: string): string => quoted.slice(1, -1).replaceAll('""', '"');

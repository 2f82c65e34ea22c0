import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { type Capabilities, capabilitiesOf } from "../src/providers/capabilities.js";
import type { Provider } from "../src/providers/provider.js";

/** The rows of the table, by the capability that each is about. */
const rows: Readonly<Partial<Record<keyof Capabilities, string>>> = {
  sqlEngine: 'statements written by servicekit (`database.engine: "auto"`)',
  caseInsensitiveLetters: "case-insensitive operators and `search`",
  listColumns: "list columns such as `String[]`",
  exactDecimals: "`Decimal` with every digit",
  bigCounters: "`BigInt @default(autoincrement())`",
  nativeTypes: "column types (`@db.VarChar(20)`)",
  nativeEnums: "enums checked and sorted by the database",
  databaseSchemas: "tables in database schemas",
  partialIndexes: "partial unique indexes beside `softDelete`",
  rowLocks: "locks of single rows",
  statementTimeLimit: "time limit of a statement (`timeouts.statement`)",
  textSearch: "`search: { fields, language }` with an index",
  changeLog: "`changes` and histories",
  maxParameters: "parameters of one statement",
};

const shown = (value: unknown): string => {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return value.toLocaleString("en");
  return `${value === "ascii" ? "ASCII" : value} letters`;
};

it("C113, C119 the guide to databases has the capabilities of each provider", () => {
  const page = fs.readFileSync(path.join(import.meta.dirname, "../../../docs/guides/databases.md"), "utf8");
  const expected = Object.entries(rows).map(([name, words]) => {
    const of = (provider: Provider) => shown(capabilitiesOf(provider)[name as keyof Capabilities]);
    return `| ${words} | ${of("postgresql")} | ${of("mysql")} | ${of("sqlite")} |`;
  });
  const lines = page.split("\n");
  const start = lines.findIndex((line) => line.startsWith("| feature | PostgreSQL | MySQL and MariaDB | SQLite |"));
  expect(lines.slice(start + 2, lines.indexOf("", start))).toEqual(expected);
});

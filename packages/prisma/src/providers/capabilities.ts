import type { Provider } from "./provider.js";

/** What a database offers, as far as this framework uses it. `test/providers.db.test.ts` compares it with the servers. */
export interface Capabilities {
  /** The name of the database in messages. */
  readonly name: string;
  /** Whether this framework writes SQL for it; otherwise Prisma Client runs every query. */
  readonly sqlEngine: boolean;
  /** The letters that case-insensitive operators treat as equal. */
  readonly caseInsensitiveLetters: "all" | "ascii";
  /** Whether a column can contain a list. */
  readonly listColumns: boolean;
  /** Whether the database itself rejects other values than those of an enum, and sorts them in their order. */
  readonly nativeEnums: boolean;
  /** Whether a `Decimal` column stores every digit. */
  readonly exactDecimals: boolean;
  /** Whether a `BigInt` can be `@default(autoincrement())`. */
  readonly bigCounters: boolean;
  /** Whether columns have the types of `@db`. */
  readonly nativeTypes: boolean;
  /** Whether tables belong to schemas. */
  readonly databaseSchemas: boolean;
  /** Whether an index can contain a part of the rows only. */
  readonly partialIndexes: boolean;
  /** Whether a transaction locks single rows; otherwise one transaction at a time writes. */
  readonly rowLocks: boolean;
  /** Whether the database ends a statement after a time limit. */
  readonly statementTimeLimit: boolean;
  /** The maximum number of parameters of one statement. */
  readonly maxParameters: number;
  /** Whether `search` uses an index of words or similar spellings (contract C103). */
  readonly textSearch: boolean;
  /** Whether changes of rows can be recorded in the order of their commits. */
  readonly changeLog: boolean;
}

const capabilities: Readonly<Record<Provider, Capabilities>> = {
  postgresql: {
    name: "PostgreSQL",
    sqlEngine: true,
    caseInsensitiveLetters: "all",
    listColumns: true,
    nativeEnums: true,
    exactDecimals: true,
    bigCounters: true,
    nativeTypes: true,
    databaseSchemas: true,
    partialIndexes: true,
    rowLocks: true,
    statementTimeLimit: true,
    maxParameters: 65_535,
    textSearch: true,
    changeLog: true,
  },
  sqlite: {
    name: "SQLite",
    sqlEngine: false,
    caseInsensitiveLetters: "ascii",
    listColumns: false,
    nativeEnums: false,
    exactDecimals: false,
    bigCounters: false,
    nativeTypes: false,
    databaseSchemas: false,
    partialIndexes: true,
    rowLocks: false,
    statementTimeLimit: false,
    maxParameters: 32_766,
    textSearch: false,
    changeLog: false,
  },
  // What both MariaDB and MySQL offer.
  mysql: {
    name: "MySQL",
    sqlEngine: false,
    caseInsensitiveLetters: "all",
    listColumns: false,
    nativeEnums: true,
    exactDecimals: true,
    bigCounters: true,
    nativeTypes: true,
    databaseSchemas: false,
    partialIndexes: false,
    rowLocks: true,
    statementTimeLimit: true,
    maxParameters: 65_535,
    textSearch: false,
    changeLog: false,
  },
};

/** The capabilities of a provider. */
export const capabilitiesOf = (provider: Provider): Capabilities => capabilities[provider];

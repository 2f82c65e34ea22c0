import type { Provider } from "./provider.js";

/** Years, with 0 for 1 BC. */
export interface DateYears {
  readonly min: number;
  readonly max: number;
  /** Whether there are `infinity` and `-infinity` too. */
  readonly isEndless: boolean;
}

/** What a database offers, as far as this framework uses it. `test/providers.db.test.ts` compares it with the servers. */
export interface Capabilities {
  /** The name of the database in messages. */
  readonly name: string;
  /** Whether this framework writes SQL for it; otherwise Prisma Client runs every query. */
  readonly sqlEngine: boolean;
  /** The letters that case-insensitive operators treat as equal. */
  readonly caseInsensitiveLetters: "all" | "ascii";
  /** Whether Prisma Client has `mode: "insensitive"`. */
  readonly insensitiveMode: boolean;
  /** The position of NULL in ascending order, unless the query sets it. */
  readonly nullsInAscendingOrder: "first" | "last";
  /** Whether a column can contain a list. */
  readonly listColumns: boolean;
  /** Whether equal JSON values are equal in the database, also with another order of their keys. */
  readonly comparesJsonValues: boolean;
  /** Whether the database itself rejects other values than those of an enum, and sorts them in their order. */
  readonly nativeEnums: boolean;
  /** Whether a `Decimal` column stores every digit. */
  readonly exactDecimals: boolean;
  /** Whether a column of numbers can contain `NaN` and the infinities. */
  readonly nonFiniteNumbers: boolean;
  /** The years of date-times and of days that the database stores, and compares as dates. */
  readonly years: { readonly moment: DateYears; readonly day: DateYears };
  /** Whether every stored value is read; otherwise those that the type of the column does not have are read as `null`. */
  readonly readsEveryValue: boolean;
  /** Whether a `BigInt` can be `@default(autoincrement())`. */
  readonly bigCounters: boolean;
  /** Whether columns have the types of `@db`. */
  readonly nativeTypes: boolean;
  /** Whether tables belong to schemas. */
  readonly databaseSchemas: boolean;
  /** Whether an index can contain a part of the rows only. */
  readonly partialIndexes: boolean;
  /** Whether `INSERT`, `UPDATE` and `DELETE` return the written rows. */
  readonly returning: boolean;
  /** Whether a transaction locks single rows; otherwise one transaction at a time writes. */
  readonly rowLocks: boolean;
  readonly savepoints: boolean;
  /** The isolation levels of transactions, the default one first. */
  readonly isolationLevels: readonly string[];
  /** Whether the database ends a statement after a time limit. */
  readonly statementTimeLimit: boolean;
  /** Whether an error of a foreign key contains the name of the constraint. */
  readonly namesForeignKeys: boolean;
  /** The maximum number of parameters of one statement. */
  readonly maxParameters: number;
  /** Whether triggers and rules can skip or replace a write without an error. */
  readonly interceptsWrites: boolean;
  /** Whether `search` uses an index of words or similar spellings (contract C103). */
  readonly textSearch: boolean;
  /** Whether changes of rows can be recorded in the order of their commits. */
  readonly changeLog: boolean;
}

const sameYears = (of: DateYears) => {
  const years = Object.freeze(of);
  return { moment: years, day: years };
};

const capabilities: Readonly<Record<Provider, Capabilities>> = {
  postgresql: {
    name: "PostgreSQL",
    sqlEngine: true,
    caseInsensitiveLetters: "all",
    insensitiveMode: true,
    nullsInAscendingOrder: "last",
    listColumns: true,
    comparesJsonValues: true,
    nativeEnums: true,
    exactDecimals: true,
    nonFiniteNumbers: true,
    years: {
      moment: Object.freeze({ min: -4713, max: 294_276, isEndless: true }),
      day: Object.freeze({ min: -4713, max: 5_874_897, isEndless: true }),
    },
    readsEveryValue: true,
    bigCounters: true,
    nativeTypes: true,
    databaseSchemas: true,
    partialIndexes: true,
    returning: true,
    rowLocks: true,
    savepoints: true,
    isolationLevels: ["read committed", "read uncommitted", "repeatable read", "serializable"],
    statementTimeLimit: true,
    namesForeignKeys: true,
    maxParameters: 65_535,
    interceptsWrites: true,
    textSearch: true,
    changeLog: true,
  },
  sqlite: {
    name: "SQLite",
    sqlEngine: false,
    caseInsensitiveLetters: "ascii",
    insensitiveMode: false,
    nullsInAscendingOrder: "first",
    listColumns: false,
    comparesJsonValues: false,
    nativeEnums: false,
    exactDecimals: false,
    nonFiniteNumbers: false,
    // Dates are texts, which have the order of dates as long as the year has four digits.
    years: sameYears({ min: 0, max: 9999, isEndless: false }),
    readsEveryValue: false,
    bigCounters: false,
    nativeTypes: false,
    databaseSchemas: false,
    partialIndexes: true,
    returning: true,
    rowLocks: false,
    savepoints: true,
    isolationLevels: ["serializable"],
    statementTimeLimit: false,
    namesForeignKeys: false,
    maxParameters: 32_766,
    interceptsWrites: true,
    textSearch: false,
    changeLog: false,
  },
  // What both MariaDB and MySQL offer.
  mysql: {
    name: "MySQL",
    sqlEngine: false,
    caseInsensitiveLetters: "all",
    insensitiveMode: false,
    nullsInAscendingOrder: "first",
    listColumns: false,
    comparesJsonValues: false,
    nativeEnums: true,
    exactDecimals: true,
    nonFiniteNumbers: false,
    // Earlier ones are compared in another order than they are stored.
    years: sameYears({ min: 1000, max: 9999, isEndless: false }),
    readsEveryValue: false,
    bigCounters: true,
    nativeTypes: true,
    databaseSchemas: false,
    partialIndexes: false,
    returning: false,
    rowLocks: true,
    savepoints: true,
    isolationLevels: ["read committed", "read uncommitted", "repeatable read", "serializable"],
    statementTimeLimit: true,
    namesForeignKeys: true,
    maxParameters: 65_535,
    interceptsWrites: false,
    textSearch: false,
    changeLog: false,
  },
};

/** The capabilities of a provider. */
export const capabilitiesOf = (provider: Provider): Capabilities => capabilities[provider];

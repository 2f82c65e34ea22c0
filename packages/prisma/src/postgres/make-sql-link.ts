import type { Pool, QueryArrayConfig } from "pg";
import type { SqlLink, TextRow } from "../database/sql-link.js";
import type { AroundStatement } from "../database/watch-statements.js";
import { makeDecimal } from "./make-decimal.js";
import type { StatementNames } from "./statement-names.js";
import { asTexts, type TextStatement } from "./text-query.js";

/** Queries over the connections of a pool, which exists from Prisma's first query to its last. */
export function makeSqlLink(
  pool: () => Pool | undefined,
  names: StatementNames,
  aroundStatement: AroundStatement | undefined,
): SqlLink {
  const query: QueryTexts = async (text, values, take, maxBytes) => {
    const open = pool();
    if (open === undefined) throw new TypeError("Prisma has not opened a connection yet.");
    const name = names.nameOf(text);
    try {
      return await queryPool(open, { name, text, values, rowMode: "array", types: asTexts, take, maxBytes });
    } catch (error) {
      throw driverError(error);
    }
  };
  const watchedQuery: QueryTexts =
    aroundStatement === undefined ? query : (...args) => aroundStatement(args[0], () => query(...args));
  return {
    isOpen: () => pool()?.ending === false,
    query: (text, values, maxBytes) => watchedQuery(text, values, undefined, maxBytes),
    queryEach: async (text, values, take, maxBytes) => {
      // Behind a pooler the rows arrive all together.
      for (const row of await watchedQuery(text, values, take, maxBytes)) take(row);
    },
    decimal: makeDecimal,
  };
}

type QueryTexts = (
  text: string,
  values: readonly unknown[],
  take?: (row: TextRow) => void,
  maxBytes?: number,
) => Promise<readonly TextRow[]>;

/**
 * Queries over the next free connection, which returns to the pool unless it is broken; a failed statement does not
 * break it.
 */
function queryPool(pool: Pool, statement: TextStatement): Promise<readonly TextRow[]> {
  // Released when the query starts, like the data that a query has read (decision 0017).
  let due: TextStatement | undefined = statement;
  return new Promise((resolve, reject) => {
    pool.connect((failure, client, release) => {
      if (client === undefined) return reject(failure);
      let isOver = false;
      const finish = (error: Error | null | undefined, result?: { readonly rows: readonly unknown[] }): void => {
        if (isOver) return;
        isOver = true;
        client.off("error", finish);
        if (!error) release();
        // The server's messages after an error arrive with it.
        else if ((error as { readonly severity?: unknown }).severity === "ERROR") setImmediate(release);
        else release(error);
        if (error) reject(error);
        else resolve((result?.rows ?? []) as readonly TextRow[]);
      };
      // A lost connection also emits an error, which would end the process without a listener.
      client.once("error", finish);
      void client.query(due as unknown as QueryArrayConfig, finish);
      due = undefined;
      return undefined;
    });
  });
}

/** A PostgreSQL error in the form of Prisma's driver; a connection error unchanged. */
function driverError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, severity, constraint, detail } = error as Error & Partial<Record<string, unknown>>;
  if (typeof code !== "string" || typeof severity !== "string") return error;
  const { message } = error;
  const [, columns] = /^Key \(([^)]+)\)/.exec(String(detail)) ?? [];
  const failure = new Error(message, {
    cause: {
      kind: "postgres",
      ...{ code, severity, message, originalCode: code, originalMessage: message },
      constraint: typeof constraint === "string" ? { index: constraint } : columns && { fields: columns.split(", ") },
    },
  });
  failure.name = "DriverAdapterError";
  return failure;
}

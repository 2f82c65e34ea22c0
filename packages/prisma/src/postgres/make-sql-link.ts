import type { Pool, QueryArrayConfig } from "pg";
import type { SqlLink, TextRow } from "../sql-link.js";
import { makeDecimal } from "./make-decimal.js";
import type { StatementNames } from "./statement-names.js";
import { asTexts, type TextStatement } from "./text-query.js";
import type { AroundStatement } from "./watch-statements.js";

/** Asks over the connections of a pool; there is none before Prisma's first query and after its last. */
export function makeSqlLink(
  pool: () => Pool | undefined,
  names: StatementNames,
  aroundStatement: AroundStatement | undefined,
): SqlLink {
  const ask: AskTexts = async (text, values, take, maxBytes) => {
    const open = pool();
    if (open === undefined) throw new TypeError("Prisma has opened no connection yet.");
    const name = names.nameOf(text);
    try {
      return await askPool(open, { name, text, values, rowMode: "array", types: asTexts, take, maxBytes });
    } catch (error) {
      throw driverError(error);
    }
  };
  const askWatched: AskTexts =
    aroundStatement === undefined ? ask : (...asked) => aroundStatement(asked[0], () => ask(...asked));
  return {
    isOpen: () => pool()?.ending === false,
    query: (text, values, maxBytes) => askWatched(text, values, undefined, maxBytes),
    queryEach: async (text, values, take, maxBytes) => {
      // Behind a pooler the rows come all at once.
      for (const row of await askWatched(text, values, take, maxBytes)) take(row);
    },
    decimal: makeDecimal,
  };
}

type AskTexts = (
  text: string,
  values: readonly unknown[],
  take?: (row: TextRow) => void,
  maxBytes?: number,
) => Promise<readonly TextRow[]>;

/** Asks over the next free connection, which stays in the pool unless it is of no more use: a refused statement says nothing of it. */
function askPool(pool: Pool, statement: TextStatement): Promise<readonly TextRow[]> {
  // Not held longer than until it is asked, like what a query has read (decision 0017).
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
        // What the server says behind a refusal comes with it.
        else if ((error as { readonly severity?: unknown }).severity === "ERROR") setImmediate(release);
        else release(error);
        if (error) reject(error);
        else resolve((result?.rows ?? []) as readonly TextRow[]);
      };
      // A connection that is lost tells that too, and where nobody listens the process ends.
      client.once("error", finish);
      void client.query(due as unknown as QueryArrayConfig, finish);
      due = undefined;
      return undefined;
    });
  });
}

/** An error of PostgreSQL in the form that Prisma's driver gives it; one of the link as it is. */
function driverError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, severity, constraint, detail } = error as Error & Partial<Record<string, unknown>>;
  if (typeof code !== "string" || typeof severity !== "string") return error;
  const { message } = error;
  const [, columns] = /^Key \(([^)]+)\)/.exec(String(detail)) ?? [];
  const told = new Error(message, {
    cause: {
      kind: "postgres",
      ...{ code, severity, message, originalCode: code, originalMessage: message },
      constraint: typeof constraint === "string" ? { index: constraint } : columns && { fields: columns.split(", ") },
    },
  });
  told.name = "DriverAdapterError";
  return told;
}

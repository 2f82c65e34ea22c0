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
  const ask = async (text: string, values: readonly unknown[]): Promise<readonly TextRow[]> => {
    const open = pool();
    if (open === undefined) throw new TypeError("Prisma has opened no connection yet.");
    const statement: TextStatement = { name: names.nameOf(text), text, values, rowMode: "array", types: asTexts };
    try {
      return (await open.query(statement as QueryArrayConfig)).rows as TextRow[];
    } catch (error) {
      throw driverError(error);
    }
  };
  return {
    isOpen: () => pool()?.ending === false,
    query: aroundStatement === undefined ? ask : (text, values) => aroundStatement(text, () => ask(text, values)),
    decimal: makeDecimal,
  };
}

/** An error of PostgreSQL in the form that Prisma's driver gives it; one of the link as it is. */
function driverError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, severity, constraint, detail } = error as Error & Partial<Record<string, unknown>>;
  if (typeof code !== "string" || typeof severity !== "string") return error;
  const { message } = error;
  const [, columns] = /Key \(([^)]+)\)/.exec(String(detail)) ?? [];
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

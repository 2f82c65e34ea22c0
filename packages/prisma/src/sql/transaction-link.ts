import type { PrismaHandle } from "../database/prisma-client-like.js";
import type { SqlLink } from "../sql-link.js";

type AskRaw = (sql: string, ...values: unknown[]) => Promise<readonly Readonly<Record<string, string | null>>[]>;

/**
 * Runs statements in a Prisma transaction, through its client, because the transaction owns the connection. Each column must
 * be a named text: Prisma passes texts on as they are, but parses a list of texts character by character. Repeated statements
 * are prepared, as those of Prisma are.
 */
export function transactionLink(client: PrismaHandle, decimal: SqlLink["decimal"]): SqlLink {
  const ask = Reflect.get(client, "$queryRawUnsafe") as AskRaw;
  return {
    isOpen: () => true,
    query: async (sql, values) => (await ask.call(client, sql, ...values)).map((row) => Object.values(row)),
    decimal,
  };
}

import type { PrismaHandle } from "../database/prisma-client-like.js";
import type { SqlLink } from "../database/sql-link.js";

type QueryRaw = (sql: string, ...values: unknown[]) => Promise<readonly Readonly<Record<string, string | null>>[]>;

/**
 * Runs statements in a Prisma transaction, through its client, because the transaction owns the connection. Each column
 * must be a named text: Prisma passes texts on unchanged, but parses a list of texts character by character. Repeated
 * statements are prepared, as those of Prisma are.
 */
export function transactionLink(client: PrismaHandle, decimal: SqlLink["decimal"]): SqlLink {
  const queryRaw = Reflect.get(client, "$queryRawUnsafe") as QueryRaw;
  return {
    isOpen: () => true,
    query: async (sql, values) => (await queryRaw.call(client, sql, ...values)).map((row) => Object.values(row)),
    decimal,
  };
}

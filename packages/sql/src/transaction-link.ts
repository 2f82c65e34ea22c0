import type { PrismaHandle, SqlLink, TextRow } from "@servicekit/orm";

type AskRaw = (sql: string, ...values: unknown[]) => Promise<readonly { readonly r: TextRow }[]>;

/**
 * Asks within a transaction of Prisma's, over its client, for nobody else has the connection: each row must come as one
 * list of texts. Statements that were asked before are prepared, as those of Prisma are.
 */
export function transactionLink(client: PrismaHandle, decimal: SqlLink["decimal"]): SqlLink {
  const ask = Reflect.get(client, "$queryRawUnsafe") as AskRaw;
  return {
    isOpen: () => true,
    query: async (sql, values) => (await ask.call(client, sql, ...values)).map(({ r }) => r),
    decimal,
  };
}

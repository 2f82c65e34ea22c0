import type { PrismaHandle } from "../database/prisma-client-like.js";
import { ResultTooLarge, type SqlLink } from "../database/sql-link.js";

type QueryRaw = (sql: string, ...values: unknown[]) => Promise<readonly Readonly<Record<string, string | null>>[]>;

/**
 * Runs statements by a Prisma client: in its transactions, which own their connections, and for a client that logs its
 * queries. Each column must be a named text: Prisma passes texts on unchanged, but parses a list of texts character by
 * character. Repeated statements are prepared, as those of Prisma are.
 */
export function clientLink(client: PrismaHandle, decimal: SqlLink["decimal"]): SqlLink {
  const queryRaw = Reflect.get(client, "$queryRawUnsafe") as QueryRaw;
  return {
    isOpen: () => true,
    async query(sql, values, maxBytes = Number.POSITIVE_INFINITY) {
      const rows = (await queryRaw.call(client, sql, ...values)).map((row) => Object.values(row));
      let bytes = 0;
      for (const [index, row] of rows.entries()) {
        for (const text of row) bytes += text?.length ?? 0;
        if (bytes > maxBytes) throw new ResultTooLarge(index);
      }
      return rows;
    },
    decimal,
  };
}

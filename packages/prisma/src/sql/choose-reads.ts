import { type MakeReadExecutor, prismaReads } from "../database/read-executor.js";
import { hasExtensions, whyAllByPrisma } from "../database/why-all-by-prisma.js";
import { type Models } from "../model.js";
import { type SqlLink } from "../sql-link.js";
import { exactReads } from "./exact-ways.js";
import { fieldsByPrisma } from "./fields-by-prisma.js";
import { makeSqlReads } from "./make-sql-reads.js";

/** Who carries reads out, and what is left to Prisma. */
export interface ChosenReads {
  readonly reads: MakeReadExecutor;
  /** Why all reads go the way of Prisma; `undefined` where they need not. */
  readonly whyNone: string | undefined;
  /** The fields whose reads go that way though SQL reads the others, as `Model.field (Type)`. */
  readonly byPrisma: readonly string[];
}

export interface Choice {
  /** A client that was made with the adapter. */
  readonly client: object;
  /** What `makePostgresAdapter` of `@servicekit/prisma/postgres` has made. */
  readonly adapter: { readonly link: SqlLink };
  readonly models: Models;
  /** The database schema of models that name none. */
  readonly schema: string;
  /** Whether only what Prisma's rows and arguments cannot hold is left to SQL. @default false */
  readonly prefersPrisma?: boolean;
  /** How many bytes the rows of one response may have; no limit where it is not given. */
  readonly maxBytes?: number | undefined;
}

/**
 * Lets reads be one SQL statement each, over the connections of the adapter, wherever the answer is that of Prisma; other
 * reads go the way of Prisma.
 */
export function chooseReads({ client, adapter, prefersPrisma = false, ...more }: Choice): ChosenReads {
  const whyNone = whyAllByPrisma(client, more.models);
  // An extension may narrow the rows of a query, which SQL would not know.
  if (hasExtensions(client)) return { reads: prismaReads, whyNone, byPrisma: [] };
  const settings = { client, link: adapter.link, ...more };
  if (whyNone !== undefined || prefersPrisma) return { reads: exactReads(settings), whyNone, byPrisma: [] };
  const reads = makeSqlReads(settings);
  return { reads, whyNone, byPrisma: fieldsByPrisma(more.models) };
}

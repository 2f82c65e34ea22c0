import { hasExtensions, whyWritesByPrisma } from "../database/why-all-by-prisma.js";
import { type MakeWriteExecutor, prismaWrites } from "../database/write-executor.js";
import type { Choice } from "./choose-reads.js";
import { exactWrites } from "./exact-ways.js";
import { fieldsByPrisma } from "./fields-by-prisma.js";
import { isMadeHere } from "./made-value.js";
import { makeSqlWrites } from "./make-sql-writes.js";

/** Who carries writes out, and what is left to Prisma. */
export interface ChosenWrites {
  readonly writes: MakeWriteExecutor;
  /** Why all writes go the way of Prisma; `undefined` where they need not. */
  readonly whyNone: string | undefined;
  /** The fields whose writes go that way, as `Model.field (Type)`; those with a default of Prisma's where it is needed. */
  readonly byPrisma: readonly string[];
}

/**
 * Lets writes of single rows be one SQL statement each, over the connections of the adapter, wherever row, answer and error
 * are those of Prisma; other writes go the way of Prisma.
 */
export function chooseWrites({ client, adapter, prefersPrisma = false, ...more }: Choice): ChosenWrites {
  const whyNone = whyWritesByPrisma(client, more.models);
  const isLeft = hasExtensions(client) || (whyNone !== undefined && !/logs/.test(whyNone));
  if (isLeft) return { writes: prismaWrites, whyNone, byPrisma: [] };
  const settings = { client, link: adapter.link, ...more };
  if (whyNone !== undefined || prefersPrisma) return { writes: exactWrites(settings), whyNone, byPrisma: [] };
  const writes = makeSqlWrites(settings);
  return { writes, whyNone, byPrisma: fieldsByPrisma(more.models, isMadeHere) };
}

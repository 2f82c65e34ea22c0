/** Thrown by the fold for what it does not know; one value, since it only says "ask Prisma". */
export const notFoldable = new Error("This read has no SQL of ours.");

/** Stops the fold: the read goes the way of Prisma. */
export function giveUp(): never {
  throw notFoldable;
}

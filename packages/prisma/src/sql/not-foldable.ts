/** Thrown when a read has no equivalent in SQL, so that Prisma runs it. One value, because it has no details. */
export const notFoldable = new Error("This read has no SQL equivalent.");

/** Stops the conversion to SQL: Prisma runs the read. */
export function giveUp(): never {
  throw notFoldable;
}

/** A filter in Prisma's form. */
export type Where = Readonly<Record<string, unknown>>;

/** One filter that is met when all of these are; `undefined` when there are none. */
export function allWhere(filters: readonly (Where | undefined)[]): Where | undefined {
  const given = filters.filter((filter) => filter !== undefined);
  return given.length > 1 ? { AND: given } : given[0];
}

/** A filter in Prisma's form. */
export type Where = Readonly<Record<string, unknown>>;

/** One filter that matches if all of these do; `undefined` without any. */
export function allWhere(filters: readonly (Where | undefined)[]): Where | undefined {
  const given = filters.filter((filter) => filter !== undefined);
  return given.length > 1 ? { AND: given } : given[0];
}

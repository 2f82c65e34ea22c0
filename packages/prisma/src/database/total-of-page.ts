import type { CountArgs, ReadArgs } from "../queries/query-args.js";

/** The number of rows that match a count, if the rows of a page reveal it. */
export function totalOfPage(found: number, args: ReadArgs, total: CountArgs): number | undefined {
  const { take, skip = 0, cursor, distinct } = args;
  const isSame = total.where === args.where && cursor === undefined && distinct === undefined;
  if (!isSame || take === undefined || found >= take) return undefined;
  return found === 0 && skip > 0 ? undefined : skip + found;
}

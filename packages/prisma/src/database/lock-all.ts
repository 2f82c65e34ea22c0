import type { Clause } from "../queries/query-args.js";
import type { Delegate } from "./delegate.js";

/** Locks the rows of these keys until the transaction ends, also a single one, which {@link Delegate.lockEach} does not. */
export async function lockAll(
  rows: Pick<Delegate, "lock" | "lockEach">,
  wheres: readonly Clause[],
  options?: { readonly forDelete?: boolean },
): Promise<void> {
  const [only, ...others] = wheres;
  if (only !== undefined && others.length === 0) await rows.lock(only);
  else await rows.lockEach(wheres, options);
}

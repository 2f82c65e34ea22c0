import type { Model } from "@servicekit/prisma";
import type { FilteredStates, MatchStates } from "@servicekit/prisma/internal";

/** Decides which states of a batch match a filter. */
export type MatchOne = (model: Model, filter: FilteredStates) => Promise<readonly boolean[]>;

/** The numbers of filters of one statement: a few, so that statements are repeated and PostgreSQL plans them once. */
const groupSizes = [32, 16, 8, 4, 2];

interface Waiting extends FilteredStates {
  readonly resolve: (matches: readonly boolean[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Matches several filters in one query: those that wait for their turn when another one gets it. So a single filter waits
 * for nothing, and many filters take few queries.
 *
 * @param inTurn limits the concurrent queries
 */
export function makeMatchOne(
  { each }: Pick<MatchStates, "each">,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): MatchOne {
  const waiting = new Map<string, Waiting[]>();
  const matchNext = async (model: Model): Promise<void> => {
    const own = waiting.get(model.name) ?? [];
    const group = own.splice(0, groupSizes.find((size) => size <= own.length) ?? 1);
    if (group.length === 0) return;
    try {
      const matches = await each(model, group);
      for (const [index, { resolve }] of group.entries()) resolve(matches[index] ?? []);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };
  return (model, filter) =>
    new Promise((resolve, reject) => {
      const own = waiting.get(model.name) ?? [];
      waiting.set(model.name, own);
      own.push({ ...filter, resolve, reject });
      inTurn(() => matchNext(model)).catch(reject);
    });
}

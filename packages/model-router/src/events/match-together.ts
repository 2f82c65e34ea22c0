import { isHttpError } from "@servicekit/core";
import { makeFairQueue } from "@servicekit/core/internal";
import type { Model } from "@servicekit/prisma";
import type { Filter, FilteredStates, MatchStates } from "@servicekit/prisma/internal";
import { filterCost } from "../resource/filter/cost.js";

/** The states of a batch, and the filter that they are compared with. */
export interface StatesToMatch extends FilteredStates {
  readonly filter: Filter;
}

/** Decides which states of a batch match a filter. Clients alternate. */
export type MatchOne = (model: Model, filter: StatesToMatch, client: string) => Promise<readonly boolean[]>;

/** Runs a task of a client when it is next. */
export type RunFairly = <Result>(client: string, task: () => Promise<Result>) => Promise<Result>;

/** The maximum cost of a filter that shares a statement with those of other clients, and does not count as expensive. */
export const maxSharedCost = 8;

/** The numbers of filters of one statement: a few, so that statements are repeated and PostgreSQL plans them once. */
const groupSizes = [32, 16, 8, 4, 2];

interface Waiting extends FilteredStates {
  readonly client: string;
  readonly resolve: (matches: readonly boolean[] | Promise<readonly boolean[]>) => void;
  readonly reject: (error: unknown) => void;
}

/** Limits the concurrent tasks of all clients, which alternate; none is rejected. */
export function runFairly(running: number): RunFairly {
  const waiting = Number.POSITIVE_INFINITY;
  const queue = makeFairQueue({ running, waiting, waitingPerClient: waiting, reject: () => new Error("unlimited") });
  return (client, task) => queue.run(client, task);
}

/**
 * Matches several cheap filters in one query: those that wait for their turn when another one gets it. So a single filter waits
 * for nothing, and many filters take few queries. An expensive filter has a query of its own, and half of the concurrent queries
 * remain for cheap ones. If a query of several filters takes too long, each is repeated alone: only the expensive one fails.
 *
 * @param concurrent the number of concurrent queries
 */
export function makeMatchOne({ each }: Pick<MatchStates, "each">, concurrent: number): MatchOne {
  const run = runFairly(Math.max(1, concurrent));
  const runExpensive = runFairly(Math.max(1, Math.floor(concurrent / 2)));
  const waiting = new Map<string, Waiting[]>();
  const matchAlone = async (model: Model, filter: FilteredStates): Promise<readonly boolean[]> =>
    (await each(model, [filter]))[0] ?? [];
  const matchNext = async (model: Model): Promise<void> => {
    const ofModel = waiting.get(model.name) ?? [];
    const group = ofModel.splice(0, groupSizes.find((size) => size <= ofModel.length) ?? 1);
    if (group.length === 0) return;
    try {
      const matches = await each(model, group);
      for (const [index, { resolve }] of group.entries()) resolve(matches[index] ?? []);
    } catch (error) {
      for (const one of group) {
        if (group.length > 1 && isTimeout(error)) one.resolve(run(one.client, () => matchAlone(model, one)));
        else one.reject(error);
      }
    }
  };
  return (model, { filter, ...states }, client) => {
    if (filterCost(filter) > maxSharedCost)
      return runExpensive(client, () => run(client, () => matchAlone(model, states)));
    return new Promise((resolve, reject) => {
      const ofModel = waiting.get(model.name) ?? [];
      waiting.set(model.name, ofModel);
      ofModel.push({ ...states, client, resolve, reject });
      run(client, () => matchNext(model)).catch(reject);
    });
  };
}

/** Whether the database took too long. */
export const isTimeout = (error: unknown): boolean => isHttpError(error) && error.status === 504;

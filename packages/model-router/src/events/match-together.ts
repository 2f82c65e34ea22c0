import { isHttpError } from "@servicekit/core";
import { makeFairQueue } from "@servicekit/core/internal";
import type { Model } from "@servicekit/prisma";
import type { Filter, FilteredStates, MatchStates } from "@servicekit/prisma/internal";
import { filterCost } from "../resource/filter/cost.js";

/** The states of a batch, and the filter that they are compared with. */
export interface StatesToMatch extends FilteredStates {
  readonly filter: Filter;
  /** Equal for equal filters of a model. */
  readonly key: string;
}

/** Decides which states of a batch match a filter. Clients alternate. */
export type MatchOne = (model: Model, filter: StatesToMatch, client: string) => Promise<readonly boolean[]>;

/** Runs a task of a client when it is next. */
export type RunFairly = <Result>(client: string, task: () => Promise<Result>) => Promise<Result>;

/** The maximum cost of a filter that shares a statement with those of other clients, and does not count as expensive. */
export const maxSharedCost = 8;

/** The time after which a query is slow, in milliseconds: then its filters no longer wait for one another. */
const slowMs = 1_000;
/** How long a filter whose query was slow counts as expensive, in milliseconds. */
const rememberedMs = 60_000;
/** The maximum number of such filters. */
const maxRemembered = 1_000;

/** The numbers of filters of one statement: a few, so that statements are repeated and PostgreSQL plans them once. */
const groupSizes = [32, 16, 8, 4, 2];

interface Waiting extends FilteredStates {
  readonly client: string;
  readonly key: string;
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
 * Matches several cheap filters in one query: those that wait for their turn when another one gets it, alternately of each client. So a
 * single filter waits for nothing, and many filters take few queries. An expensive filter has a query of its own, and half of the
 * concurrent queries remain for cheap ones. If a query of several filters is slow or takes too long, each is repeated alone: only the
 * expensive one waits or fails, and it counts as expensive for some time.
 *
 * @param concurrent the number of concurrent queries
 */
export function makeMatchOne({ each }: Pick<MatchStates, "each">, concurrent: number): MatchOne {
  const run = runFairly(Math.max(1, concurrent));
  const runExpensive = runFairly(Math.max(1, Math.floor(concurrent / 2)));
  const waiting = new Map<string, Waiting[]>();
  const slow = makeSlowFilters();
  const matchAlone = async (model: Model, filter: FilteredStates & { readonly key: string }) => {
    const start = performance.now();
    try {
      return (await each(model, [filter]))[0] ?? [];
    } finally {
      if (performance.now() - start >= slowMs) slow.add(model, filter.key);
    }
  };
  const matchGroup = async (model: Model, group: readonly Waiting[]): Promise<void> => {
    let matches: readonly (readonly boolean[])[] | undefined;
    const query = each(model, group).then((result) => {
      matches = result;
    });
    const repeat = (): void => {
      for (const [index, one] of group.entries())
        one.resolve(run(one.client, async () => matches?.[index] ?? matchAlone(model, one)));
    };
    try {
      if (await isSettledWithin(query, slowMs)) {
        for (const [index, { resolve }] of group.entries()) resolve(matches?.[index] ?? []);
        return;
      }
    } catch (error) {
      if (isTimeout(error)) return repeat();
      for (const one of group) one.reject(error);
      return;
    }
    repeat();
    // It has its connection until its end.
    await query.catch(() => undefined);
  };
  const matchNext = async (model: Model, client: string): Promise<void> => {
    const ofModel = waiting.get(model.name) ?? [];
    const group = takeFairly(ofModel, groupSizes.find((size) => size <= ofModel.length) ?? 1, client);
    const [first] = group;
    if (first === undefined) return;
    if (group.length > 1) return matchGroup(model, group);
    await matchAlone(model, first).then(first.resolve, first.reject);
  };
  return (model, { filter, ...states }, client) => {
    if (filterCost(filter) > maxSharedCost || slow.has(model, states.key))
      return runExpensive(client, () => run(client, () => matchAlone(model, states)));
    return new Promise((resolve, reject) => {
      const ofModel = waiting.get(model.name) ?? [];
      waiting.set(model.name, ofModel);
      ofModel.push({ ...states, client, resolve, reject });
      run(client, () => matchNext(model, client)).catch(reject);
    });
  };
}

/** Removes some of the waiting filters: alternately one of each client, from one client on. */
function takeFairly(waiting: Waiting[], size: number, client: string): readonly Waiting[] {
  const turns = new Map<string, Waiting[]>([[client, []]]);
  for (const one of waiting) {
    const own = turns.get(one.client);
    if (own === undefined) turns.set(one.client, [one]);
    else own.push(one);
  }
  const group = new Set<Waiting>();
  while (group.size < Math.min(size, waiting.length)) {
    for (const own of turns.values()) {
      const next = own.shift();
      if (next !== undefined && group.size < size) group.add(next);
    }
  }
  waiting.splice(0, waiting.length, ...waiting.filter((one) => !group.has(one)));
  return [...group];
}

/** The filters whose queries were slow. */
function makeSlowFilters() {
  const until = new Map<string, number>();
  const nameOf = (model: Model, key: string): string => `${model.name} ${key}`;
  return {
    add: (model: Model, key: string): void => {
      until.delete(nameOf(model, key));
      until.set(nameOf(model, key), performance.now() + rememberedMs);
      for (const [oldest] of until) if (until.size > maxRemembered) until.delete(oldest);
    },
    has: (model: Model, key: string): boolean => (until.get(nameOf(model, key)) ?? 0) > performance.now(),
  };
}

/** @throws the error of a promise that fails within the time */
async function isSettledWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false).unref();
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the database took too long. */
export const isTimeout = (error: unknown): boolean => isHttpError(error) && error.status === 504;

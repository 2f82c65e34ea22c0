import { makeFairQueue } from "@servicekit/core/internal";
import { clientAddress } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import { modelErrors } from "../resource/errors.js";

/**
 * The cost from which a request is expensive: five text searches, or one behind to-many relations, or includes two
 * lists deep.
 */
export const expensiveFrom = 20;

/** Whether a request is so expensive that it is queued. */
export const isExpensive = (cost: number): boolean => cost >= expensiveFrom;

/** Runs the work of a request when its client is next. */
export type InTurn = <Result>(
  cost: number,
  exchange: { readonly request: Request; readonly response: Response },
  work: () => Promise<Result>,
) => Promise<Result>;

/**
 * Creates the queue for expensive work (contract C59): expensive lists, reads with expensive includes and bulk changes
 * with an expensive filter use at most half of the database connections together, and clients alternate.
 *
 * @param poolSize the number of database connections
 */
export function makeSlots(poolSize: number): InTurn {
  const turns = makeFairQueue({
    running: Math.max(1, Math.floor(poolSize / 2)),
    waiting: 4 * poolSize,
    waitingPerClient: 4,
    reject: () => modelErrors.DatabaseBusy(undefined, { headers: { "Retry-After": "2" } }),
  });
  return (cost, { request, response }, work) => {
    if (!isExpensive(cost)) return work();
    const gone = new AbortController();
    const abort = (): void => gone.abort();
    response.once("close", abort);
    return turns.run(clientAddress(request), work, gone.signal).finally(() => response.off("close", abort));
  };
}

import { makeFairQueue } from "@servicekit/core/internal";
import { clientAddress } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import { modelErrors } from "../resource/errors.js";

/** From which cost on a request is dear: five searches in texts, or one behind relations to many, or includes two lists deep. */
const dearFrom = 20;

/** Whether the work of a request is so dear that it takes its turn. */
export const isDear = (cost: number): boolean => cost >= dearFrom;

/** Does the work of a request when its turn comes. */
export type InTurn = <Result>(
  cost: number,
  exchange: { readonly request: Request; readonly response: Response },
  work: () => Promise<Result>,
) => Promise<Result>;

/**
 * Makes what does the work of requests by their cost (contract C59): dear lists, reads with dear includes and bulk changes
 * by a dear filter hold at most half of the connections of the database together, and clients take turns at them.
 *
 * @param poolSize how many connections of the database there are
 */
export function makeTurns(poolSize: number): InTurn {
  const turns = makeFairQueue({
    running: Math.max(1, Math.floor(poolSize / 2)),
    waiting: 4 * poolSize,
    waitingPerClient: 4,
    refuse: () => modelErrors.DatabaseBusy(undefined, { headers: { "Retry-After": "2" } }),
  });
  return (cost, { request, response }, work) => {
    if (!isDear(cost)) return work();
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    return turns.run(clientAddress(request), work, gone.signal);
  };
}

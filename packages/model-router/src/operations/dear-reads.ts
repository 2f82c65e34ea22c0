import { modelErrors } from "@servicekit/resource";
import { clientAddress, makeFairQueue } from "@servicekit/router";
import type { Request, Response } from "express";

/** From which cost on a list is dear: five searches in texts, or one behind relations to many. */
const dearFrom = 20;

/** Reads the rows of a list and counts them. */
export type ReadList = <Rows, Total>(
  cost: number,
  exchange: { readonly request: Request; readonly response: Response },
  rows: () => Promise<Rows>,
  total: () => Promise<Total>,
) => Promise<readonly [Rows, Total]>;

/**
 * Makes what reads lists by their cost (contract C59). Dear ones hold at most half of the connections of the database, and
 * clients take turns at them. Their rows are counted after they are read, never beside that: where reading took too long,
 * counting does not begin.
 *
 * @param poolSize how many connections of the database there are
 */
export function makeListReader(poolSize: number): ReadList {
  const turns = makeFairQueue({
    running: Math.max(1, Math.floor(poolSize / 2)),
    waiting: 4 * poolSize,
    waitingPerClient: 4,
    refuse: () => modelErrors.DatabaseBusy(undefined, { headers: { "Retry-After": "2" } }),
  });
  return async (cost, { request, response }, rows, total) => {
    if (cost < dearFrom) return Promise.all([rows(), total()]);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    return turns.run(clientAddress(request), async () => [await rows(), await total()] as const, gone.signal);
  };
}

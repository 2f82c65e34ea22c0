import { clientAddress } from "@servicekit/router";
import type { Request, Response } from "express";

/** Who waits for a password, and whether they still do. */
export interface WaitingClient {
  /** Clients take turns by it. */
  readonly address: string;
  /** Ends the waiting when the client has gone. */
  readonly signal: AbortSignal;
}

/** The client of a request, who may go away while it waits. */
export function waitingClient(request: Request, response: Response): WaitingClient {
  const gone = new AbortController();
  const leave = (): void => gone.abort(Object.assign(new Error("The client has gone."), { type: "request.aborted" }));
  if (response.destroyed) leave();
  else {
    response.once("close", () => {
      if (!response.writableFinished) leave();
    });
  }
  return { address: clientAddress(request), signal: gone.signal };
}

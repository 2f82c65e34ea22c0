import { clientAddress } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import type { WaitingClient } from "../credentials/password/waiting-client.js";

/** The client of a request, which may disconnect while it waits. */
export function makeWaitingClient(request: Request, response: Response): WaitingClient {
  const gone = new AbortController();
  const leave = (): void =>
    gone.abort(Object.assign(new Error("The client has disconnected."), { type: "request.aborted" }));
  if (response.destroyed) leave();
  else {
    response.once("close", () => {
      if (!response.writableFinished) leave();
    });
  }
  return { address: clientAddress(request), signal: gone.signal };
}

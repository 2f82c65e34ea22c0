import { isResponseEnded } from "@servicekit/router/internal";
import type { Response } from "express";
import { onResponse } from "./response-begins.js";

/** How long to wait for the handler of a disconnected client. */
const patience = 60_000;

/**
 * Calls `remove` if the request fails after its upload (contract C35): with a response of 400 and above, or an aborted
 * one. If the client disconnects first, the final status of the handler decides.
 *
 * @param remove may be called more than once
 */
export function removeOnError(response: Response, remove: () => void): void {
  onResponse(response, (status) => {
    if (status >= 400) remove();
  });
  response.once("close", () => {
    if (!response.headersSent) awaitHandler(response, remove);
    else if (response.statusCode >= 400 || !isResponseEnded(response)) remove();
  });
}

/** Observes the status of a handler that writes to a closed connection. */
function awaitHandler(response: Response, remove: () => void): void {
  const { end, destroy } = response;
  let isSettled = false;
  const settle = (failed: boolean): void => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    if (failed) remove();
  };
  const timer = setTimeout(() => settle(true), patience);
  timer.unref();
  response.end = function endAfterClose(this: Response, ...args: unknown[]) {
    settle(response.statusCode >= 400);
    return Reflect.apply(end, this, args) as Response;
  } as Response["end"];
  response.destroy = function destroyAfterClose(this: Response, error?: Error) {
    settle(true);
    return Reflect.apply(destroy, this, [error]) as Response;
  };
}

import { isAnswerEnded } from "@servicekit/router/internal";
import type { Response } from "express";
import { onAnswer } from "./answer-begins.js";

/** How long a handler is waited for whose client has gone. */
const patience = 60_000;

/**
 * Calls `remove` when the request fails after its upload (contract C35): at an answer of 400 and above, or one that was
 * cut off. When the client goes away first, what the handler does in the end decides.
 *
 * @param remove may be called more than once
 */
export function removeOnError(response: Response, remove: () => void): void {
  onAnswer(response, (status) => {
    if (status >= 400) remove();
  });
  response.once("close", () => {
    if (!response.headersSent) awaitHandler(response, remove);
    else if (response.statusCode >= 400 || !isAnswerEnded(response)) remove();
  });
}

/** Learns how a handler ends that writes to a connection that is closed already. */
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

import { httpErrors } from "@servicekit/core";
import { startTimeLimit } from "@servicekit/core/internal";
import { isResponseEnded } from "@servicekit/router/internal";
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from "express";
import { type BodyTimes, watchBody } from "./watch-body.js";

/** The time limits of requests, in milliseconds. */
export interface RequestTimes {
  /** Called for each request: the limits of the server, which may change it, are set after the application is made. */
  readonly responseMs: () => number;
  readonly body: BodyTimes;
}

/**
 * Limits the duration of a request (contract C43): the silence, the total time and the rate while its body is received
 * (408), and the time from the end of the body, or from where it is no longer read, to the start of the response (504).
 * A response that has started may stream as long as it needs. Time in which this process was blocked does not count.
 *
 * @param handleError responds in place of the handler that is still running; without it Express does, by `next`
 */
export function timeLimits({ responseMs, body }: RequestTimes, handleError?: ErrorRequestHandler): RequestHandler {
  const reject = (code: keyof typeof rejections, request: Request, response: Response, next: NextFunction): void => {
    if (isResponseEnded(response)) return;
    // The handler may still write, to a response that is already complete.
    response.on("error", () => undefined);
    const error = rejections[code]();
    if (handleError === undefined) next(error);
    else handleError(error, request, response, next);
  };
  return (request, response, next) => {
    let stopResponse: (() => void) | undefined;
    const startResponseTimer = (): void => {
      stopResponse ??= startTimeLimit(responseMs(), () => {
        if (response.headersSent) return;
        stop();
        reject("GatewayTimeout", request, response, next);
      });
    };
    const stopResponseTimer = (): void => {
      stopResponse?.();
      stopResponse = undefined;
    };
    let stopWatch: (() => void) | undefined;
    const stop = (): void => {
      stopResponseTimer();
      stopWatch?.();
    };
    if (hasBody(request) && !request.complete) {
      stopWatch = watchBody(request, body, {
        onReceiving: stopResponseTimer,
        onRest: startResponseTimer,
        onLate: () => {
          if (response.headersSent) {
            if (!isResponseEnded(response)) response.destroy();
            return;
          }
          response.setHeader("Connection", "close");
          reject("RequestTimeout", request, response, next);
        },
      });
    } else startResponseTimer();
    response.on("close", stop);
    next();
  };
}

const rejections = { GatewayTimeout: httpErrors.GatewayTimeout, RequestTimeout: httpErrors.RequestTimeout };

function hasBody({ headers }: Request): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

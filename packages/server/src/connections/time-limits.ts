import { httpErrors } from "@servicekit/core";
import { startTimeLimit } from "@servicekit/core/internal";
import { isAnswerEnded } from "@servicekit/router/internal";
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from "express";
import { type BodyTimes, watchBody } from "./watch-body.js";

/** How long requests have, in milliseconds. */
export interface RequestTimes {
  /** Called for each request: the limits of the server, which may change it, are set after the application is made. */
  readonly answerMs: () => number;
  readonly body: BodyTimes;
}

/**
 * Bounds how long a request may take (contract C43): so much silence and so much time in all while its body is
 * received, and a pace of its own (408), so much from the end of the body, or from where nobody reads on, to the beginning of the answer (504). An answer that has begun may
 * stream as long as it needs. A while in which this process stood still does not count.
 *
 * @param handleError answers in place of the handler that is still at work; without it Express does, by `next`
 */
export function timeLimits({ answerMs, body }: RequestTimes, handleError?: ErrorRequestHandler): RequestHandler {
  const refuse = (code: keyof typeof refusals, request: Request, response: Response, next: NextFunction): void => {
    if (isAnswerEnded(response)) return;
    // The handler may still write, to an answer that is none of its own.
    response.on("error", () => undefined);
    const error = refusals[code]();
    if (handleError === undefined) next(error);
    else handleError(error, request, response, next);
  };
  return (request, response, next) => {
    let stopAnswer: (() => void) | undefined;
    const startAnswerTimer = (): void => {
      stopAnswer ??= startTimeLimit(answerMs(), () => {
        if (response.headersSent) return;
        stop();
        refuse("GatewayTimeout", request, response, next);
      });
    };
    const stopAnswerTimer = (): void => {
      stopAnswer?.();
      stopAnswer = undefined;
    };
    let stopWatch: (() => void) | undefined;
    const stop = (): void => {
      stopAnswerTimer();
      stopWatch?.();
    };
    if (hasBody(request) && !request.complete) {
      stopWatch = watchBody(request, body, {
        onReceiving: stopAnswerTimer,
        onRest: startAnswerTimer,
        onLate: () => {
          if (response.headersSent) {
            if (!isAnswerEnded(response)) response.destroy();
            return;
          }
          response.setHeader("Connection", "close");
          refuse("RequestTimeout", request, response, next);
        },
      });
    } else startAnswerTimer();
    response.on("close", stop);
    next();
  };
}

const refusals = { GatewayTimeout: httpErrors.GatewayTimeout, RequestTimeout: httpErrors.RequestTimeout };

function hasBody({ headers }: Request): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

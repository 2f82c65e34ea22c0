import { httpErrors, problemMediaType, toProblemBody } from "@servicekit/errors";
import { sendText } from "@servicekit/router";
import type { Request, RequestHandler, Response } from "express";
import type { TimeoutsConfig } from "./config/service-config.js";

/**
 * Bounds how long a request may take (contract C43): so much silence while its body is received (408), so much from
 * the end of the body to the beginning of the answer (504). An answer that has begun may stream as long as it needs.
 */
export function timeLimits({ request: answerMs, idle: idleMs }: Required<TimeoutsConfig>): RequestHandler {
  return (request, response, next) => {
    const { socket } = request;
    const hasBody =
      request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined;
    let timer: NodeJS.Timeout | undefined;
    const startAnswerTimer = (): void => {
      timer = setTimeout(() => refuse(request, response, "GatewayTimeout"), answerMs);
    };
    const stopIdleTimer = (): void => {
      socket.setTimeout(0);
      request.off("timeout", onIdle);
    };
    const onIdle = (): void => {
      stopIdleTimer();
      if (!response.headersSent) response.setHeader("Connection", "close");
      refuse(request, response, "RequestTimeout");
    };
    if (hasBody && !request.complete) {
      // Node destroys a silent socket itself unless the request listens.
      request.setTimeout(idleMs, onIdle);
      request.once("end", () => {
        stopIdleTimer();
        startAnswerTimer();
      });
    } else startAnswerTimer();
    response.once("close", () => {
      clearTimeout(timer);
      stopIdleTimer();
    });
    next();
  };
}

/** Answers in place of the handler that is still at work; what has begun to be sent is cut. */
function refuse(request: Request, response: Response, code: "GatewayTimeout" | "RequestTimeout"): void {
  if (response.writableEnded) return;
  if (response.headersSent) {
    if (code === "RequestTimeout") response.destroy();
    return;
  }
  const problem = httpErrors[code]();
  const body = toProblemBody(problem, { instance: request.originalUrl.split("?", 1)[0] ?? "/", requestId: request.id });
  sendText(response, problem.status, problemMediaType, JSON.stringify(body));
}

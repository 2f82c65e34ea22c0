import type { IncomingMessage, ServerResponse } from "node:http";

const statusKey = Symbol("servicekit.status");

type Recorded = ServerResponse & { [statusKey]?: number };

/** The status of a response for logs, metrics and traces: that of the error in place of which it was sent, or its own. */
export const recordedStatus = (response: ServerResponse): number =>
  (response as Recorded)[statusKey] ?? response.statusCode;

/** Whether an error is temporary: too many requests, or a service that is unavailable or took too long. */
export const isTemporary = (status: number): boolean => status === 429 || status === 503 || status === 504;

/** Whether a request is that of a client of server-sent events. */
export const acceptsEvents = ({ method, headers }: IncomingMessage): boolean =>
  method === "GET" && headers.accept?.includes("text/event-stream") === true;

/** The wait of a client without `Retry-After`, in seconds, and a random part, so that not all come at the same time. */
const defaultSeconds = 3;
const randomMs = 2_000;

/**
 * Responds to a client that connects again to a stream of server-sent events: an `EventSource` gives up after any status but 200. The
 * response has no events, and the time in `Retry-After` as the field `retry`.
 *
 * @param status the status of the error, for logs and metrics
 */
export function sendStreamRetry(response: ServerResponse, status: number): void {
  const seconds = Number(response.getHeader("retry-after") ?? defaultSeconds);
  const ms = (Number.isFinite(seconds) ? seconds : defaultSeconds) * 1_000 + Math.floor(Math.random() * randomMs);
  (response as Recorded)[statusKey] = status;
  response.removeHeader("retry-after");
  response.statusCode = 200;
  response.setHeader("Content-Type", "text/event-stream; charset=utf-8");
  response.setHeader("Cache-Control", "private, no-cache, no-transform");
  response.end(`retry: ${ms}\n\n`);
}

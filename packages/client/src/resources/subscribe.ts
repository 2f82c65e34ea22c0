import { isApiError } from "../requests/api-error.js";
import { readEvents } from "../requests/read-events.js";
import { type CallOptions, pause, type Send } from "../requests/send.js";
import { type AnyQuery, writeQuery } from "../write-query.js";

/** The maximum pause between two connections, in milliseconds. */
const maxPauseMs = 30_000;

/**
 * Follows the events of the model at a path, untyped; their types are those of `ResourceClient`. It connects again after a lost
 * connection and continues after the last event, until the signal is aborted or the iteration ends.
 *
 * @throws {ApiError} if the server rejects the subscription
 */
export async function* subscribe(
  path: string,
  send: Send,
  query?: AnyQuery,
  { lastEventId, signal, headers, ...options }: CallOptions & { readonly lastEventId?: string } = {},
) {
  let last = lastEventId;
  let pauseMs = 1_000;
  let failures = 0;
  while (signal?.aborted !== true) {
    try {
      const { stream } = await send({
        ...options,
        ...{ method: "GET", path: `${path}/events${writeQuery(query)}`, isStream: true },
        ...(signal && { signal }),
        headers: { accept: "text/event-stream", ...(last && { "last-event-id": last }), ...headers },
      });
      for await (const { type, id, data, retry } of readEvents(stream as ReadableStream<Uint8Array>)) {
        failures = 0;
        pauseMs = retry ?? pauseMs;
        last = id ?? last;
        if (type !== undefined) yield { type, id: last, data: JSON.parse(data) as unknown };
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (isApiError(error) && error.status < 500 && error.status !== 429) throw error;
    }
    await pause(Math.min(pauseMs * 2 ** failures++, maxPauseMs), signal).catch(() => undefined);
  }
}

import type { ServerResponse } from "node:http";

const endedKey = Symbol("servicekit.ended");

type Watched = ServerResponse & { [endedKey]?: boolean };

/** Records that a handler has ended a response, whose bytes may still pass through a stream, such as compression. */
export function recordEnd(response: ServerResponse): void {
  (response as Watched)[endedKey] = true;
}

/** Whether a handler has ended its response, even if the end still waits to be compressed and sent. */
export function isResponseEnded(response: ServerResponse): boolean {
  return response.writableEnded || (response as Watched)[endedKey] === true;
}

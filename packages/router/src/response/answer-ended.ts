import type { ServerResponse } from "node:http";

const endedKey = Symbol("servicekit.ended");

type Watched = ServerResponse & { [endedKey]?: boolean };

/** Notes that a handler has ended an answer, whose bytes may go through a stream first, as those of a compressed one. */
export function noteEnd(response: ServerResponse): void {
  (response as Watched)[endedKey] = true;
}

/** Whether a handler has ended its answer, although the end of it may still wait to be compressed and sent. */
export function isAnswerEnded(response: ServerResponse): boolean {
  return response.writableEnded || (response as Watched)[endedKey] === true;
}

import type { ServerResponse } from "node:http";

const endedKey = Symbol("servicekit.ended");

type Watched = ServerResponse & { [endedKey]?: boolean };

/** Notes when a handler ends an answer whose bytes go through a stream first, as those of a compressed one. */
export function watchEnd(response: ServerResponse): void {
  const end = response.end as (...args: unknown[]) => ServerResponse;
  response.end = ((...args: unknown[]) => {
    (response as Watched)[endedKey] = true;
    return end.apply(response, args);
  }) as ServerResponse["end"];
}

/** Whether a handler has ended its answer, although the end of it may still wait to be compressed and sent. */
export function isAnswerEnded(response: ServerResponse): boolean {
  return response.writableEnded || (response as Watched)[endedKey] === true;
}

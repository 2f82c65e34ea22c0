import { httpErrors } from "@servicekit/core";

/** The maximum number of event streams of a process. */
export interface StreamLimits {
  readonly max: number;
  /** Of one user, or of one address without a user. */
  readonly maxPerClient: number;
}

/** How long a rejected client should wait, in seconds. */
const retryAfter = "30";

/**
 * Counts the open streams of a process.
 *
 * @returns opens a stream of a client, and returns the function that closes it; it throws a 429 above the limit of the client, and a
 *   503 above that of the process
 */
export function limitStreams({ max, maxPerClient }: StreamLimits): (client: string) => () => void {
  const open = new Map<string, number>();
  let total = 0;
  return (client) => {
    const own = open.get(client) ?? 0;
    const headers = { "Retry-After": retryAfter };
    if (own >= maxPerClient)
      throw httpErrors.TooManyRequests(`You have ${own} event streams open, which is the maximum. Close one.`, {
        headers,
      });
    if (total >= max)
      throw httpErrors.ServiceUnavailable("The maximum number of event streams is open. Retry later.", { headers });
    open.set(client, own + 1);
    total++;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      total--;
      const left = (open.get(client) ?? 1) - 1;
      if (left === 0) open.delete(client);
      else open.set(client, left);
    };
  };
}

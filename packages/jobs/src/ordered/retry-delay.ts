import type { JobRetries } from "../queues.js";

/**
 * The delay before the next attempt.
 *
 * @param attempt the number of attempts before the one that has failed
 * @returns seconds, with jitter
 */
export function retryDelay({ delaySeconds, backoff, maxDelaySeconds }: Required<JobRetries>, attempt: number): number {
  if (!backoff) return delaySeconds;
  const delay = Math.min(delaySeconds * 2 ** attempt, maxDelaySeconds);
  return delay * (0.5 + Math.random() / 2);
}

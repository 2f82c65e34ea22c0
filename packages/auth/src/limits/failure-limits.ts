import { setTimeout as pause } from "node:timers/promises";
import { type HttpError, httpErrors } from "@servicekit/core";
import { type RateLimitStore } from "@servicekit/router";
import { clientNetwork } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import type { AuthSettings } from "../configuration/auth-config.js";
import { type CountsOptions, countKey, makeCounts } from "./make-counts.js";
import { waitingClient } from "./waiting-client.js";

/** Whose password somebody is about to try. */
export interface Attempt {
  /** The name of the account, in the one spelling of all that count alike. */
  readonly name: string;
  /** The device that has signed in to this very account before; it counts for itself (contract C60). */
  readonly device?: string | undefined;
}

/** Limits how often a password can be guessed (contract C60). */
export interface FailureLimits {
  /**
   * Lets an attempt pass, at once or, where many have failed for the name, after a while. It counts unless the answer turns
   * out to be another than 401.
   *
   * @throws {HttpError} 429 when too many attempts from the network, or of the device, have failed
   */
  admit(request: Request, response: Response, attempt: Attempt): Promise<void>;
}

/** What the limits work with besides the settings. */
export interface FailureLimitsOptions extends CountsOptions {
  /** Waits until the time is over or the signal says that nobody waits any more. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** How long failures count: the rate limit alone would let a client guess 170,000 times a day. */
const windowMs = 15 * 60_000;
/** As many times the limit of one network may fail for a name before it is slowed down. */
const freeTimes = 10;
/** What each further failure adds to the wait, and the longest wait, in milliseconds. */
const stepMs = 50;
const longestWaitMs = 5_000;

/** How long an attempt waits where so many have failed for its name. It grows, and is bounded: nobody is locked out. */
export function waitAfter(failures: number, limit: number): number {
  return Math.min(longestWaitMs, Math.max(0, failures - freeTimes * limit) * stepMs);
}

/**
 * Makes the limits of one service: as many failures as the rate limit allows requests, but for longer. An attempt is counted before its outcome is known, so that many at once are not more than
 * the limit; what turns out to be no failure is taken back.
 */
export function makeFailureLimits(
  { limit, message }: Pick<AuthSettings["rateLimit"], "limit" | "message">,
  { wait = waitUnlessGone, ...counts }: FailureLimitsOptions,
): FailureLimits {
  const ofNetwork = makeCounts("login-network", windowMs, counts);
  const ofDevice = makeCounts("login-device", windowMs, counts);
  const ofName = makeCounts("login-name", windowMs, counts);
  const slowed = new Set<string>();

  const refusal = (resetTime: Date | undefined): HttpError => {
    const seconds = Math.ceil(((resetTime?.getTime() ?? 0) - Date.now()) / 1000);
    return httpErrors.TooManyRequests(message, { headers: { "Retry-After": String(Math.max(1, seconds)) } });
  };

  return {
    async admit(request, response, { name, device }) {
      const near = device === undefined ? countKey(name, clientNetwork(request)) : countKey(device);
      const nearby = device === undefined ? ofNetwork : ofDevice;
      const { totalHits, resetTime } = await nearby.increment(near);
      if (totalHits > limit) throw refusal(resetTime);
      const counted: [RateLimitStore, string][] = [[nearby, near]];
      const takeBack = async (): Promise<void> => {
        for (const [store, key] of counted) await store.decrement(key);
      };
      if (device === undefined) {
        const key = countKey(name);
        const failures = (await ofName.increment(key)).totalHits;
        counted.push([ofName, key]);
        const milliseconds = waitAfter(failures, limit);
        if (milliseconds > 0) {
          // One at a time: else a client would try as often as before, only later.
          if (slowed.has(near)) {
            await takeBack();
            throw refusal(new Date(Date.now() + milliseconds));
          }
          slowed.add(near);
          try {
            await wait(milliseconds, waitingClient(request, response).signal);
          } catch (error) {
            await takeBack();
            throw error;
          } finally {
            slowed.delete(near);
          }
        }
      }
      // Whoever leaves before the answer has failed: nobody knows what they have learned.
      response.once("finish", () => {
        if (response.statusCode !== 401) takeBack().catch(counts.onStoreError);
      });
    },
  };
}

async function waitUnlessGone(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
}

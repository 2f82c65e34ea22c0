import { setTimeout as pause } from "node:timers/promises";
import { type HttpError, httpErrors } from "@servicekit/core";
import { type RateLimitStore } from "@servicekit/router";
import { clientNetwork } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import type { AuthSettings } from "../configuration/auth-config.js";
import { type CountsOptions, countKey, makeCounts } from "./make-counts.js";
import { makeWaitingClient } from "./make-waiting-client.js";

/**
 * What an attempt is counted for: the typed name, the account that the name finds, the same name again if it finds none
 * (so that both cost the same), or a device that has signed in to the account before.
 */
export interface Subject {
  readonly kind: "name" | "account" | "unknown" | "device";
  readonly id: string;
}

/** Limits password attempts (contract C60). */
export interface FailureLimits {
  /**
   * Admits an attempt, immediately or, if many have failed for the subject, after a delay. It counts unless the response
   * is not 401. An attempt with several subjects waits only for the longest delay.
   *
   * @throws {HttpError} 429 if too many attempts from the network, or of the device, have failed
   */
  admit(request: Request, response: Response, subject: Subject): Promise<void>;
}

/** The dependencies of the limits. */
export interface FailureLimitsOptions extends CountsOptions {
  /** Waits until the time has passed or the signal is aborted. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** How long failures count: the rate limit alone would allow 170,000 attempts a day. */
const windowMs = 15 * 60_000;
/** The number of failures for a name or an account, as a multiple of one network's limit, before it is delayed. */
const freeTimes = 10;
/** The increment of the delay per further failure, and the maximum delay, in milliseconds. */
const stepMs = 50;
const longestWaitMs = 5_000;

/**
 * The delay of an attempt after so many failures for its name or account. It grows to a maximum, so that the owner is never locked
 * out.
 */
export function waitAfter(failures: number, limit: number): number {
  return Math.min(longestWaitMs, Math.max(0, failures - freeTimes * limit) * stepMs);
}

/**
 * Creates the limits of one service: as many failures as the rate limit allows requests, but over a longer time. An
 * attempt is counted before its outcome is known, so that concurrent attempts cannot exceed the limit; it is uncounted
 * if it does not fail.
 */
export function makeFailureLimits(
  { limit, message }: Pick<AuthSettings["rateLimit"], "limit" | "message">,
  { wait = waitUnlessClosed, ...counts }: FailureLimitsOptions,
): FailureLimits {
  const ofNetwork = makeCounts("login-network", windowMs, counts);
  const ofDevice = makeCounts("login-device", windowMs, counts);
  const ofName = makeCounts("login-name", windowMs, counts);
  const slowed = new Set<string>();
  const waited = new WeakMap<Request, number>();

  const rejection = (resetTime: Date | undefined): HttpError => {
    const seconds = Math.ceil(((resetTime?.getTime() ?? 0) - Date.now()) / 1000);
    return httpErrors.TooManyRequests(message, { headers: { "Retry-After": String(Math.max(1, seconds)) } });
  };

  return {
    async admit(request, response, { kind, id }) {
      const isDevice = kind === "device";
      const near = isDevice ? countKey(kind, id) : countKey(kind, id, clientNetwork(request));
      const nearby = isDevice ? ofDevice : ofNetwork;
      const { totalHits, resetTime } = await nearby.increment(near);
      if (totalHits > limit) throw rejection(resetTime);
      const counted: [RateLimitStore, string][] = [[nearby, near]];
      const takeBack = async (): Promise<void> => {
        for (const [store, key] of counted) await store.decrement(key);
      };
      if (!isDevice) {
        const key = countKey(kind, id);
        const failures = (await ofName.increment(key)).totalHits;
        counted.push([ofName, key]);
        const delay = waitAfter(failures, limit);
        const milliseconds = delay - (waited.get(request) ?? 0);
        if (milliseconds > 0) {
          // One at a time; otherwise a client could try as often as before, only later.
          if (slowed.has(near)) {
            await takeBack();
            throw rejection(new Date(Date.now() + milliseconds));
          }
          slowed.add(near);
          waited.set(request, delay);
          try {
            await wait(milliseconds, makeWaitingClient(request, response).signal);
          } catch (error) {
            await takeBack();
            throw error;
          } finally {
            slowed.delete(near);
          }
        }
      }
      // A client that disconnects before the response counts as failed.
      response.once("finish", () => {
        if (response.statusCode !== 401) takeBack().catch(counts.onStoreError);
      });
    },
  };
}

async function waitUnlessClosed(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
}

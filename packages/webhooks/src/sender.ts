import type dns from "node:dns";
import net from "node:net";
import { type Message, signedHeaders } from "./secrets.js";
import type { AllowList } from "./sending/allow-list.js";
import { isPublicAddress } from "./sending/check-address.js";
import { forbiddenHost, urlIssue } from "./sending/check-url.js";
import { makeGuardedLookup } from "./sending/guarded-lookup.js";
import { post } from "./sending/post.js";

/** The target of a message. */
export interface Target {
  readonly url: string;
  /** All valid secrets: two of them during a rotation. */
  readonly secrets: readonly string[];
}

/** The result of an attempt to deliver a message. */
export interface Attempt {
  /** Whether the endpoint has accepted the message (2xx). */
  readonly delivered: boolean;
  /** The status of the response, if there was one. */
  readonly status?: number;
  /** The beginning of the response body. */
  readonly response?: string;
  /** Why there was no response, without what would describe the network of the service. */
  readonly error?: string;
  /** How long the endpoint wants no further attempt, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Milliseconds from the start of the attempt to its end. */
  readonly duration: number;
  readonly time: Date;
}

/** The options of a sender. */
export interface SenderOptions {
  readonly allow: AllowList;
  readonly requireHttps: boolean;
  /** How long an attempt may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The value of the header `User-Agent`. */
  readonly userAgent: string;
  /** Resolves names of hosts. @default dns.lookup */
  readonly resolve?: typeof dns.lookup;
  /** Receives the error of each request without a response, with addresses, for the log of the operator. */
  readonly onError?: (error: unknown, host: string) => void;
}

/** Sends messages. */
export interface Sender {
  /** Sends a message once. It never throws: the result contains the error. */
  send(target: Target, message: Message): Promise<Attempt>;
  /** Returns why a URL cannot be the URL of an endpoint; `undefined` for a valid one. */
  urlIssue(url: string): string | undefined;
}

/** Creates a sender that rejects targets which are not public, unless they are allowed (contract C112). */
export function makeSender({ allow, requireHttps, timeoutMs, userAgent, resolve, onError }: SenderOptions): Sender {
  const rules = { allow, requireHttps };
  const attempt = async ({ url: text, secrets }: Target, message: Message, time: Date): Promise<Result> => {
    const issue = urlIssue(text, rules);
    if (issue !== undefined) return { delivered: false, error: issue };
    if (secrets.length === 0) return { delivered: false, error: "The webhook has no secret. Rotate it." };
    const headers = {
      "content-type": "application/json",
      "user-agent": userAgent,
      ...signedHeaders(message, secrets, time),
    };
    const signal = AbortSignal.timeout(timeoutMs);
    const url = new URL(text);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    let addresses: readonly string[] = net.isIP(host) === 0 ? [] : [host];
    const onAddresses = (resolved: readonly string[]): void => {
      addresses = resolved;
    };
    const lookup = makeGuardedLookup(allow, onAddresses, resolve);
    try {
      const { status, retryAfter, excerpt } = await post({ url, headers, body: message.body, lookup, signal });
      const retryAfterMs = status === 429 || status === 503 ? readRetryAfter(retryAfter, time) : undefined;
      return {
        ...{ delivered: status >= 200 && status < 300, status, response: excerpt },
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      };
    } catch (error) {
      onError?.(error, host);
      // Without an address the name did not resolve in time, or to forbidden addresses.
      if (addresses.length === 0) return { delivered: false, error: forbiddenHost };
      if (!addresses.every(isPublicAddress)) return { delivered: false, error: noPublicReason };
      return { delivered: false, error: signal.aborted ? `No response within ${timeoutMs} ms.` : describe(error) };
    }
  };
  return {
    urlIssue: (url) => urlIssue(url, rules),
    async send(target, message) {
      const time = new Date();
      const start = performance.now();
      const result = await attempt(target, message, time);
      // The duration of a lookup would distinguish the targets that are not allowed.
      const duration = result.error === forbiddenHost ? 0 : Math.round(performance.now() - start);
      return { ...result, time, duration };
    },
  };
}

type Result = Omit<Attempt, "time" | "duration">;

/** An allowed target inside the network of the service: a reason would distinguish its closed and open ports. */
const noPublicReason = "The request failed. The log of the service contains the reason.";

/** The code of an error, because messages contain addresses. A connection to several addresses fails with one error for each. */
function describe(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return `The request failed: ${(first as NodeJS.ErrnoException).code ?? "unknown error"}.`;
}

/** A longer wait would delay a message beyond all attempts. */
const maxRetryAfterMs = 24 * 3_600_000;

/** Reads `Retry-After`: seconds or a date (RFC 9110). */
function readRetryAfter(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxRetryAfterMs);
}

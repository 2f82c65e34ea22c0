import { ApiError } from "./api-error.js";

/** The options of one call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Sent as `Idempotency-Key`, the same for each retry; only then is a write retried. `true` creates one. Use it for
   * routes with idempotency.
   */
  readonly idempotencyKey?: string | true;
  /** Sends this call with another function: see `@servicekit/client/progress`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** The options of all requests. */
export interface SendOptions {
  /** The origin of the service, without `/api`: `https://shop.example`. @default the origin of the page */
  readonly baseUrl?: string;
  /** @default the global `fetch` */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Whether cookies are sent, as in `fetch`: `"include"` for a service at another origin. */
  readonly credentials?: RequestCredentials;
  /** Headers of every request, such as an API key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Number of retries of a read that got no response, 429 or 503. @default 2 */
  readonly retries?: number;
}

/** One request, before it is sent. */
export interface Sent extends CallOptions {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** JSON, a form, or a file with its media type. */
  readonly body?: unknown;
  /** Whether the result is the body as a stream. */
  readonly isStream?: boolean;
}

/** A successful response: its JSON, or `undefined` without a body. */
export interface Received {
  readonly json: unknown;
  readonly stream?: ReadableStream<Uint8Array> | null;
  readonly headers: Headers;
}

export type Send = (sent: Sent) => Promise<Received>;

/** Maximum wait before a retry, in milliseconds. */
const longestWait = 30_000;

/**
 * Creates the function that sends requests and reads responses.
 *
 * @param authorization the header of the caller, if any
 */
export function makeSend(options: SendOptions, authorization: () => string | undefined): Send {
  const { baseUrl = "", retries = 2, credentials } = options;
  /** That of the last write, if the service reads from replicas (contract C122). */
  let consistencyToken: string | null = null;
  return async ({ method, path, body, signal, headers, idempotencyKey, fetch: own, isStream }) => {
    const key = idempotencyKey === true ? crypto.randomUUID() : idempotencyKey;
    const isJson = body !== undefined && !(body instanceof FormData || body instanceof Blob);
    const make = (): Request => {
      const bearer = authorization();
      const all = new Headers({
        accept: "application/json",
        ...(isJson && { "content-type": "application/json" }),
        ...(bearer && { authorization: bearer }),
        ...(key && { "idempotency-key": key }),
        ...(consistencyToken && { "consistency-token": consistencyToken }),
        ...options.headers,
        ...headers,
      });
      return new Request(baseUrl + path, {
        method,
        headers: all,
        ...(signal && { signal }),
        ...(credentials && { credentials }),
        ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as FormData) }),
      });
    };
    const fetch = own ?? options.fetch ?? globalThis.fetch;
    for (let left = method === "GET" || key !== undefined ? retries : 0; ; left--) {
      const response = await fetch(make()).catch((error: unknown) => {
        if (left <= 0 || signal?.aborted) throw error;
        return undefined;
      });
      consistencyToken = response?.headers.get("consistency-token") ?? consistencyToken;
      const wait = Number(response?.headers.get("retry-after") ?? 0.2 * 2 ** (retries - left)) * 1_000;
      const isBusy = response === undefined || response.status === 429 || response.status === 503;
      if (left <= 0 || !isBusy || !(wait <= longestWait)) return readResponse(response as Response, isStream);
      await response?.body?.cancel();
      await pause(wait, signal);
    }
  };
}

/** @throws {ApiError} for an error response */
async function readResponse(response: Response, isStream = false): Promise<Received> {
  const { headers, status } = response;
  if (isStream && response.ok) return { json: undefined, stream: response.body, headers };
  const text = await response.text();
  let json: unknown;
  try {
    json = text === "" ? undefined : JSON.parse(text);
  } catch (error) {
    if (response.ok) throw error;
  }
  if (response.ok) return { json, headers };
  const after = Number(headers.get("retry-after") ?? Number.NaN);
  throw new ApiError(status, Object(json), Number.isNaN(after) ? undefined : after);
}

/** Waits, or rejects with the reason of the signal when it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

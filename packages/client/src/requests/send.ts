import { ApiError } from "./api-error.js";

/** What one call may say besides its question. */
export interface CallOptions {
  /** Gives the call up. */
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Sent as `Idempotency-Key`, the same at each try: only then is a write tried again. `true` makes one. Give it to routes
   * that keep such keys.
   */
  readonly idempotencyKey?: string | true;
  /** Sends this call in another way: see `@servicekit/client/progress`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** How requests are sent. */
export interface SendOptions {
  /** Where the service is, without `/api`: `https://shop.example`. @default the page's own host */
  readonly baseUrl?: string;
  /** @default the global `fetch` */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Whether cookies go along, as `fetch` takes it: `"include"` for a service at another origin. */
  readonly credentials?: RequestCredentials;
  /** Headers of every request, such as an API key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How often a read that got no answer, 429 or 503 is tried again. @default 2 */
  readonly retries?: number;
}

/** One request, before it is sent. */
export interface Sent extends CallOptions {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** JSON, or a form as it stands. */
  readonly body?: unknown;
}

/** An answer that is no refusal: its JSON, `undefined` without a body. */
export interface Answered {
  readonly json: unknown;
  readonly headers: Headers;
}

export type Send = (sent: Sent) => Promise<Answered>;

/** Nobody waits longer than that for another try, in milliseconds. */
const longestWait = 30_000;

/**
 * Makes what sends requests and reads answers.
 *
 * @param authorization the header of the caller, where there is one
 */
export function makeSend(options: SendOptions, authorization: () => string | undefined): Send {
  const { baseUrl = "", retries = 2, credentials } = options;
  return async ({ method, path, body, signal, headers, idempotencyKey, fetch: own }) => {
    const key = idempotencyKey === true ? crypto.randomUUID() : idempotencyKey;
    const isJson = body !== undefined && !(body instanceof FormData);
    const make = (): Request => {
      const bearer = authorization();
      const all = new Headers({
        accept: "application/json",
        ...(isJson && { "content-type": "application/json" }),
        ...(bearer && { authorization: bearer }),
        ...(key && { "idempotency-key": key }),
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
      const wait = Number(response?.headers.get("retry-after") ?? 0.2 * 2 ** (retries - left)) * 1_000;
      const isBusy = response === undefined || response.status === 429 || response.status === 503;
      if (left <= 0 || !isBusy || !(wait <= longestWait)) return readAnswer(response as Response);
      await response?.body?.cancel();
      await pause(wait, signal);
    }
  };
}

/** @throws {ApiError} for a refusal */
async function readAnswer(response: Response): Promise<Answered> {
  const { headers, status } = response;
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

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

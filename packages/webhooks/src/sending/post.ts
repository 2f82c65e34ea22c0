import type { IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";

// Importing the names of these modules also loads Node's own fetch.
const http = process.getBuiltinModule("node:http");
const https = process.getBuiltinModule("node:https");

/** A request to an endpoint. */
export interface PostRequest {
  /** A URL that was checked. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Resolves the host of the URL. */
  readonly lookup: LookupFunction;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/** The response of an endpoint. */
export interface PostResponse {
  readonly status: number;
  /** The header `Retry-After`. */
  readonly retryAfter: string | undefined;
  /** The beginning of the body. */
  readonly excerpt: string;
}

/** How much of a response body is read, in bytes. */
const maxExcerptBytes = 1024;

/**
 * Sends a POST request. Redirects are responses like others: they are not followed. The connection is closed as soon as the
 * first bytes of the body have arrived, so a body of any length costs nothing.
 *
 * @throws {Error} if no response arrives
 */
export function post({ url, headers, body, lookup, signal }: PostRequest): Promise<PostResponse> {
  const { request: open } = url.protocol === "https:" ? https : http;
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const sent = open(url, {
      method: "POST",
      headers: { ...headers, "content-length": bytes.length },
      // A connection of its own: an open one would stay at an address that the host may have left.
      agent: false,
      lookup,
      signal,
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      // From now on an error only ends the body.
      sent.off("error", reject).on("error", () => undefined);
      void readExcerpt(response).then((excerpt) => {
        sent.destroy();
        const { statusCode: status = 0 } = response;
        resolve({ status, retryAfter: response.headers["retry-after"], excerpt });
      });
    });
    sent.end(bytes);
  });
}

/** The status counts, even if the body does not arrive. */
async function readExcerpt(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxExcerptBytes) break;
    }
  } catch {
    // The connection was closed or the time limit has passed.
  }
  // PostgreSQL cannot store U+0000.
  return Buffer.concat(chunks).subarray(0, maxExcerptBytes).toString("utf8").replaceAll("\u0000", "\uFFFD");
}

import type { IncomingMessage, Server } from "node:http";
import { pipeline, Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { type ConnectionInfo, makeMemoryConnection } from "./memory-connection.js";

/** Handles a request as the server would. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** Headers of the connection, not of the message (RFC 9110, section 7.6.1). */
const hopByHop = new Set(["connection", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]);

/** Statuses of responses without a body, for which `Response` accepts none either. */
const bodiless = new Set([204, 205, 304]);

/**
 * Handles requests of the Fetch standard with a server that need not listen (contract C74). Each has an in-memory
 * connection on which both ends use HTTP, so that everything works as over the network: limits of size and time,
 * order, streams in both directions, and aborts. The caller is the peer, at 127.0.0.1; for a host with clients of its
 * own, `trustProxy` determines which `X-Forwarded-For` counts.
 *
 * @param isClosed whether the service has stopped
 * @param peerOf the address of the caller, if it is known
 */
export function makeFetch<Rest extends readonly unknown[] = []>(
  server: Server,
  isClosed: () => boolean,
  peerOf?: (...rest: Rest) => Partial<ConnectionInfo>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    if (isClosed()) throw new TypeError("The service is closed and no longer accepts requests.");
    request.signal.throwIfAborted();
    const { protocol, host, pathname, search } = new URL(request.url);
    const peer = { remoteAddress: "127.0.0.1", encrypted: protocol === "https:", ...peerOf?.(...rest) };
    const connection = makeMemoryConnection(peer);
    server.emit("connection", connection.server);
    return new Promise((resolve, reject) => {
      const outgoing = process.getBuiltinModule("node:http").request({
        method: request.method,
        path: pathname + search,
        headers: { ...headersOf(request), host },
        createConnection: () => connection.client,
      });
      let response: IncomingMessage | undefined;
      const abort = (): void => {
        (response ?? outgoing).destroy(request.signal.reason);
      };
      request.signal.addEventListener("abort", abort, { once: true });
      connection.client.once("close", () => request.signal.removeEventListener("abort", abort));
      outgoing.once("response", (incoming) => {
        response = incoming;
        try {
          // Synchronously: a short response ends before a promise is awaited.
          resolve(toResponse(incoming, request));
        } catch (error) {
          // Such as a status above 599, which `Response` does not accept.
          incoming.destroy();
          reject(error);
        }
      });
      outgoing.once("error", (error) =>
        reject(
          request.signal.aborted
            ? request.signal.reason
            : new TypeError("The service closed the connection without a response.", { cause: error }),
        ),
      );
      // A rejected request gets its response before its body has been read.
      outgoing.on("error", () => undefined);
      if (request.body === null) outgoing.end();
      else pipeline(Readable.fromWeb(request.body as ReadableStream), outgoing, () => undefined);
    });
  };
}

function headersOf({ headers, body }: Request): Record<string, string> {
  const sent = Object.fromEntries([...headers].filter(([name]) => !hopByHop.has(name)));
  // Node does not send the framing of a DELETE body, whose bytes would be read as the next request.
  return body === null || headers.has("content-length") ? sent : { ...sent, "transfer-encoding": "chunked" };
}

function toResponse(incoming: IncomingMessage, { method }: Request): Response {
  const { statusCode: status = 500, statusMessage: statusText = "", rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    // One by one: there may be several cookies.
    if (!hopByHop.has(name.toLowerCase())) headers.append(name, rawHeaders[at + 1] ?? "");
  }
  const isBodiless = method === "HEAD" || bodiless.has(status);
  if (isBodiless) incoming.resume();
  const body = isBodiless ? null : (Readable.toWeb(incoming) as globalThis.ReadableStream);
  return new Response(body, { status, statusText, headers });
}

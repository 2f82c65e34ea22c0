import type { IncomingMessage, Server } from "node:http";
import { pipeline, Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { makeMemoryConnection, type PeerFacts } from "./memory-connection.js";

/** Answers a request as the server would. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** What belongs to one connection, and not to the message on it (RFC 9110, section 7.6.1). */
const hopByHop = new Set(["connection", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]);

/** Statuses whose answers have no body, which `Response` does not take either. */
const bodiless = new Set([204, 205, 304]);

/**
 * Answers requests of the Fetch standard by a server that need not listen (contract C74). Each has a connection of its own
 * in memory, which both ends speak HTTP on, so that nothing of the server's way differs: limits of size and time, order,
 * streams both ways, and aborts. Whoever calls is the peer, at 127.0.0.1: for a host that has clients of its own,
 * `trustProxy` says which `X-Forwarded-For` counts.
 *
 * @param isClosed whether the service has ended
 * @param peerOf who calls, where that is known better
 */
export function makeFetch<Rest extends readonly unknown[] = []>(
  server: Server,
  isClosed: () => boolean,
  peerOf?: (...rest: Rest) => Partial<PeerFacts>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    if (isClosed()) throw new TypeError("The service is closed: it answers no request any more.");
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
      let answer: IncomingMessage | undefined;
      const abort = (): void => {
        (answer ?? outgoing).destroy(request.signal.reason);
      };
      request.signal.addEventListener("abort", abort, { once: true });
      connection.client.once("close", () => request.signal.removeEventListener("abort", abort));
      outgoing.once("response", (incoming) => {
        answer = incoming;
        // At once: a short answer has come to its end before a promise is waited for.
        resolve(toResponse(incoming, request));
      });
      outgoing.once("error", (error) =>
        reject(
          request.signal.aborted
            ? request.signal.reason
            : new TypeError("The service ended the connection without an answer.", { cause: error }),
        ),
      );
      // A refused request is answered before its body is read to the end.
      outgoing.on("error", () => undefined);
      if (request.body === null) outgoing.end();
      else pipeline(Readable.fromWeb(request.body as ReadableStream), outgoing, () => undefined);
    });
  };
}

function headersOf({ headers, body }: Request): Record<string, string> {
  const sent = Object.fromEntries([...headers].filter(([name]) => !hopByHop.has(name)));
  // Node itself says nothing of the body of a DELETE, and its bytes would be the next request.
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

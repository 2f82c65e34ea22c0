import type { IncomingMessage } from "node:http";

/** Gives a request a `query` of its own: Express 5 has only a getter, on the prototype. */
export function setQuery(request: IncomingMessage, query: unknown): void {
  Object.defineProperty(request, "query", { value: query, writable: true, enumerable: true, configurable: true });
}

import type { IncomingMessage } from "node:http";

/** Sets a request's own `query`: Express 5 defines only a getter, on the prototype. */
export function setQuery(request: IncomingMessage, query: unknown): void {
  Object.defineProperty(request, "query", { value: query, writable: true, enumerable: true, configurable: true });
}

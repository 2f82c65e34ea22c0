import type { ServerResponse } from "node:http";

/** Maximum size of a copied response, in bytes: above it two writes are cheaper. */
const maxCopied = 16 * 1024;

type End = (this: unknown, ...args: unknown[]) => ServerResponse;

/**
 * Makes responses that are ended with bytes, as Express does after computing an `ETag`, go out in one write with their
 * headers: Node writes bytes separately, and text together with the headers. Latin-1 is the text encoding that
 * preserves every byte.
 *
 * @param response the prototype of an application's responses
 */
export function endImmediately(response: ServerResponse): void {
  const below = Object.getPrototypeOf(response) as { readonly end: End };
  const end: End = function end(this: unknown, ...args) {
    const [chunk, encoding, done] = args;
    if (!Buffer.isBuffer(chunk) || chunk.length > maxCopied) return below.end.apply(this, args);
    return below.end.call(this, chunk.toString("latin1"), "latin1", typeof encoding === "function" ? encoding : done);
  };
  Object.defineProperty(response, "end", { value: end, writable: true, configurable: true });
}

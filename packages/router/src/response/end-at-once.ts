import type { ServerResponse } from "node:http";

/** The longest answer that is copied, in bytes: above that two pieces are cheaper. */
const mostCopied = 16 * 1024;

type End = (this: unknown, ...args: unknown[]) => ServerResponse;

/**
 * Lets answers that are ended with bytes, as Express ends what it has made an `ETag` of, go out in one piece with their headers:
 * Node writes bytes as a second piece, and text together with the headers. Latin-1 is the text that keeps every byte.
 *
 * @param response the prototype of an application's responses
 */
export function endAtOnce(response: ServerResponse): void {
  const below = Object.getPrototypeOf(response) as { readonly end: End };
  const end: End = function end(this: unknown, ...args) {
    const [chunk, encoding, done] = args;
    if (!Buffer.isBuffer(chunk) || chunk.length > mostCopied) return below.end.apply(this, args);
    return below.end.call(this, chunk.toString("latin1"), "latin1", typeof encoding === "function" ? encoding : done);
  };
  Object.defineProperty(response, "end", { value: end, writable: true, configurable: true });
}

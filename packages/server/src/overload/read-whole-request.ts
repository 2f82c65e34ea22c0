/** What a refusal needs to know of a request. */
export interface RequestTarget {
  readonly method?: string | undefined;
  /** The path and the query. */
  readonly url?: string | undefined;
}

/** One that was read from its bytes. */
export interface UnreadRequest extends RequestTarget {
  readonly hasBody: boolean;
}

/** Longer ones are read by Node. */
const mostBytes = 16_384;

const names = "content-length|transfer-encoding|connection|expect|origin|upgrade";
const field = `(?:connection:[ \\t]*keep-alive[ \\t]*\\r\\n|(?!(?:${names}):)[!#-'*+.^_\`|~0-9A-Z-]+:[\\t -~]*\\r\\n)`;
/** Nothing in it can be understood in two ways: no folded line, no lone line feed, no space before a colon. */
const plainHead = new RegExp(
  `^(GET|POST|PUT|PATCH|DELETE) (/[!-~]*) HTTP/1\\.1\\r\\n${field}*(?:content-length:[ \\t]*(\\d{1,5})[ \\t]*\\r\\n${field}*)?\\r\\n`,
  "i",
);

/** Without it Node answers 400. */
const host = /\r\nhost:/i;

/**
 * Reads the method and the target of one request that a chunk of bytes is to the last of them, head and body; `undefined`
 * where it is anything else, or where a header says more than that: a connection that ends, an upgrade, a page of another
 * origin, a body without a length. The names of methods are capital letters (RFC 9110, section 9.1).
 */
export function readWholeRequest(chunk: Buffer): UnreadRequest | undefined {
  if (chunk.length > mostBytes) return undefined;
  const found = plainHead.exec(chunk.toString("latin1"));
  if (found === null) return undefined;
  const [head, method = "", url = "", bodyLength] = found;
  if (head.length + Number(bodyLength ?? 0) !== chunk.length || !host.test(head)) return undefined;
  return method === method.toUpperCase() ? { method, url, hasBody: bodyLength !== undefined } : undefined;
}

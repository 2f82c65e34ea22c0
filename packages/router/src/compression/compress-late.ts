import type { ServerResponse } from "node:http";
import { brotliCompressSync, constants, gzipSync, type ZlibOptions } from "node:zlib";
import type { Request, RequestHandler, Response } from "express";

/** How the answers of a route are compressed. */
export interface Compressor {
  /** Compresses as a stream what is long, or of unknown length: the library's middleware. */
  readonly stream: RequestHandler;
  readonly filter: (request: Request, response: Response) => boolean;
  /** The smallest answer that is compressed, in bytes. */
  readonly threshold: number;
  readonly options: ZlibOptions;
  /** Is told when a handler ends an answer, whose bytes may go through a stream before they are sent. */
  readonly onEnd: (response: Response) => void;
}

/** The largest answer that is compressed in the turn that ends it, in bytes: below that a stream only costs. */
const mostAtOnce = 64 * 1024;

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** The methods of an answer that a compression takes over. */
type Methods = Record<"end" | "write" | "writeHead", Method>;

/** An answer that is ended in one piece. */
interface WholeAnswer {
  /** Its bytes, where they are to be compressed by this coding. */
  readonly plain?: { readonly bytes: Buffer; readonly coding: Coding };
  compressed?: Buffer;
  isTold: boolean;
}

/**
 * Compresses an answer when it is known what it is. One that is ended in one piece is left alone under the threshold, and
 * compressed there and then up to {@link mostAtOnce}; any other goes through the library, which is put in only then. What the
 * application has wrapped around the methods of the answer meanwhile stays around it.
 */
export function compressLate(request: Request, response: Response, compressor: Compressor): void {
  const holder = response as unknown as Methods & { flush: Method };
  const below = methodsOf(holder);
  let library: (Methods & { readonly flush: Method }) | undefined;
  let whole: WholeAnswer | undefined;

  const useLibrary = (): void => {
    // Nobody takes what is written to a closed answer, and nothing would close the stream.
    if (library !== undefined || whole !== undefined || response.headersSent || response.closed || response.destroyed)
      return;
    const above = methodsOf(holder);
    const { flush } = holder;
    // The library gives these to its stream.
    const waiting = response.rawListeners("drain") as (() => void)[];
    for (const listener of waiting) response.off("drain", listener);
    Object.assign(holder, below, { writeHead: tellCoding(below.writeHead) });
    compressor.stream(request, response, () => undefined);
    library = { ...methodsOf(holder), flush: holder.flush };
    Object.assign(holder, above, { flush });
    for (const listener of waiting) response.on("drain", listener);
  };

  const own: Methods & { flush: Method } = {
    end(...args) {
      const isFirst = library === undefined && whole === undefined && !response.headersSent;
      if (isFirst) whole = readWhole(request, response, compressor, args);
      if (whole === undefined) useLibrary();
      compressor.onEnd(response);
      if (library !== undefined || whole?.plain === undefined || !isFirst)
        return (library ?? below).end.apply(this, args);
      // Whoever waits for the headers has a say before they are written, as with the library.
      response.writeHead(response.statusCode);
      const { compressed = whole.plain.bytes } = whole;
      return below.end.call(this, compressed, ...args.slice(1).filter((value) => typeof value === "function"));
    },
    write(...args) {
      useLibrary();
      return (library ?? below).write.apply(this, args);
    },
    writeHead(...args) {
      useLibrary();
      if (library !== undefined) return library.writeHead.apply(this, args);
      if (whole !== undefined && !whole.isTold) {
        whole.isTold = true;
        tellWhole(request, response, compressor, whole);
      }
      return tellCoding(below.writeHead).apply(this, args);
    },
    flush(...args) {
      return library?.flush.apply(this, args);
    },
  };
  Object.assign(holder, own);
}

const methodsOf = ({ end, write, writeHead }: Methods): Methods => ({ end, write, writeHead });

/** What is known of an answer when it is ended; `undefined` where the library is to compress it. */
function readWhole(
  request: Request,
  response: Response,
  { threshold }: Compressor,
  [chunk, encoding]: readonly unknown[],
): WholeAnswer | undefined {
  const charset = typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8";
  const isGiven = typeof chunk === "string" || chunk instanceof Uint8Array;
  const length = Number(response.getHeader("Content-Length")) || (isGiven ? Buffer.byteLength(chunk, charset) : 0);
  if (length < threshold || request.method === "HEAD") return { isTold: false };
  const coding = codingFor(request.headers["accept-encoding"]);
  if (!isGiven || length > mostAtOnce || coding === undefined) return undefined;
  const bytes =
    typeof chunk === "string"
      ? Buffer.from(chunk, charset)
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return { plain: { bytes, coding }, isTold: false };
}

/** Sets what the headers say of the coding, as the library does. */
function tellWhole(request: Request, response: Response, { filter, options }: Compressor, whole: WholeAnswer): void {
  if (!filter(request, response)) return;
  if (/(?:^|,)\s*?no-transform\s*?(?:,|$)/i.test(String(response.getHeader("Cache-Control") ?? ""))) return;
  response.vary("Accept-Encoding");
  const { plain } = whole;
  if (plain === undefined || (response.getHeader("Content-Encoding") || "identity") !== "identity") return;
  whole.compressed = compress[plain.coding](plain.bytes, options);
  response.setHeader("Content-Encoding", plain.coding);
  response.setHeader("Content-Length", whole.compressed.byteLength);
}

/** The codings that the library likes best, with its own quality of the first. */
const compress = {
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes: Buffer, options: ZlibOptions) => gzipSync(bytes, options),
};
type Coding = keyof typeof compress;

/** The library's choice among codings of which the client prefers none; `undefined` where it must be asked. */
function codingFor(accept: string | string[] | undefined): Coding | undefined {
  if (typeof accept !== "string" || /[;*]/.test(accept)) return undefined;
  const named = accept.split(",").map((name) => name.trim().toLowerCase());
  return (["br", "gzip"] as const).find((coding) => named.includes(coding));
}

/**
 * Compressed bytes are others than the plain ones, so that a strong `ETag` of both would be a lie (RFC 9110, 8.8.3.3): it
 * gets the coding as its ending. Whoever compares tags takes the ending off again.
 */
function tellCoding(writeHead: Method): Method {
  return function writeHeadOfCoding(this: unknown, ...args) {
    const response = this as ServerResponse;
    const coding = response.getHeader("Content-Encoding");
    const tag = response.getHeader("ETag");
    if (typeof coding === "string" && coding !== "identity" && typeof tag === "string" && tag.startsWith('"')) {
      response.setHeader("ETag", `${tag.slice(0, -1)}-${coding}"`);
    }
    return writeHead.apply(this, args);
  };
}

import type { ServerResponse } from "node:http";
import { brotliCompressSync, constants, gzipSync, type ZlibOptions } from "node:zlib";
import type { Request, RequestHandler, Response } from "express";

/** How the responses of a route are compressed. */
export interface Compressor {
  /** Compresses long responses, and those of unknown length, as a stream: the library's middleware. */
  readonly stream: RequestHandler;
  readonly filter: (request: Request, response: Response) => boolean;
  /** Minimum size of a compressed response, in bytes. */
  readonly threshold: number;
  readonly options: ZlibOptions;
  /** Called when a handler ends a response, whose bytes may pass through a stream before they are sent. */
  readonly onEnd: (response: Response) => void;
}

/** Maximum size of a response that is compressed synchronously, in bytes: below it a stream only adds cost. */
const maxSynchronous = 64 * 1024;

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** The response methods that a compression replaces. */
type Methods = Record<"end" | "write" | "writeHead", Method>;

/** A response that is ended in one call. */
interface CompleteResponse {
  /** Its bytes, if they are to be compressed with this coding. */
  readonly plain?: { readonly bytes: Buffer; readonly coding: Coding };
  compressed?: Buffer;
  hasHeaders: boolean;
}

/**
 * Compresses a response when its properties are known. One that is ended in one call is sent plain under the threshold,
 * and compressed synchronously up to {@link maxSynchronous}; any other uses the library, which is only then added. Wrappers
 * that the application has put around the response methods remain.
 */
export function compressLate(request: Request, response: Response, compressor: Compressor): void {
  const holder = response as unknown as Methods & { flush: Method };
  const below = methodsOf(holder);
  let library: (Methods & { readonly flush: Method }) | undefined;
  let complete: CompleteResponse | undefined;

  const useLibrary = (): void => {
    // A closed response accepts no data, and nothing would close the stream.
    if (
      library !== undefined ||
      complete !== undefined ||
      response.headersSent ||
      response.closed ||
      response.destroyed
    )
      return;
    const above = methodsOf(holder);
    const { flush } = holder;
    // The library passes these to its stream.
    const waiting = response.rawListeners("drain") as (() => void)[];
    for (const listener of waiting) response.off("drain", listener);
    Object.assign(holder, below, { writeHead: addCodingToTag(below.writeHead) });
    compressor.stream(request, response, () => undefined);
    library = { ...methodsOf(holder), flush: holder.flush };
    Object.assign(holder, above, { flush });
    for (const listener of waiting) response.on("drain", listener);
  };

  const own: Methods & { flush: Method } = {
    end(...args) {
      const isFirst = library === undefined && complete === undefined && !response.headersSent;
      if (isFirst) complete = readComplete(request, response, compressor, args);
      if (complete === undefined) useLibrary();
      compressor.onEnd(response);
      if (library !== undefined || complete?.plain === undefined || !isFirst)
        return (library ?? below).end.apply(this, args);
      // Listeners for the headers run before they are written, as with the library.
      response.writeHead(response.statusCode);
      const { compressed = complete.plain.bytes } = complete;
      return below.end.call(this, compressed, ...args.slice(1).filter((value) => typeof value === "function"));
    },
    write(...args) {
      useLibrary();
      return (library ?? below).write.apply(this, args);
    },
    writeHead(...args) {
      useLibrary();
      if (library !== undefined) return library.writeHead.apply(this, args);
      if (complete !== undefined && !complete.hasHeaders) {
        complete.hasHeaders = true;
        compressComplete(request, response, compressor, complete);
      }
      return addCodingToTag(below.writeHead).apply(this, args);
    },
    flush(...args) {
      return library?.flush.apply(this, args);
    },
  };
  Object.assign(holder, own);
}

const methodsOf = ({ end, write, writeHead }: Methods): Methods => ({ end, write, writeHead });

/** The properties of an ended response; `undefined` if the library is to compress it. */
function readComplete(
  request: Request,
  response: Response,
  { threshold }: Compressor,
  [chunk, encoding]: readonly unknown[],
): CompleteResponse | undefined {
  const charset = typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8";
  const isGiven = typeof chunk === "string" || chunk instanceof Uint8Array;
  const length = Number(response.getHeader("Content-Length")) || (isGiven ? Buffer.byteLength(chunk, charset) : 0);
  if (length < threshold || request.method === "HEAD") return { hasHeaders: false };
  const coding = codingFor(request.headers["accept-encoding"]);
  if (!isGiven || length > maxSynchronous || coding === undefined) return undefined;
  const bytes =
    typeof chunk === "string"
      ? Buffer.from(chunk, charset)
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return { plain: { bytes, coding }, hasHeaders: false };
}

/** Compresses the response and sets its headers, as the library does. */
function compressComplete(
  request: Request,
  response: Response,
  { filter, options }: Compressor,
  complete: CompleteResponse,
): void {
  if (!filter(request, response)) return;
  if (/(?:^|,)\s*?no-transform\s*?(?:,|$)/i.test(String(response.getHeader("Cache-Control") ?? ""))) return;
  response.vary("Accept-Encoding");
  const { plain } = complete;
  if (plain === undefined || (response.getHeader("Content-Encoding") || "identity") !== "identity") return;
  complete.compressed = compress[plain.coding](plain.bytes, options);
  response.setHeader("Content-Encoding", plain.coding);
  response.setHeader("Content-Length", complete.compressed.byteLength);
}

/** The library's preferred codings, with its own quality of the first. */
const compress = {
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes: Buffer, options: ZlibOptions) => gzipSync(bytes, options),
};
type Coding = keyof typeof compress;

/** The library's choice among equally preferred codings; `undefined` if it must be called. */
function codingFor(accept: string | string[] | undefined): Coding | undefined {
  if (typeof accept !== "string" || /[;*]/.test(accept)) return undefined;
  const named = accept.split(",").map((name) => name.trim().toLowerCase());
  return (["br", "gzip"] as const).find((coding) => named.includes(coding));
}

/**
 * Compressed bytes differ from plain ones, so they must not share a strong `ETag` (RFC 9110, 8.8.3.3): it gets the
 * coding as a suffix, which comparisons remove.
 */
function addCodingToTag(writeHead: Method): Method {
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

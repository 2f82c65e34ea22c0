import compression from "compression";
import type { Request, RequestHandler, Response } from "express";
import { type Compressor, compressLate } from "./compress-late.js";

/** The options of compression. */
export interface CompressionOptions {
  /** Minimum size of a compressed response, in bytes. @default 1024 */
  readonly threshold?: number;
  /** Decides per response. @default by the media type */
  readonly filter?: (request: Request, response: Response) => boolean;
  /** 0 none, 9 maximum; -1 lets zlib choose. @default -1 */
  readonly level?: number;
  /** 1 to 9. @default 8 */
  readonly memLevel?: number;
  /** One of zlib's strategies. @default 0 */
  readonly strategy?: number;
  /** In bytes. @default 16384 */
  readonly chunkSize?: number;
  /** Called when a handler ends a response, whose bytes may pass through a stream before they are sent. */
  readonly onEnd?: (response: Response) => void;
}

/** Whether the media type of a response is compressible: the default of `filter`. */
export const isCompressible: (request: Request, response: Response) => boolean = compression.filter;

/**
 * A middleware that compresses responses for clients that accept a coding. It decides as `compression` does, when the
 * response is known: one of at most 64 KB in one piece is compressed synchronously with its length, any other is
 * streamed. A strong `ETag` gets the coding as a suffix.
 */
export function makeCompression(options: CompressionOptions = {}): RequestHandler {
  const { threshold = 1024, filter = isCompressible, onEnd = () => undefined, ...ofZlib } = options;
  const compressor: Compressor = {
    stream: compression({ ...ofZlib, threshold, filter }),
    filter,
    threshold,
    options: ofZlib,
    onEnd,
  };
  return function compressResponse(request, response, next) {
    // A client that accepts no coding gets plain bytes.
    if (request.headers["accept-encoding"] !== undefined) compressLate(request, response, compressor);
    next();
  };
}

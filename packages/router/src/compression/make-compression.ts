import compression from "compression";
import type { Request, RequestHandler, Response } from "express";
import { type Compressor, compressLate } from "./compress-late.js";

/** How answers are compressed. */
export interface CompressionOptions {
  /** The smallest answer that is compressed, in bytes. @default 1024 */
  readonly threshold?: number;
  /** Decides for each answer. @default by the kind of its content */
  readonly filter?: (request: Request, response: Response) => boolean;
  /** 0 is none, 9 the most; -1 lets zlib choose. @default -1 */
  readonly level?: number;
  /** 1 to 9. @default 8 */
  readonly memLevel?: number;
  /** One of zlib's strategies. @default 0 */
  readonly strategy?: number;
  /** In bytes. @default 16384 */
  readonly chunkSize?: number;
  /** Is told when a handler ends an answer, whose bytes may have to go through a stream before they are sent. */
  readonly onEnd?: (response: Response) => void;
}

/** Whether an answer is of a kind that gets shorter: the default of `filter`. */
export const isCompressible: (request: Request, response: Response) => boolean = compression.filter;

/**
 * A middleware that compresses answers for clients that name a coding. What is compressed, and how, is decided as
 * `compression` does, when the answer is known: one in one piece of at most 64 KB is compressed in the turn that ends it and
 * tells its length, any other is streamed. A strong `ETag` gets the coding as its ending.
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
  return function compressAnswer(request, response, next) {
    // A client that names no coding gets plain bytes.
    if (request.headers["accept-encoding"] !== undefined) compressLate(request, response, compressor);
    next();
  };
}

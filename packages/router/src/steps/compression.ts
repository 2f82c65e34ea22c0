import type { ServerResponse } from "node:http";
import compression from "compression";
import type { RequestHandler } from "express";
import { watchEnd } from "../answer-ended.js";
import type { CompressionConfig, CompressionOptions } from "../declaration/compression.js";
import { matchOf } from "../request-match.js";
import type { RouteStep } from "../route-step.js";

/** The global compression: options, on or off, or a handler in its place. */
export type CompressionSettings = CompressionConfig | RequestHandler;

/** The step of `compression`: a route's value replaces the global one; on by default (contract C43). */
export function makeCompressionStep(settings: CompressionSettings = true): RouteStep {
  const global = typeof settings === "function" ? settings : compressAnswers(settings);
  return {
    key: "compression",
    handlers(value) {
      const handler = value === undefined ? global : compressAnswers(value as CompressionConfig);
      return handler === undefined ? [] : [handler];
    },
  };
}

function compressAnswers(config: CompressionConfig): RequestHandler | undefined {
  if (config === false) return undefined;
  const { filter = compression.filter, ...options }: CompressionOptions = config === true ? {} : config;
  const compress = compression({
    ...options,
    // A request whose URL was rewritten may have got to a route that wants plain bytes after all.
    filter: (request, response) => matchOf(request)?.route?.config.compression !== false && filter(request, response),
  });
  return function compressAnswer(request, response, next) {
    // Wrapping the response costs more than all else here; a client that names no encoding gets plain bytes anyway.
    if (request.headers["accept-encoding"] === undefined) return next();
    tellCodingsApart(response);
    return compress(request, response, (error?: unknown) => {
      watchEnd(response);
      next(error);
    });
  };
}

/**
 * Compressed bytes are others than the plain ones, so that a strong `ETag` of both would be a lie (RFC 9110, 8.8.3.3): it
 * gets the coding as its ending. Whoever compares tags takes the ending off again.
 */
function tellCodingsApart(response: ServerResponse): void {
  // Compression decides when the headers are written, on top of this.
  const writeHead = response.writeHead as (...args: unknown[]) => ServerResponse;
  response.writeHead = function writeHeadOfCoding(this: ServerResponse, ...args: unknown[]) {
    const coding = this.getHeader("Content-Encoding");
    const tag = this.getHeader("ETag");
    if (typeof coding === "string" && coding !== "identity" && typeof tag === "string" && tag.startsWith('"')) {
      this.setHeader("ETag", `${tag.slice(0, -1)}-${coding}"`);
    }
    return writeHead.apply(this, args);
  } as typeof response.writeHead;
}

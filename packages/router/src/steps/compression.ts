import compression from "compression";
import type { RequestHandler } from "express";
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
    return compress(request, response, next);
  };
}

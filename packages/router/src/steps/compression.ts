import type { RequestHandler } from "express";
import { toBytes } from "../body/to-bytes.js";
import { isCompressible, makeCompression } from "../compression/make-compression.js";
import type { CompressionConfig, CompressionOptions } from "../declaration/compression.js";
import { matchOf } from "../pipeline/request-match.js";
import type { RouteStep } from "../pipeline/route-step.js";
import { recordEnd } from "../response/response-ended.js";

/** The global compression: options, on or off, or a handler in its place. */
export type CompressionSettings = CompressionConfig | RequestHandler;

/** The step of `compression`: a route's value replaces the global one; on by default (contract C43). */
export function makeCompressionStep(settings: CompressionSettings = true): RouteStep {
  const global = typeof settings === "function" ? settings : compressResponses(settings, settings);
  return {
    key: "compression",
    handlers(value) {
      const handler = value === undefined ? global : compressResponses(value as CompressionConfig, settings);
      return handler === undefined ? [] : [handler];
    },
  };
}

function compressResponses(config: CompressionConfig, global: CompressionSettings): RequestHandler | undefined {
  if (config === false) return undefined;
  const { filter, threshold, ...options }: CompressionOptions = config === true ? {} : config;
  return makeCompression({
    ...options,
    ...(threshold === undefined ? {} : { threshold: toBytes(threshold) }),
    // A request may have continued to a route with another compression, or none.
    filter(request, response) {
      const match = matchOf(request);
      const isWanted = match === undefined || (match.route?.config.compression ?? global) === config;
      return isWanted && (filter ?? isCompressible)(request, response);
    },
    onEnd: recordEnd,
  });
}

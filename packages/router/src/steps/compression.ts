import { toBytes } from "@servicekit/body-reader";
import { isCompressible, makeCompression } from "@servicekit/compression";
import type { RequestHandler } from "express";
import { noteEnd } from "../answer-ended.js";
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
  const { filter, threshold, ...options }: CompressionOptions = config === true ? {} : config;
  return makeCompression({
    ...options,
    ...(threshold === undefined ? {} : { threshold: toBytes(threshold) }),
    // A request whose URL was rewritten may have got to a route that wants plain bytes after all.
    filter: (request, response) =>
      matchOf(request)?.route?.config.compression !== false && (filter ?? isCompressible)(request, response),
    onEnd: noteEnd,
  });
}

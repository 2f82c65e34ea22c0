import type { ErrorRequestHandler, RequestHandler } from "express";

/** A part of a service that takes part in its requests, or is let go of at its end. */
export interface Feature {
  /** Before all other handlers. */
  readonly handlers?: readonly RequestHandler[];
  /** As soon as it is known which route a request will reach, its body read. */
  readonly matched?: readonly RequestHandler[];
  /** With whole paths, after the built-in routers. */
  readonly routers?: readonly RequestHandler[];
  /** Before the error handlers of the application. */
  readonly errorHandlers?: readonly ErrorRequestHandler[];
  readonly release?: () => unknown;
}

/** Several parts as one. */
export interface Features extends Required<Feature> {
  readonly release: () => Promise<unknown>[];
}

/** Several as one, each part in their order; one that cannot be let go of keeps none of the others. */
export function joinFeatures(features: readonly Feature[]): Features {
  return {
    handlers: features.flatMap((feature) => feature.handlers ?? []),
    matched: features.flatMap((feature) => feature.matched ?? []),
    routers: features.flatMap((feature) => feature.routers ?? []),
    errorHandlers: features.flatMap((feature) => feature.errorHandlers ?? []),
    release: () => features.map(async (feature) => feature.release?.()),
  };
}

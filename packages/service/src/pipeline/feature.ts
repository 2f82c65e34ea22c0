import type { ErrorRequestHandler, RequestHandler } from "express";

/** A part of a service with request handlers, or with resources that are released at its end. */
export interface Feature {
  /** Before all other handlers. */
  readonly handlers?: readonly RequestHandler[];
  /** As soon as the route of a request is known and its body is read. */
  readonly matched?: readonly RequestHandler[];
  /** With full paths, after the built-in routers. */
  readonly routers?: readonly RequestHandler[];
  /** Before the error handlers of the application. */
  readonly errorHandlers?: readonly ErrorRequestHandler[];
  readonly release?: () => unknown;
}

/** Several parts as one. */
export interface Features extends Required<Feature> {
  readonly release: () => Promise<unknown>[];
}

/** Combines several, each part in order; one that fails to close does not prevent the others. */
export function joinFeatures(features: readonly Feature[]): Features {
  return {
    handlers: features.flatMap((feature) => feature.handlers ?? []),
    matched: features.flatMap((feature) => feature.matched ?? []),
    routers: features.flatMap((feature) => feature.routers ?? []),
    errorHandlers: features.flatMap((feature) => feature.errorHandlers ?? []),
    release: () => features.map(async (feature) => feature.release?.()),
  };
}

import type { ErrorRequestHandler, RequestHandler } from "express";
import type { PlainRouter, Usable } from "./service-config.js";

/** The three kinds of values in `use`; each has its own position (contract C54). */
export interface Used {
  readonly handlers: readonly RequestHandler[];
  readonly routers: readonly RequestHandler[];
  readonly errorHandlers: readonly ErrorRequestHandler[];
}

/** Sorts the values of `use` by kind, in order. */
export function sortUsed(used: readonly Usable[]): Used {
  const isErrorHandler = (item: Usable): boolean => !isRouter(item) && (item as RequestHandler).length === 4;
  return {
    handlers: used.filter((item) => !isRouter(item) && !isErrorHandler(item)) as RequestHandler[],
    routers: used.filter(isRouter).map((item) => toHandler(item as RequestHandler | PlainRouter)),
    errorHandlers: used.filter(isErrorHandler) as ErrorRequestHandler[],
  };
}

/** Routers and Express applications are functions with a `handle`; a plain router is an object with one. */
export function isRouter(item: Usable): boolean {
  return "handle" in item && typeof item.handle === "function";
}

/** A plain object with a `handle` is a router too. */
export function toHandler(router: RequestHandler | PlainRouter): RequestHandler {
  if (typeof router === "function") return router;
  return (request, response, next) => router.handle(request, response, next);
}

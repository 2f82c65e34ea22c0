import type { NextFunction, Request, Response } from "express";

/** A handler of a declared route: its request carries what the path and the schemas say. */
export type TypedHandler<Params, Query, Body> = (
  request: Request<Params, unknown, Body, Query>,
  response: Response,
  next: NextFunction,
) => unknown;

/**
 * Any handler written for Express at large, such as `cors()`. Two signatures that cannot be joined keep this type out
 * of the typing of arrow functions, so that those get their types from {@link TypedHandler} alone.
 */
export interface PlainHandler {
  // biome-ignore lint/suspicious/noExplicitAny: a handler that knows no route must fit every route.
  <_Unused>(request: Request<any, any, any, any>, response: Response<any>, next: NextFunction): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  (request: Request<any, any, any, any>, response: Response<any>, next: NextFunction): unknown;
}

/** What may follow a declaration. */
export type RouteHandler<Params, Query, Body> =
  | TypedHandler<Params, Query, Body>
  | PlainHandler
  | readonly (TypedHandler<Params, Query, Body> | PlainHandler)[];

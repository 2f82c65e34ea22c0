import type { NextFunction, Request, Response } from "express";

/** A handler of a declared route: its request has the types of the path and the schemas. */
export type TypedHandler<Params, Query, Body> = (
  request: Request<Params, unknown, Body, Query>,
  response: Response,
  next: NextFunction,
) => unknown;

/**
 * Any Express handler, such as `cors()`. Two incompatible signatures exclude this type from contextual typing, so that
 * arrow functions get their types from {@link TypedHandler}.
 */
export interface ExpressHandler {
  // biome-ignore lint/suspicious/noExplicitAny: a handler without a particular route must fit every route.
  <_Unused>(request: Request<any, any, any, any>, response: Response<any>, next: NextFunction): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  (request: Request<any, any, any, any>, response: Response<any>, next: NextFunction): unknown;
}

/** The arguments after a declaration. */
export type RouteHandler<Params, Query, Body> =
  | TypedHandler<Params, Query, Body>
  | ExpressHandler
  | readonly (TypedHandler<Params, Query, Body> | ExpressHandler)[];

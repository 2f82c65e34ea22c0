import type { StartFault } from "@servicekit/core";
import type { RequestHandler } from "express";
import { type DeclaredRoute, declaredValue } from "../declaration/declared-route.js";
import type { DocumentedError, DocumentObject } from "../declaration/route-documentation.js";

/** One declaration key made into middleware. */
export interface RouteStep {
  /** The key that it serves, such as `rateLimit` or `experimental.uploads`. */
  readonly key: string;
  /**
   * Called once for each route, and once with neither value nor route for requests that reach no declared route.
   *
   * @param value what the route declares; `undefined` stands for the global setting
   */
  handlers(value: unknown, route: DeclaredRoute | undefined): readonly RequestHandler[];
  /** Faults of a declared route that only this step can see; called at start. */
  check?(value: unknown, route: DeclaredRoute): readonly StartFault[];
  /** Faults of a plain route of a `ServiceRouter`, which declares nothing; `where` names it. */
  checkPlain?(where: string): readonly StartFault[];
  /** The errors that its handlers can answer on a route, for the API documentation (contract C47). */
  errors?(value: unknown, route: DeclaredRoute): readonly DocumentedError[];
  /** The OpenAPI parameter objects of the headers that its handlers read on a route (contract C47). */
  parameters?(value: unknown, route: DeclaredRoute): readonly DocumentObject[];
}

/** The errors that a list of steps can answer on a route. */
export function stepErrors(steps: readonly RouteStep[], route: DeclaredRoute): readonly DocumentedError[] {
  return steps.flatMap((step) => step.errors?.(declaredValue(route.config, step.key), route) ?? []);
}

/** The parameters that a list of steps reads on a route. */
export function stepParameters(steps: readonly RouteStep[], route: DeclaredRoute): readonly DocumentObject[] {
  return steps.flatMap((step) => step.parameters?.(declaredValue(route.config, step.key), route) ?? []);
}

/** The handlers that a list of steps makes for a route, in order. */
export function stepHandlers(steps: readonly RouteStep[], route: DeclaredRoute | undefined): readonly RequestHandler[] {
  return steps.flatMap((step) => step.handlers(route && declaredValue(route.config, step.key), route));
}

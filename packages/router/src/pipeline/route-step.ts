import type { StartupIssue } from "@servicekit/core";
import type { RequestHandler } from "express";
import { type DeclaredRoute, declaredValue } from "../declaration/declared-route.js";
import type { DocumentedError, DocumentObject } from "../declaration/route-documentation.js";

/** One declaration key as middleware. */
export interface RouteStep {
  /** The key that it serves, such as `rateLimit` or `experimental.uploads`. */
  readonly key: string;
  /**
   * Called once per route, and once without value and route for requests that match no declared route.
   *
   * @param value the declared value; `undefined` for the global setting
   */
  handlers(value: unknown, route: DeclaredRoute | undefined): readonly RequestHandler[];
  /** Issues of a declared route that only this step can find; called at startup. */
  check?(value: unknown, route: DeclaredRoute): readonly StartupIssue[];
  /** Issues of a plain route of a `ServiceRouter`, which has no declaration; `where` is its name. */
  checkPlain?(where: string): readonly StartupIssue[];
  /** The errors that its handlers can return on a route, for the API documentation (contract C47). */
  errors?(value: unknown, route: DeclaredRoute): readonly DocumentedError[];
  /** The OpenAPI parameter objects of the headers that its handlers read on a route (contract C47). */
  parameters?(value: unknown, route: DeclaredRoute): readonly DocumentObject[];
}

/** The errors that a list of steps can return on a route. */
export function stepErrors(steps: readonly RouteStep[], route: DeclaredRoute): readonly DocumentedError[] {
  return steps.flatMap((step) => step.errors?.(declaredValue(route.config, step.key), route) ?? []);
}

/** The parameters that a list of steps reads on a route. */
export function stepParameters(steps: readonly RouteStep[], route: DeclaredRoute): readonly DocumentObject[] {
  return steps.flatMap((step) => step.parameters?.(declaredValue(route.config, step.key), route) ?? []);
}

/** The handlers of a list of steps for a route, in order. */
export function stepHandlers(steps: readonly RouteStep[], route: DeclaredRoute | undefined): readonly RequestHandler[] {
  return steps.flatMap((step) => step.handlers(route && declaredValue(route.config, step.key), route));
}

import type { RequestHandler } from "express";
import type { DeclaredRoute } from "../declaration/declared-route.js";
import { type RouteStep, stepHandlers } from "../pipeline/route-step.js";
import { makeBodyParserStep } from "../steps/body-parser.js";
import { checkAccept } from "../steps/check-accept.js";
import { makeCompressionStep } from "../steps/compression.js";
import { makeQueryParserStep } from "../steps/query-parser.js";
import { makeRateLimitStep } from "../steps/rate-limit.js";
import { makeValidationStep } from "../steps/validation.js";

/**
 * The steps of this package for routers in an application without `bindRoutes`: without its global compression and rate
 * limit, which belong to the application.
 */
export function makeDefaultSteps(): readonly RouteStep[] {
  return [
    makeCompressionStep(false),
    makeRateLimitStep(false),
    makeBodyParserStep(),
    makeQueryParserStep(),
    makeValidationStep(),
  ];
}

/** All steps of this package for one route in plain Express. */
export function makeStandaloneSteps(route: DeclaredRoute): readonly RequestHandler[] {
  return [...checkAccept(route), ...stepHandlers(makeDefaultSteps(), route)];
}

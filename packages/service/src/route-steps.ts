import { makeBodyParserStep, makeQueryParserStep, makeValidationStep, type RouteStep } from "@servicekit/router";
import type { ServiceSettings } from "./settings.js";

/** The steps that run once for each request, before any route, with what the matched route declares (design order). */
export function globalSteps(settings: ServiceSettings): readonly RouteStep[] {
  return [
    makeBodyParserStep({ limit: settings.jsonLimit }),
    makeQueryParserStep({ ...settings.queryParser, limits: settings.modelRouter.query }),
  ];
}

/** The steps that run on entering a declared route, before its own handlers. */
export function routeSteps(): readonly RouteStep[] {
  return [makeValidationStep()];
}

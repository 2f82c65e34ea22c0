import { parseQuery, type QueryParserOptions } from "@servicekit/query-parser";
import type { RequestHandler } from "express";
import type { QueryParserConfig } from "../declaration/query-parser.js";
import { matchState, type ReadQuery } from "../pipeline/request-match.js";
import type { RouteStep } from "../pipeline/route-step.js";
import { setQuery } from "../request/request-query.js";
import { expectedOfSchema } from "../validation/expected-of-schema.js";

/** The global query parser: options, Express's own, or a handler in its place. */
export type QueryParserSettings = QueryParserOptions | false | RequestHandler;

/** Reverts the parsing for another route: Express's query remains. */
const leaveQuery: RequestHandler = (request, _response, next) => {
  const state = matchState(request);
  if (state?.queryReader !== undefined) {
    state.queryReader = undefined;
    Reflect.deleteProperty(request, "query");
  }
  next();
};

/**
 * The step of `queryParser`: `request.query` in the syntax of contract C18 to C20. A route's value replaces the global
 * one: unset switches have the specification's default, not the global value; the limits apply to all. The route's
 * schema takes precedence over the switches (contract C63).
 */
export function makeQueryParserStep(settings: QueryParserSettings = {}): RouteStep {
  return {
    key: "queryParser",
    handlers(value, route) {
      if (value === undefined && typeof settings === "function") return [settings];
      const base = typeof settings === "function" ? {} : settings;
      const declared = value as QueryParserConfig | false | undefined;
      if (declared === false) return [leaveQuery];
      if (declared === undefined && base === false) return [];
      const { limits } = base || {};
      const options: QueryParserOptions = declared === undefined ? base || {} : { ...declared, limits };
      const readQuery: ReadQuery = (request, expected) => {
        const start = request.url?.indexOf("?") ?? -1;
        return start === -1 ? {} : parseQuery(request.url?.slice(start + 1) ?? "", options, expected);
      };
      const expected = expectedOfSchema(route?.config.validation?.query);
      return [
        function parseRequestQuery(request, _response, next) {
          const state = matchState(request);
          if (state !== undefined) state.queryReader = { readQuery, route };
          setQuery(request, readQuery(request, expected));
          next();
        },
      ];
    },
  };
}

import { parseQuery, type QueryParserOptions } from "@servicekit/query-parser";
import type { RequestHandler } from "express";
import type { QueryParserConfig } from "../declaration/query-parser.js";
import { setQuery } from "../request-query.js";
import type { RouteStep } from "../route-step.js";

/** The global query parser: options, Express's own, or a handler in its place. */
export type QueryParserSettings = QueryParserOptions | false | RequestHandler;

/**
 * The step of `queryParser`: `request.query` in the syntax of contract C18 to C20. A route's value replaces the global one: what
 * it leaves out is the specification's default, not the global switch; the limits hold for all.
 */
export function makeQueryParserStep(settings: QueryParserSettings = {}): RouteStep {
  return {
    key: "queryParser",
    handlers(value) {
      if (value === undefined && typeof settings === "function") return [settings];
      const base = typeof settings === "function" ? {} : settings;
      const declared = value as QueryParserConfig | false | undefined;
      if (declared === false || (declared === undefined && base === false)) return [];
      const { limits } = base || {};
      const options: QueryParserOptions = declared === undefined ? base || {} : { ...declared, limits };
      return [
        function parseRequestQuery(request, _response, next) {
          const start = request.url.indexOf("?");
          setQuery(request, start === -1 ? {} : parseQuery(request.url.slice(start + 1), options));
          next();
        },
      ];
    },
  };
}

import type { QueryParserOptions } from "./options.js";
import { parseQuery } from "./parse-query.js";
import type { ParsedQuery } from "./parsed-query.js";
import { checkUrlBytes, fillLimits } from "./query-limits.js";

/** The part of a request that the middleware needs; Express's type fits. */
export interface RequestWithUrl {
  url?: string | undefined;
}

/** A middleware for Express, without a dependency on it. */
export type QueryParserMiddleware = (
  request: RequestWithUrl,
  response: unknown,
  next: (error?: unknown) => void,
) => void;

/**
 * Creates a middleware that parses each request's query with `parseQuery` and sets it as `request.query`: an own
 * property, because Express 5 has a getter there. An error is passed to `next` as an `HttpError`. The limit `urlBytes`
 * applies to the complete URL.
 *
 * @example
 * app.use(queryParser({ parseNumber: false }));
 */
export function queryParser(options: QueryParserOptions = {}): QueryParserMiddleware {
  const limits = fillLimits(options.limits);
  return (request, _response, next) => {
    let value: ParsedQuery;
    try {
      const url = request.url ?? "";
      checkUrlBytes(url, limits);
      const start = url.indexOf("?");
      value = parseQuery(start === -1 ? "" : url.slice(start + 1), options);
    } catch (error) {
      next(error);
      return;
    }
    Object.defineProperty(request, "query", { value, writable: true, enumerable: true, configurable: true });
    next();
  };
}

/**
 * Creates a function for Express's setting "query parser". Express calls it at each access of `request.query`, so an
 * error is thrown at the first access.
 *
 * @example
 * app.set("query parser", makeQueryParserFunction());
 */
export function makeQueryParserFunction(options: QueryParserOptions = {}): (query: string | null) => ParsedQuery {
  return (query) => parseQuery(query ?? "", options);
}

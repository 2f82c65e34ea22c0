import type { QueryParserOptions } from "./options.js";
import { parseQuery } from "./parse-query.js";
import type { ParsedQuery } from "./parsed-query.js";
import { checkUrlBytes, fillLimits } from "./query-limits.js";

/** As much of a request as the middleware needs: Express's own fits. */
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
 * Makes a middleware that parses each request's query with `parseQuery` and gives it as `request.query`: an own
 * property, since Express 5 has a getter there. A fault goes to `next` as an `HttpError`; the limit `urlBytes` holds for
 * the whole URL.
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
 * Makes a function for Express's setting "query parser". Express calls it at each access of `request.query`, so a
 * fault is thrown where the query is read first.
 *
 * @example
 * app.set("query parser", makeQueryParserFunction());
 */
export function makeQueryParserFunction(options: QueryParserOptions = {}): (query: string | null) => ParsedQuery {
  return (query) => parseQuery(query ?? "", options);
}

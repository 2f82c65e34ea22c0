import type { RequestHandler } from "express";
import type { DeclaredRoute } from "../declaration/declared-route.js";
import { type RateLimitConfig, readRateLimit } from "../declaration/rate-limit.js";
import { matchState } from "../pipeline/request-match.js";
import type { RouteStep } from "../pipeline/route-step.js";
import type { RateLimitStore } from "../rate-limits/fallback-store.js";
import { makeRateLimiter, type RateLimiterOptions } from "../rate-limits/rate-limiter.js";

/** The global rate limit, and the store of the routes' limits. */
export interface RateLimitSettings extends Omit<RateLimiterOptions, "store"> {
  /** A synonym of `limit`. */
  readonly max?: number;
  /**
   * Creates the store of one limit: of the global one (`"global"`) or of a route. The scope separates them in a shared
   * store. @default the memory of this process
   */
  readonly makeStore?: (scope: string) => RateLimitStore;
}

/**
 * The step of `rateLimit`: a route's limit, with its own window and a counter for each mount path of its router,
 * replaces the global one, as does the limiter of its origin. The default global limit is that of contract C43; `false`
 * disables it.
 */
export function makeRateLimitStep(settings: RateLimitSettings | false | RequestHandler = {}): RouteStep {
  const shared = typeof settings === "function" || settings === false ? {} : settings;
  const { makeStore, max, ...others } = shared;
  const options = max === undefined ? others : { ...others, limit: max };
  const { keyOf, skip, onStoreError } = options;
  const common = { ...(keyOf && { keyOf }), ...(skip && { skip }), ...(onStoreError && { onStoreError }) };
  const storeOf = (scope: string) => (makeStore === undefined ? {} : { store: makeStore(scope) });
  const own = new WeakMap<DeclaredRoute, Map<string, RequestHandler>>();

  const makeGlobal = (): RequestHandler | undefined => {
    if (settings === false) return undefined;
    if (typeof settings === "function") return settings;
    return makeRateLimiter({ ...options, ...storeOf("global") });
  };
  const global = makeGlobal();

  return {
    key: "rateLimit",
    handlers(value, route) {
      if (value === undefined || route === undefined) {
        const limiter = route?.origin.rateLimit ?? global;
        return limiter === undefined ? [] : [limiter];
      }
      const limits = readRateLimit(value as RateLimitConfig);
      // One counter for each path of a route, however often its steps are created.
      const limiters = own.get(route) ?? new Map<string, RequestHandler>();
      own.set(route, limiters);
      return [
        function limitRoute(request, response, next) {
          const path = matchState(request)?.match.template ?? route.path;
          let limiter = limiters.get(path);
          if (limiter === undefined) {
            limiter = makeRateLimiter({ ...common, ...limits, ...storeOf(scopeOf(route, path)) });
            limiters.set(path, limiter);
          }
          return limiter(request, response, next);
        },
      ];
    },
  };
}

function scopeOf({ method, origin }: DeclaredRoute, path: string): string {
  return `${method} ${path} ${origin.place}`;
}

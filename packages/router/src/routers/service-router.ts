import { isPlainObject } from "@servicekit/core/internal";
import { type IRouter, type IRouterMatcher, type RequestHandler, Router, type RouterOptions } from "express";
import { callerPlace } from "../declaration/declaration-place.js";
import { type RouteMethod, routeMethods } from "../declaration/declared-route.js";
import type { ParamsOf } from "../declaration/params-of.js";
import type { RouteConfig } from "../declaration/route-config.js";
import type { RouteHandler } from "../declaration/route-handler.js";
import { notePlace, recordRoute, recordUse, startRecord } from "../table/express-layers.js";
import { withPattern } from "../table/express-pattern.js";
import { noteRouter } from "../table/unmounted-routers.js";
import type { OutputOf, Schema } from "../validation/schema.js";
import { checkHandlers } from "./check-handlers.js";
import { declareRoute } from "./declare-route.js";

type Declared = Schema | false | undefined;

// Omitted before intersecting: an intersection of two schema types takes seconds of compile time in a large
// application.
type OtherKeys = Omit<RouteConfig, "path" | "validation">;

/** A declaration whose path and schemas are known at compile time. */
export type RouteDeclaration<Path extends string, Body, Query, Params> = OtherKeys & {
  readonly path: Path;
  readonly validation?: { readonly body?: Body; readonly query?: Query; readonly params?: Params };
};

/** `request.params` of a declared route: the output of the schema, or the types of the path. */
type ParamsFor<Path extends string, Params> = Params extends Schema ? OutputOf<Params> : ParamsOf<Path>;

/** A verb of {@link ServiceRouter}: Express's own forms, and a declaration in place of the path. */
export type DeclaringVerb<Router> = IRouterMatcher<Router> & Declaring<Router>;

// The last overload, so that compile errors about a wrong declaration refer to declarations.
type Declaring<Router> = <
  const Path extends string,
  Body extends Declared = undefined,
  Query extends Declared = undefined,
  Params extends Declared = undefined,
>(
  declaration: RouteDeclaration<Path, Body, Query, Params>,
  ...handlers: RouteHandler<ParamsFor<Path, Params>, OutputOf<Query>, OutputOf<Body>>[]
) => Router;

/** Express's router, whose verbs also take a declaration. */
export interface ServiceRouter extends IRouter {
  get: DeclaringVerb<this>;
  post: DeclaringVerb<this>;
  put: DeclaringVerb<this>;
  patch: DeclaringVerb<this>;
  delete: DeclaringVerb<this>;
}

/** Creates a router, with or without `new`, like `express.Router`. */
export interface ServiceRouterConstructor {
  (options?: RouterOptions): ServiceRouter;
  new (options?: RouterOptions): ServiceRouter;
  readonly prototype: ServiceRouter;
}

type Methods = Record<RouteMethod | "use" | "route", (this: unknown, ...args: unknown[]) => unknown>;

const expressPrototype = Router.prototype as unknown as Methods;

function makeServiceRouter(options?: RouterOptions): ServiceRouter {
  const router: ServiceRouter = Reflect.construct(Router, [options], makeServiceRouter);
  startRecord(router);
  return router;
}

/**
 * Express's router whose verbs also take a declaration as the first argument. Express dispatches. The router records what is
 * registered on it, for the route table.
 *
 * @example
 * const router = ServiceRouter();
 * router.get({ path: "/users/:id" }, (request, response) => response.json({ id: request.params.id }));
 */
export const ServiceRouter = makeServiceRouter as unknown as ServiceRouterConstructor;

/** A configuration after the path is the likely mistake: a declaration contains its path. */
function checkPlainRoute(method: RouteMethod, path: unknown, handlers: readonly unknown[], place: string): void {
  const name = `${method.toUpperCase()} ${String(path)} (${place})`;
  if (isPlainObject(handlers[0])) {
    const declaration = `${method}({ path: ${JSON.stringify(path)}, … }, handler)`;
    throw new TypeError(`${name}: found an object after the path. Declare the path in the object: ${declaration}.`);
  }
  checkHandlers(handlers, name);
}

const prototype: Record<string, unknown> = Object.create(expressPrototype);
Object.defineProperty(makeServiceRouter, "prototype", { value: prototype });
Object.defineProperty(prototype, "constructor", {
  value: makeServiceRouter,
  writable: true,
  configurable: true,
});

prototype.use = function use(this: ServiceRouter, ...args: unknown[]): unknown {
  recordUse(this, args);
  return expressPrototype.use.apply(this, args);
};

prototype.route = function route(this: ServiceRouter, pattern: unknown): unknown {
  const made = expressPrototype.route.call(this, pattern);
  recordRoute(this, pattern);
  return made;
};

for (const method of routeMethods) {
  prototype[method] = function verb(this: IRouter, first: unknown, ...handlers: unknown[]) {
    if (typeof first !== "object" || first === null || Array.isArray(first) || first instanceof RegExp) {
      const place = callerPlace(verb);
      checkPlainRoute(method, first, handlers.flat(Number.POSITIVE_INFINITY), place);
      const plain = (): unknown => expressPrototype[method].call(this, first, ...handlers);
      const result = withPattern(first, `${method.toUpperCase()} ${String(first)}`, place, plain);
      notePlace(this, place);
      return result;
    }
    noteRouter(this);
    declareRoute(this, {
      method,
      config: first as RouteConfig,
      handlers: handlers as RequestHandler[],
      origin: { place: callerPlace(verb) },
    });
    return this;
  };
}

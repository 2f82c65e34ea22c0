import type { IncomingMessage, ServerResponse } from "node:http";
import { type IRouter, type IRouterMatcher, type RequestHandler, Router, type RouterOptions } from "express";
import { type RouteMethod, routeMethods } from "./declaration/declared-route.js";
import type { ParamsOf } from "./declaration/params-of.js";
import type { RouteConfig } from "./declaration/route-config.js";
import type { RouteHandler } from "./declaration/route-handler.js";
import { callerPlace } from "./declaration-place.js";
import { declareRoute } from "./declare-route.js";
import { candidateStack } from "./dispatch-candidates.js";
import { type LayeredRouter, markPlace, serviceRouterKey } from "./express-layers.js";
import { withPattern } from "./express-pattern.js";
import { requestPath } from "./request-path.js";
import { noteRouter } from "./unmounted-routers.js";
import type { OutputOf, Schema } from "./validation/schema.js";

type Declared = Schema | false | undefined;

// Left out before joining: an intersection of two schema types costs the compiler seconds in a large application.
type OtherKeys = Omit<RouteConfig, "path" | "validation">;

/** A declaration whose path and schemas are known while compiling. */
export type RouteDeclaration<Path extends string, Body, Query, Params> = OtherKeys & {
  readonly path: Path;
  readonly validation?: { readonly body?: Body; readonly query?: Query; readonly params?: Params };
};

/** `request.params` of a declared route: what the schema makes of them, or what the path says. */
type ParamsFor<Path extends string, Params> = Params extends Schema ? OutputOf<Params> : ParamsOf<Path>;

/** A verb of {@link ServiceRouter}: Express's own forms, and a declaration in place of the path. */
export type DeclaringVerb<Router> = IRouterMatcher<Router> & Declaring<Router>;

// Stands last, so that the compiler's complaint about a wrong declaration speaks of declarations.
type Declaring<Router> = <
  const Path extends string,
  Body extends Declared = undefined,
  Query extends Declared = undefined,
  Params extends Declared = undefined,
>(
  declaration: RouteDeclaration<Path, Body, Query, Params>,
  ...handlers: RouteHandler<ParamsFor<Path, Params>, OutputOf<Query>, OutputOf<Body>>[]
) => Router;

/** Express's router, whose verbs also take a declaration and whose dispatch costs the same with any number of routes. */
export interface ServiceRouter extends IRouter {
  get: DeclaringVerb<this>;
  post: DeclaringVerb<this>;
  put: DeclaringVerb<this>;
  patch: DeclaringVerb<this>;
  delete: DeclaringVerb<this>;
}

/** Makes a router, with or without `new`, like `express.Router`. */
export interface ServiceRouterConstructor {
  (options?: RouterOptions): ServiceRouter;
  new (options?: RouterOptions): ServiceRouter;
  readonly prototype: ServiceRouter;
}

type Dispatch = (
  this: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  done: (error?: unknown) => void,
) => void;

/** A router with fewer layers than this is scanned faster than it is looked up. */
const smallest = 8;

const expressPrototype = Router.prototype as unknown as { readonly handle: Dispatch } & Record<
  RouteMethod,
  (this: unknown, ...args: unknown[]) => unknown
>;

function makeServiceRouter(options?: RouterOptions): ServiceRouter {
  return Object.setPrototypeOf(Router(options), ServiceRouter.prototype) as ServiceRouter;
}

/**
 * Express's router whose verbs take a declaration as the first argument. Everything that works on an Express router
 * works on it: it dispatches by Express's own code, over those of its layers that can match.
 *
 * @example
 * const router = ServiceRouter();
 * router.get({ path: "/users/:id" }, (request, response) => response.json({ id: request.params.id }));
 */
export const ServiceRouter = makeServiceRouter as unknown as ServiceRouterConstructor;

const prototype: Record<string, unknown> = Object.create(expressPrototype);
Object.defineProperty(makeServiceRouter, "prototype", { value: prototype });
Object.defineProperty(prototype, serviceRouterKey, { value: true });
Object.defineProperty(prototype, "constructor", { value: makeServiceRouter, writable: true, configurable: true });

prototype.handle = function handle(
  this: LayeredRouter,
  request: IncomingMessage,
  response: ServerResponse,
  done: (error?: unknown) => void,
): void {
  const path = this.stack.length < smallest ? undefined : requestPath(request);
  if (path === undefined || !path.startsWith("/")) {
    expressPrototype.handle.call(this, request, response, done);
    return;
  }
  const view = Object.create(this);
  view.stack = candidateStack(this, request, path);
  expressPrototype.handle.call(view, request, response, done);
};

for (const method of routeMethods) {
  prototype[method] = function verb(this: IRouter, first: unknown, ...handlers: unknown[]) {
    if (typeof first !== "object" || first === null || Array.isArray(first) || first instanceof RegExp) {
      const place = callerPlace(verb);
      const plain = (): unknown => expressPrototype[method].call(this, first, ...handlers);
      const result = withPattern(first, `${method.toUpperCase()} ${String(first)}`, place, plain);
      const added = (this as unknown as LayeredRouter).stack.at(-1)?.route;
      if (added !== undefined) markPlace(added, place);
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

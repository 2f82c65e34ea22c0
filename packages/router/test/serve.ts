import type { Express } from "express";
import {
  bindRoutes,
  makeApp,
  makeBodyParserStep,
  makeErrorHandler,
  makeNotFound,
  makeQueryParserStep,
  makeValidationStep,
  type RouteStep,
} from "../src/index.js";

export interface Wiring {
  readonly global?: readonly RouteStep[];
  readonly route?: readonly RouteStep[];
  readonly servedElsewhere?: readonly string[];
  readonly maxUrlLength?: number;
  /** Runs between `match` and `afterUse`, as the handlers of `use` do. */
  readonly use?: (app: Express) => void;
  readonly log?: (error: unknown) => void;
}

/** An application wired as the umbrella wires its own, with the routes that `mount` adds. */
export function serve(mount: (app: Express) => void, wiring: Wiring = {}): Express {
  const { global = [makeBodyParserStep(), makeQueryParserStep()], route = [makeValidationStep()], use, log } = wiring;
  const app = makeApp();
  const { servedElsewhere = [], maxUrlLength } = wiring;
  const routes = bindRoutes(app, {
    global,
    route,
    servedElsewhere,
    ...(maxUrlLength === undefined ? {} : { maxUrlLength }),
  });
  app.use(routes.match);
  use?.(app);
  app.use(routes.afterUse);
  mount(app);
  app.use(makeNotFound(routes.table()));
  app.use(makeErrorHandler({ log: log ?? (() => undefined) }));
  routes.check();
  return app;
}

import type { Express } from "express";
import { enterApplication } from "../pipeline/request-match.js";
import { recordOf, recordRoute, recordUse, startRecord } from "../table/express-layers.js";

type Method = (...args: unknown[]) => unknown;

/**
 * Makes an application record what is mounted on it, as a `ServiceRouter` does, and mounts the handler that must precede
 * all others. It is mounted with the first other one, so that the settings of Express's router can be changed before.
 */
export function recordApplication(app: Express): void {
  const { use, route } = app as unknown as Readonly<Record<"use" | "route", Method>>;
  const start = (): void => {
    if (recordOf(app.router) !== undefined) return;
    startRecord(app.router);
    use.call(app, enterApplication(app));
  };
  const recorded: Record<"use" | "route", Method> = {
    use(...args) {
      start();
      recordUse(app.router, args);
      return use.apply(app, args);
    },
    // Express's verbs of an application call it.
    route(pattern) {
      start();
      const made = route.call(app, pattern);
      recordRoute(app.router, pattern);
      return made;
    },
  };
  Object.assign(app, recorded);
}

import type { Express } from "express";
import {
  type MountedRoutes,
  makeApp,
  makeBodyParserStep,
  makeQueryParserStep,
  makeValidationStep,
  mountRoutes,
} from "../src/index.js";

export type Wiring = Partial<Omit<MountedRoutes, "mount">>;

/** An application with the routes that `mount` adds. */
export function serve(mount: (app: Express) => void, wiring: Wiring = {}): Express {
  const app = makeApp();
  mountRoutes(app, {
    global: [makeBodyParserStep(), makeQueryParserStep()],
    route: [makeValidationStep()],
    log: () => undefined,
    ...wiring,
    mount,
  });
  return app;
}

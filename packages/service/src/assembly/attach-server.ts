import { serveApp } from "@servicekit/router/internal";
import { type FetchHandler, makeFetch } from "@servicekit/server";
import { inSequence, watchResponses, withinGate } from "@servicekit/server/internal";
import { warnOfServerTimeout } from "../config/request-time.js";
import { startSummary } from "../logging/start-summary.js";
import { reportMissingSwagger } from "../routers/open-docs.js";
import type { MountedService } from "./mount-routers.js";

/** A service after the fourth phase: the server passes its requests to the application. It does not listen yet. */
export interface ServedService extends MountedService {
  readonly fetch: FetchHandler;
}

/** Gives the server the application, and the application's own `configureServer` the server. */
export async function attachServer(service: MountedService): Promise<ServedService> {
  const { settings, logger, app, server, connections, state, routes, auth, shedding, url } = service;
  serveApp(server, app, inSequence(connections.running, shedding && withinGate(shedding.gate)));
  shedding?.watch(server);
  server.once("listening", () => {
    const isAuthenticated = auth?.router !== undefined;
    const summary = startSummary({ settings, table: routes.table(), isAuthenticated, url: url() });
    logger.info(summary, "listening");
    if (summary.documentation !== "off") void reportMissingSwagger(logger);
    // For "service dev".
    if (process.env.SERVICEKIT_DEV) process.send?.({ servicekit: "listening", ...summary });
  });
  watchResponses(server, connections.running, { bytesPerSecond: settings.bytesPerSecond });
  await settings.configureServer?.(server);
  warnOfServerTimeout(server, settings, logger);
  return { ...service, fetch: makeFetch(server, () => state.isStopping) };
}

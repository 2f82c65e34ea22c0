import type { Server } from "node:http";
import { isHttpError } from "@servicekit/core";
import { namesOf, whenMissing } from "@servicekit/core/internal";
import type { ServiceRouter } from "@servicekit/router";
import type { ErrorRequestHandler, RequestHandler } from "express";
import type { Registry } from "prom-client";
import { matchedRoute, type RouteOf } from "../route-of.js";
import type { MetricsSettings } from "../settings.js";
import { gaugeSources, type MetricSources } from "./gauge-sources.js";
import { joinFigures, type WorkerFigures } from "./join-figures.js";
import { makeRequestDurations } from "./request-durations.js";
import { makeMetricsRouter, makeMetricsServer } from "./serve-metrics.js";

/** The figures of an application (contract C69). */
export interface Metrics {
  /** Measures requests; to be the first of all handlers. */
  readonly handlers: readonly RequestHandler[];
  /** Counts what limits refuse; to be the first of the error handlers. */
  readonly errorHandlers: readonly ErrorRequestHandler[];
  /** Counts a request that a limit refused before it reached the application, such as load shedding (contract C70). */
  readonly countRefusal: (code: string) => void;
  /** The route of `path`; none where the figures have a port of their own. */
  readonly routers: readonly ServiceRouter[];
  /** Serves the figures of `port`, and nothing else, where one is configured. It does not listen yet. */
  readonly server: Server | undefined;
  /** `Content-Type` of the text. */
  readonly contentType: string;
  /** All figures now, in the text format of Prometheus. */
  readonly text: () => Promise<string>;
  /** Ends the server. */
  readonly release: () => void;
}

/** What is measured besides requests, and how routes are called. */
export interface MetricsContext extends MetricSources {
  /** @default the route that `@servicekit/router` has matched */
  readonly routeOf?: RouteOf;
  /** The workers that serve with this process: the page has the figures of all of them (contract C78). */
  readonly workers?: MetricWorkers | undefined;
}

/** How workers tell each other their figures. */
export interface MetricWorkers {
  /** Takes what this one tells. */
  tell(text: () => Promise<string>): void;
  gather(): Promise<readonly WorkerFigures[]>;
}

const packages = { names: ["prom-client"], purpose: "Metrics" };

/**
 * Opens the figures of one application, in a registry of their own.
 *
 * @throws {StartError} when the library is not installed
 */
export async function openMetrics(settings: MetricsSettings, context: MetricsContext = {}): Promise<Metrics> {
  const { routeOf = matchedRoute, workers, ...sources } = context;
  const library = namesOf(await import("prom-client").catch(whenMissing("metrics", packages)));
  const register: Registry = new library.Registry();
  library.collectDefaultMetrics({ register });
  const durations = makeRequestDurations();
  const refused = new library.Counter({
    name: "http_requests_refused_total",
    help: "Requests that a limit refused, by the code of the answer.",
    labelNames: ["code"],
    registers: [register],
  });
  let running = 0;
  for (const { name, help, labelNames, read } of gaugeSources({ ...sources, running: () => running })) {
    new library.Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [register],
      collect() {
        for (const [labels, value] of read()) this.set(labels, value);
      },
    });
  }
  const measure: RequestHandler = (request, response, next) => {
    const started = performance.now();
    running++;
    response.once("close", () => {
      running--;
      const status = response.writableFinished ? response.statusCode : 499;
      durations.observe(
        request.method,
        routeOf(request) ?? "(no route)",
        status,
        (performance.now() - started) / 1_000,
      );
    });
    next();
  };
  const countRefusal = (code: string): void => refused.inc({ code });
  const countRefusals: ErrorRequestHandler = (error, _request, _response, next) => {
    if (isHttpError(error) && isRefusal(error.status)) countRefusal(error.code);
    next(error);
  };
  const ownText = async (): Promise<string> => `${await register.metrics()}\n${durations.text()}`;
  workers?.tell(ownText);
  const page = {
    contentType: register.contentType,
    text: workers === undefined ? ownText : async () => joinFigures(await workers.gather()),
  };
  const server = "port" in settings ? makeMetricsServer(page) : undefined;
  return {
    ...page,
    handlers: [measure],
    errorHandlers: [countRefusals],
    countRefusal,
    routers: "path" in settings ? [makeMetricsRouter(page, settings)] : [],
    server,
    release: () => {
      server?.close();
      server?.closeAllConnections();
    },
  };
}

const isRefusal = (status: number): boolean => status === 413 || status === 429 || status === 503;

import type { Server } from "node:http";
import { isHttpError } from "@servicekit/core";
import { namesOf, whenMissing } from "@servicekit/core/internal";
import type { ServiceRouter } from "@servicekit/router";
import type { ErrorRequestHandler, RequestHandler } from "express";
import type { Registry } from "prom-client";
import { matchedRoute, type RouteOf } from "../route-of.js";
import type { MetricsSettings } from "../settings.js";
import { gaugeSources, type MetricSources } from "./gauge-sources.js";
import { joinMetrics, type WorkerMetrics } from "./join-metrics.js";
import { makeRequestDurations } from "./request-durations.js";
import { makeMetricsRouter, makeMetricsServer } from "./serve-metrics.js";

/** The metrics of an application (contract C69). */
export interface Metrics {
  /** Measures requests. Must run before all other handlers. */
  readonly handlers: readonly RequestHandler[];
  /** Counts requests that a limit rejected. Must run before all other error handlers. */
  readonly errorHandlers: readonly ErrorRequestHandler[];
  /** Counts a request that was rejected before it reached the application, for example by load shedding (contract C70). */
  readonly countRejection: (code: string) => void;
  /** The route of `metrics.path`; empty if the metrics have their own port. */
  readonly routers: readonly ServiceRouter[];
  /** The server of `metrics.port`, not listening yet; `undefined` if no port is configured. */
  readonly server: Server | undefined;
  /** The `Content-Type` of `text`. */
  readonly contentType: string;
  /** Returns all metrics in the text format of Prometheus. */
  readonly text: () => Promise<string>;
  /** Closes the server. */
  readonly release: () => void;
}

/** Sources of gauges, and the options of request metrics. */
export interface MetricsContext extends MetricSources {
  /** Returns the value of the label `route` of a request. @default the route that `@servicekit/router` matched */
  readonly routeOf?: RouteOf;
  /** The worker processes of the service: the page contains the metrics of all of them (contract C78). */
  readonly workers?: MetricWorkers | undefined;
}

/** Exchanges metrics between the worker processes of a service. */
export interface MetricWorkers {
  /** Registers the function that returns the metrics of this worker. */
  report(text: () => Promise<string>): void;
  /** Returns the metrics of all workers. */
  gather(): Promise<readonly WorkerMetrics[]>;
}

const packages = { names: ["prom-client"], purpose: "Metrics" };

/**
 * Registers the metrics of one application in a new registry.
 *
 * @param settings the port or the path of the metrics
 * @param context sources of gauges, such as the connection pool
 * @throws {StartupError} if `prom-client` is not installed
 */
export async function openMetrics(settings: MetricsSettings, context: MetricsContext = {}): Promise<Metrics> {
  const { routeOf = matchedRoute, workers, ...sources } = context;
  const library = namesOf(await import("prom-client").catch(whenMissing("metrics", packages)));
  const register: Registry = new library.Registry();
  library.collectDefaultMetrics({ register });
  const durations = makeRequestDurations();
  const rejected = new library.Counter({
    name: "http_requests_refused_total",
    help: "Requests that a limit rejected, by error code.",
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
  const countRejection = (code: string): void => rejected.inc({ code });
  const countRejections: ErrorRequestHandler = (error, _request, _response, next) => {
    if (isHttpError(error) && isRejection(error.status)) countRejection(error.code);
    next(error);
  };
  const ownText = async (): Promise<string> => `${await register.metrics()}\n${durations.text()}`;
  workers?.report(ownText);
  const page = {
    contentType: register.contentType,
    text: workers === undefined ? ownText : async () => joinMetrics(await workers.gather()),
  };
  const server = "port" in settings ? makeMetricsServer(page) : undefined;
  return {
    ...page,
    handlers: [measure],
    errorHandlers: [countRejections],
    countRejection,
    routers: "path" in settings ? [makeMetricsRouter(page, settings)] : [],
    server,
    release: () => {
      server?.close();
      server?.closeAllConnections();
    },
  };
}

const isRejection = (status: number): boolean => status === 413 || status === 429 || status === 503;

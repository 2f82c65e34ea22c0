import type { Server } from "node:http";
import { isHttpError } from "@servicekit/core";
import { namesOf, whenMissing } from "@servicekit/core/internal";
import type { ServiceRouter } from "@servicekit/router";
import { recordedStatus } from "@servicekit/router/internal";
import type { ErrorRequestHandler, RequestHandler } from "express";
import type { Histogram, Registry } from "prom-client";
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
  /** Counts an attempt to deliver a message to a webhook, or a deactivated webhook (contract C112). */
  readonly countWebhook: (outcome: WebhookOutcome) => void;
  /** Measures an attempt of a job (contract C109). */
  readonly observeJob: (run: JobRun) => void;
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

/** The outcome of an attempt to deliver a message, or the end of a webhook. */
type WebhookOutcome = "delivered" | "failed" | "deactivated";

/** An attempt of a job. */
export interface JobRun {
  readonly queue: string;
  readonly outcome: "completed" | "retried" | "failed";
  readonly seconds: number;
}

/** Sources of gauges, and the options of request metrics. */
export interface MetricsContext extends MetricSources {
  /** Returns the value of the label `route` of a request. @default the route that `@servicekit/router` matched */
  readonly routeOf?: RouteOf;
  /** The worker processes of the service: the page contains the metrics of all of them (contract C78). */
  readonly workers?: MetricWorkers | undefined;
  /** Whether there are webhooks: their counters then start at 0. @default false */
  readonly hasWebhooks?: boolean;
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
  const { routeOf = matchedRoute, workers, hasWebhooks = false, ...sources } = context;
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
      async collect() {
        // A source that fails, such as an unavailable database, must not hide the other metrics.
        const values = await Promise.resolve(read()).catch(() => []);
        // Labels without a value now, also of a source that fails, must not show an old one.
        if (labelNames.length > 0) this.reset();
        for (const [labels, value] of values) this.set(labels, value);
      },
    });
  }
  const measure: RequestHandler = (request, response, next) => {
    const started = performance.now();
    running++;
    response.once("close", () => {
      running--;
      const status = response.writableFinished ? recordedStatus(response) : 499;
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
  const countWebhook = hasWebhooks ? webhookCounters(library, register) : () => undefined;
  let jobDurations: Histogram<"queue" | "outcome"> | undefined;
  const observeJob: Metrics["observeJob"] = ({ queue, outcome, seconds }) => {
    jobDurations ??= new library.Histogram({
      name: "job_duration_seconds",
      help: "Duration of attempts of jobs, by queue and outcome: completed, retried, failed.",
      labelNames: ["queue", "outcome"],
      buckets: [0.01, 0.1, 1, 10, 60, 600],
      registers: [register],
    });
    jobDurations.observe({ queue, outcome }, seconds);
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
    countWebhook,
    observeJob,
    routers: "path" in settings ? [makeMetricsRouter(page, settings)] : [],
    server,
    release: () => {
      server?.close();
      server?.closeAllConnections();
    },
  };
}

/** Counters that start at 0, so that their first increase is visible. */
function webhookCounters(
  { Counter }: Pick<typeof import("prom-client"), "Counter">,
  register: Registry,
): Metrics["countWebhook"] {
  const registers = [register];
  const deliveries = new Counter({
    name: "webhook_deliveries_total",
    help: "Attempts to deliver messages to webhooks, by outcome: delivered, failed.",
    labelNames: ["outcome"],
    registers,
  });
  for (const outcome of ["delivered", "failed"]) deliveries.inc({ outcome }, 0);
  const deactivated = new Counter({
    name: "webhooks_deactivated_total",
    help: "Webhooks that were deactivated because of their failures.",
    registers,
  });
  return (outcome) => {
    if (outcome === "deactivated") deactivated.inc();
    else deliveries.inc({ outcome });
  };
}

const isRejection = (status: number): boolean => status === 413 || status === 429 || status === 503;

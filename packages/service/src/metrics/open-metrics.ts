import { isHttpError, whenMissing } from "@servicekit/errors";
import { matchOf } from "@servicekit/router";
import type { ErrorRequestHandler, RequestHandler } from "express";
import type { Histogram, Registry } from "prom-client";
import { gaugeSources, type MetricSources } from "./gauge-sources.js";

/** The figures of a service (contract C69). */
export interface Metrics {
  /** Measures requests; the first of all handlers. */
  readonly measure: RequestHandler;
  /** Counts what limits refuse; the first of the error handlers. */
  readonly countRefusals: ErrorRequestHandler;
  /** `Content-Type` of the text. */
  readonly contentType: string;
  /** All figures now, in the text format of Prometheus. */
  readonly text: () => Promise<string>;
}

const packages = { names: ["prom-client"], purpose: "Metrics" };

/** Seconds; the last is the default of `timeouts.request`. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Methods that anybody can think of are one: each would be rows of its own for ever. */
const knownMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Opens the figures of one service, in a registry of its own.
 *
 * @throws {StartError} when the library is not installed
 */
export async function openMetrics(sources: MetricSources): Promise<Metrics> {
  const library = await import("prom-client").catch(whenMissing("metrics", packages));
  const register: Registry = new library.Registry();
  library.collectDefaultMetrics({ register });
  const durations = new library.Histogram({
    name: "http_request_duration_seconds",
    help: "How long requests took, from their headers to the end of the answer.",
    labelNames: ["method", "route", "status"],
    buckets,
    registers: [register],
  });
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
  const observe = keptSeries(durations);
  return {
    measure: function measure(request, response, next) {
      const started = performance.now();
      running++;
      response.once("close", () => {
        running--;
        const status = response.writableFinished ? response.statusCode : 499;
        observe(request.method, matchOf(request)?.template ?? "(no route)", status, performance.now() - started);
      });
      next();
    },
    countRefusals: (error, _request, _response, next) => {
      if (isHttpError(error) && isRefusal(error.status)) refused.inc({ code: error.code });
      next(error);
    },
    contentType: register.contentType,
    text: () => register.metrics(),
  };
}

const isRefusal = (status: number): boolean => status === 413 || status === 429 || status === 503;

/** Finds the series of a request without making its labels again. */
function keptSeries(durations: Histogram<"method" | "route" | "status">) {
  const kept = new Map<string, { observe(seconds: number): void }>();
  return (given: string, route: string, status: number, milliseconds: number): void => {
    const method = knownMethods.has(given) ? given : "other";
    const key = `${method} ${status} ${route}`;
    let series = kept.get(key);
    if (series === undefined) {
      series = durations.labels(method, route, String(status));
      kept.set(key, series);
    }
    series.observe(milliseconds / 1_000);
  };
}

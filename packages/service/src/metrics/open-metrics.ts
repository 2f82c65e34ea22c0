import { isHttpError, whenMissing } from "@servicekit/errors";
import { matchOf } from "@servicekit/router";
import type { ErrorRequestHandler, RequestHandler } from "express";
import type { Registry } from "prom-client";
import { gaugeSources, type MetricSources } from "./gauge-sources.js";
import { makeRequestDurations } from "./request-durations.js";

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

/**
 * Opens the figures of one service, in a registry of its own.
 *
 * @throws {StartError} when the library is not installed
 */
export async function openMetrics(sources: MetricSources): Promise<Metrics> {
  const library = await import("prom-client").catch(whenMissing("metrics", packages));
  const register: Registry = new library.Registry();
  library.collectDefaultMetrics({ register });
  const durations = makeRequestDurations();
  let overloadsTold = 0;
  const refused = new library.Counter({
    name: "http_requests_refused_total",
    help: "Requests that a limit refused, by the code of the answer.",
    labelNames: ["code"],
    registers: [register],
    collect() {
      const overloads = sources.overloads() - overloadsTold;
      overloadsTold += overloads;
      if (overloads > 0) this.inc({ code: "Overloaded" }, overloads);
    },
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
  return {
    measure: function measure(request, response, next) {
      const started = performance.now();
      running++;
      response.once("close", () => {
        running--;
        const status = response.writableFinished ? response.statusCode : 499;
        const route = matchOf(request)?.template ?? "(no route)";
        durations.observe(request.method, route, status, (performance.now() - started) / 1_000);
      });
      next();
    },
    countRefusals: (error, _request, _response, next) => {
      if (isHttpError(error) && isRefusal(error.status)) refused.inc({ code: error.code });
      next(error);
    },
    contentType: register.contentType,
    text: async () => `${await register.metrics()}\n${durations.text()}`,
  };
}

const isRefusal = (status: number): boolean => status === 413 || status === 429 || status === 503;

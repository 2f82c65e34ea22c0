import { isHttpError } from "@servicekit/core";
import type { RequestHandler } from "express";
import { matchedRoute, type RouteOf } from "../route-of.js";
import { describeStatement, type SpanForm } from "./describe-statement.js";
import { type PathOf, traceRequests } from "./trace-requests.js";

/** Runs a function inside a span, as a child of the request's span. */
export type Around = <Result>(name: string, run: () => Promise<Result>) => Promise<Result>;

/** Creates the spans of an application. */
export interface Tracing {
  /** Starts the span of a request; must be the first of all handlers. */
  readonly handlers: readonly RequestHandler[];
  /**
   * Restores its context after the body, which is read in the context of the connection. Must follow the body parsers.
   */
  readonly matched: readonly RequestHandler[];
  /** A span for a Redis command. Its keys are not recorded, because they may be tokens. */
  readonly aroundRedis: Around;
  /** A span for an SQL statement. Its values are not recorded. */
  readonly aroundStatement: Around;
  /** A span for an operation of a file storage. */
  readonly aroundStorage: Around;
  /** A span for sending an email. Its recipients are not recorded. */
  readonly aroundMail: <Result>(run: () => Promise<Result>) => Promise<Result>;
}

/** The names of requests and their tracer. */
export interface TracingOptions {
  /** The name of the tracer. @default "@servicekit/telemetry" */
  readonly name?: string;
  /** @default the route that `@servicekit/router` has matched */
  readonly routeOf?: RouteOf;
  /** The path of a request as a span may show it. @default the path as sent, without its query */
  readonly pathOf?: PathOf;
}

/** Where the OpenTelemetry API stores its registrations, for every copy and version of it. */
const registry = Symbol.for("opentelemetry.js.api.1");

/**
 * Creates the spans of an application (contract C69) if it has registered an OpenTelemetry SDK before. Without one,
 * nothing is loaded or wrapped: propagating a context costs an application about 5 %.
 */
export async function openTracing(options: TracingOptions = {}): Promise<Tracing | undefined> {
  if (!(registry in globalThis)) return undefined;
  const api = await import("@opentelemetry/api");
  const provider = api.trace.getTracerProvider();
  const { name = "@servicekit/telemetry", routeOf = matchedRoute, pathOf = plainPath } = options;
  const tracer =
    provider instanceof api.ProxyTracerProvider ? provider.getDelegateTracer(name) : provider.getTracer(name);
  if (tracer === undefined) return undefined;

  const inSpan = <Result>(span: SpanForm, run: () => Promise<Result>): Promise<Result> =>
    tracer.startActiveSpan(span.name, { kind: api.SpanKind.CLIENT, attributes: span.attributes }, async (open) => {
      try {
        return await run();
      } catch (error) {
        // Its message may contain data that only the service's log may contain.
        open.setAttribute("error.type", nameOf(error));
        open.setStatus({ code: api.SpanStatusCode.ERROR });
        throw error;
      } finally {
        open.end();
      }
    });
  const { begin, goOn } = traceRequests({ api, tracer, routeOf, pathOf });
  return Object.freeze<Tracing>({
    handlers: [begin],
    matched: [goOn],
    aroundRedis: (command, run) =>
      inSpan({ name: command, attributes: { "db.system.name": "redis", "db.operation.name": command } }, run),
    aroundStatement: (sql, run) => inSpan(describeStatement(sql), run),
    aroundStorage: (act, run) =>
      inSpan({ name: `storage ${act}`, attributes: { "servicekit.storage.operation": act } }, run),
    aroundMail: (run) => inSpan({ name: "send email", attributes: {} }, run),
  });
}

const plainPath: PathOf = (request) => request.originalUrl.split("?", 1)[0] ?? "/";

function nameOf(error: unknown): string {
  if (isHttpError(error)) return error.code;
  return error instanceof Error ? error.name : "Error";
}

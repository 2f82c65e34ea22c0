import { isHttpError } from "@servicekit/core";
import type { RequestHandler } from "express";
import { matchedRoute, type RouteOf } from "../route-of.js";
import { describeStatement, type SpanForm } from "./describe-statement.js";
import { type PathOf, traceRequests } from "./trace-requests.js";

/** Runs what is named with a span around it, below that of the request. */
export type Around = <Result>(name: string, run: () => Promise<Result>) => Promise<Result>;

/** What makes the spans of an application. */
export interface Tracing {
  /** Begins the span of a request; to be the first of all handlers. */
  readonly handlers: readonly RequestHandler[];
  /** Goes on in its context: a body is read in that of the connection. To stand after what reads bodies. */
  readonly matched: readonly RequestHandler[];
  /** Around a command to Redis. Its keys are not told: a token may be one. */
  readonly aroundRedis: Around;
  /** Around a statement of SQL. Its values are not told. */
  readonly aroundStatement: Around;
  /** Around an act of a storage of files. */
  readonly aroundStorage: Around;
  /** Around the sending of a mail. Its receivers are not told. */
  readonly aroundMail: <Result>(run: () => Promise<Result>) => Promise<Result>;
}

/** How requests and their tracer are called. */
export interface TracingOptions {
  /** The name of the tracer. @default "@servicekit/telemetry" */
  readonly name?: string;
  /** @default the route that `@servicekit/router` has matched */
  readonly routeOf?: RouteOf;
  /** The path of a request as a span may show it. @default as it came, without its query */
  readonly pathOf?: PathOf;
}

/** Where the API of OpenTelemetry keeps what is registered, in every copy and version of it. */
const registry = Symbol.for("opentelemetry.js.api.1");

/**
 * The spans of an application (contract C69), where it has registered an OpenTelemetry SDK before. Without one
 * nothing is loaded and nothing is put around anything: carrying a context from call to call costs an application a twentieth.
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
        // Its message may quote what nobody but the log of the service may see.
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
    aroundMail: (run) => inSpan({ name: "send mail", attributes: {} }, run),
  });
}

const plainPath: PathOf = (request) => request.originalUrl.split("?", 1)[0] ?? "/";

function nameOf(error: unknown): string {
  if (isHttpError(error)) return error.code;
  return error instanceof Error ? error.name : "Error";
}

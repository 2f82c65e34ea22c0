import type { Span, Tracer } from "@opentelemetry/api";
import { callerOf } from "@servicekit/router";
import { matchOf, recordedStatus } from "@servicekit/router/internal";
import type { Request, RequestHandler, Response } from "express";
import type { RouteOf } from "../route-of.js";
import { setTrace } from "./request-trace.js";

/** The path of a request as a span may show it. */
export type PathOf = (request: Request) => string;

/** The settings for the spans of requests. */
export interface RequestTracer {
  readonly api: typeof import("@opentelemetry/api");
  readonly tracer: Tracer;
  readonly routeOf: RouteOf;
  readonly pathOf: PathOf;
}

/** The two handlers that trace requests. */
export interface RequestTracing {
  /** Starts the span of a request; the first of all handlers. */
  readonly begin: RequestHandler;
  /** Restores the context of the span after the body, which was read in that of its connection. */
  readonly goOn: RequestHandler;
}

/**
 * Creates one span per request (contract C69), as part of the trace in `traceparent`. If another instrumentation has
 * started a span for the request, it is the parent.
 */
export function traceRequests(by: RequestTracer): RequestTracing {
  const { api, tracer } = by;
  const { context, propagation, SpanKind, trace } = api;
  const contexts = new WeakMap<Request, ReturnType<typeof context.active>>();
  return {
    begin: (request, response, next) => {
      // An ended one belongs to the startup of the service.
      const isInner = trace.getActiveSpan()?.isRecording() === true;
      const outer = isInner ? context.active() : propagation.extract(context.active(), request.headers);
      const span = tracer.startSpan(
        request.method,
        {
          kind: isInner ? SpanKind.INTERNAL : SpanKind.SERVER,
          attributes: { "http.request.method": request.method, "url.scheme": request.protocol },
        },
        outer,
      );
      const own = trace.setSpan(outer, span);
      contexts.set(request, own);
      setTrace(request, {
        id: span.spanContext().traceId,
        headers: () => {
          const headers: Record<string, string> = {};
          propagation.inject(own, headers);
          return headers;
        },
      });
      response.once("close", () => finish(by, span, request, response));
      context.with(own, next);
    },
    goOn: (request, _response, next) => {
      const own = contexts.get(request);
      if (own === undefined) next();
      else context.with(own, next);
    },
  };
}

function finish({ api, routeOf, pathOf }: RequestTracer, span: Span, request: Request, response: Response): void {
  const template = routeOf(request);
  const origin = matchOf(request)?.route?.origin;
  const status = recordedStatus(response);
  span.updateName(template === undefined ? request.method : `${request.method} ${template}`);
  span.setAttributes({
    "url.path": pathOf(request),
    "http.response.status_code": status,
    "servicekit.caller": callerKind(request),
    ...given("servicekit.request_id", (request as { readonly id?: unknown }).id),
    ...given("http.route", template),
    ...given("servicekit.model", origin?.model),
    ...given("servicekit.operation", origin?.operation),
  });
  const isCut = !response.writableFinished;
  if (isCut || status >= 500) {
    span.setAttribute(
      "error.type",
      isCut ? "ConnectionClosed" : (process.getBuiltinModule("node:http").STATUS_CODES[status] ?? String(status)),
    );
    span.setStatus({ code: api.SpanStatusCode.ERROR });
  }
  span.end();
}

const given = (name: string, value: unknown) => (typeof value === "string" ? { [name]: value } : {});

function callerKind(request: Request): "anonymous" | "user" | "superuser" {
  const caller = callerOf(request);
  if (caller === undefined) return "anonymous";
  return caller.isSuperUser ? "superuser" : "user";
}

import { STATUS_CODES } from "node:http";
import type { Span } from "@opentelemetry/api";
import { callerOf, matchOf } from "@servicekit/router";
import type { Request, RequestHandler, Response } from "express";
import { loggedPath } from "../logging/logged-path.js";
import type { Tracing } from "./open-tracing.js";
import { setTrace } from "./request-trace.js";

/** The two handlers that trace requests. */
export interface RequestTracing {
  /** Begins the span of a request; the first of all handlers. */
  readonly begin: RequestHandler;
  /** Goes on in the context of the span: a body was read in that of its connection. */
  readonly goOn: RequestHandler;
}

/**
 * One span for each request (contract C69), part of the trace that `traceparent` names. Where another instrumentation has
 * begun one for the request, it is the child of that.
 */
export function traceRequests({ api, tracer }: Tracing): RequestTracing {
  const { context, propagation, SpanKind, trace } = api;
  const contexts = new WeakMap<Request, ReturnType<typeof context.active>>();
  return {
    begin: (request, response, next) => {
      // One that has ended is that of the start of the service.
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
      response.once("close", () => finish(span, request, response, api));
      context.with(own, next);
    },
    goOn: (request, _response, next) => {
      const own = contexts.get(request);
      if (own === undefined) next();
      else context.with(own, next);
    },
  };
}

function finish(span: Span, request: Request, response: Response, { SpanStatusCode }: Tracing["api"]): void {
  const { route, template } = matchOf(request) ?? {};
  const { statusCode: status } = response;
  span.updateName(template === undefined ? request.method : `${request.method} ${template}`);
  span.setAttributes({
    "url.path": loggedPath(request),
    "http.response.status_code": status,
    "servicekit.caller": callerKind(request),
    "servicekit.request_id": request.id,
    ...given("http.route", template),
    ...given("servicekit.model", route?.origin.model),
    ...given("servicekit.operation", route?.origin.operation),
  });
  const isCut = !response.writableFinished;
  if (isCut || status >= 500) {
    span.setAttribute("error.type", isCut ? "ConnectionClosed" : (STATUS_CODES[status] ?? String(status)));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

const given = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value });

function callerKind(request: Request): "anonymous" | "user" | "superuser" {
  const caller = callerOf(request);
  if (caller === undefined) return "anonymous";
  return caller.isSuperUser ? "superuser" : "user";
}

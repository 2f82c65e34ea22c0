import type { IncomingMessage } from "node:http";

/** The trace of a request. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** The headers that add another service's work to the trace. */
  readonly headers: () => Readonly<Record<string, string>>;
}

const traceKey = Symbol("servicekit.trace");

type Traced = IncomingMessage & { [traceKey]?: RequestTrace };

export function setTrace(request: IncomingMessage, trace: RequestTrace): void {
  (request as Traced)[traceKey] = trace;
}

/** The trace id of a request, for the log; `undefined` without a trace. */
export function traceIdOf(request: IncomingMessage): string | undefined {
  return (request as Traced)[traceKey]?.id ?? readTraceParent(request.headers.traceparent);
}

/**
 * Returns the headers `traceparent` and `tracestate` for a request to another service, so that its work becomes part of
 * this trace (contract C69; W3C Trace Context). Without an OpenTelemetry SDK, the client's headers are passed on if
 * they are valid.
 *
 * @example
 * await fetch(url, { headers: traceHeaders(request) });
 */
export function traceHeaders(request: IncomingMessage): Readonly<Record<string, string>> {
  const trace = (request as Traced)[traceKey];
  if (trace !== undefined) return trace.headers();
  const { traceparent, tracestate } = request.headers;
  if (typeof traceparent !== "string" || readTraceParent(traceparent) === undefined) return {};
  return { traceparent, ...(typeof tracestate === "string" ? { tracestate } : {}) };
}

const traceParent = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/** The trace id of a `traceparent`; `undefined` if it is invalid (W3C Trace Context, 3.2). */
export function readTraceParent(header: unknown): string | undefined {
  if (typeof header !== "string") return undefined;
  const [match, version = "", id = "", parent = "", more] = traceParent.exec(header) ?? [];
  const isKnown = version === "00" ? more === undefined : version !== "ff";
  return match !== undefined && isKnown && /[^0]/.test(id) && /[^0]/.test(parent) ? id : undefined;
}

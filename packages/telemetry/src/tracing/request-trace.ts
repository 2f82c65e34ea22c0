import type { IncomingMessage } from "node:http";

/** The trace that a request is part of. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** What another service is to be sent, so that its work becomes part of the trace. */
  readonly headers: () => Readonly<Record<string, string>>;
}

const traceKey = Symbol("servicekit.trace");

type Traced = IncomingMessage & { [traceKey]?: RequestTrace };

export function setTrace(request: IncomingMessage, trace: RequestTrace): void {
  (request as Traced)[traceKey] = trace;
}

/** The id of the trace that a request is part of, for the log; `undefined` where nobody has begun one. */
export function traceIdOf(request: IncomingMessage): string | undefined {
  return (request as Traced)[traceKey]?.id ?? readTraceParent(request.headers.traceparent);
}

/**
 * The headers `traceparent` and `tracestate` for a request to another service, so that its work becomes part of the trace of
 * this one (contract C69; W3C Trace Context). Without an OpenTelemetry SDK those that the client sent are handed on; none
 * where it sent none, or such as are not valid.
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

/** The id of the trace that a `traceparent` names; `undefined` for one that is not valid (W3C Trace Context, 3.2). */
export function readTraceParent(header: unknown): string | undefined {
  if (typeof header !== "string") return undefined;
  const [whole, version = "", id = "", parent = "", more] = traceParent.exec(header) ?? [];
  const isKnown = version === "00" ? more === undefined : version !== "ff";
  return whole !== undefined && isKnown && /[^0]/.test(id) && /[^0]/.test(parent) ? id : undefined;
}

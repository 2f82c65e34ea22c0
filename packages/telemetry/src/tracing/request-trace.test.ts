import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { readTraceParent, setTrace, traceHeaders, traceIdOf } from "./request-trace.js";

const id = "4bf92f3577b34da6a3ce929d0e0e4736";

it.each([
  [`00-${id}-00f067aa0ba902b7-01`, id],
  [`01-${id}-00f067aa0ba902b7-01-more`, id],
  [`00-${id}-00f067aa0ba902b7-01-more`, undefined],
  [`ff-${id}-00f067aa0ba902b7-01`, undefined],
  [`00-${id}-0000000000000000-01`, undefined],
  [`00-${id.toUpperCase()}-00f067aa0ba902b7-01`, undefined],
  ["", undefined],
  [undefined, undefined],
])("C69 reads the traceparent %s", (header, expected) => expect(readTraceParent(header)).toBe(expected));

const requestWith = (headers: object): IncomingMessage => ({ headers }) as IncomingMessage;
const traceparent = `00-${id}-00f067aa0ba902b7-01`;

it("C69 passes on the valid trace headers of a request without a span", () => {
  expect(traceHeaders(requestWith({ traceparent }))).toEqual({ traceparent });
  expect(traceHeaders(requestWith({ traceparent, tracestate: "a=1" }))).toEqual({ traceparent, tracestate: "a=1" });
  expect(traceIdOf(requestWith({ traceparent }))).toBe(id);
  for (const headers of [{}, { tracestate: "a=1" }, { traceparent: "nonsense", tracestate: "a=1" }]) {
    expect(traceHeaders(requestWith(headers))).toEqual({});
    expect(traceIdOf(requestWith(headers))).toBeUndefined();
  }
});

it("C69 passes on the span of a request instead of the client's headers", () => {
  const request = requestWith({ traceparent });
  setTrace(request, { id: "own", headers: () => ({ traceparent: "own" }) });
  expect([traceIdOf(request), traceHeaders(request)]).toEqual(["own", { traceparent: "own" }]);
});

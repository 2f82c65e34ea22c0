import { expect, it } from "vitest";
import { readTraceParent } from "./request-trace.js";

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

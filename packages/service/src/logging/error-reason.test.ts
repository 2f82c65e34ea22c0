import { expect, it } from "vitest";
import { errorReason } from "./error-reason.js";

it.each([
  [new Error("\nInvalid invocation:\n\nCan't reach the server\n"), "Can't reach the server"],
  [
    new AggregateError([new Error("connect ::1:5432"), new Error("connect 127.0.0.1:5432")], ""),
    "connect ::1:5432, connect 127.0.0.1:5432",
  ],
  [new Error("wrong postgresql://user:hush@host/name"), "wrong postgresql://***@host/name"],
  [new Error("Unavailable.", { cause: new Error("failed", { cause: new Error("refused") }) }), "refused"],
  [new Error("of the driver", { cause: { code: "08001" } }), "of the driver"],
  ["a text", "a text"],
])("the reason of an error is the last line of its first cause without secrets: %j", (error, expected) => {
  expect(errorReason(error)).toBe(expected);
});

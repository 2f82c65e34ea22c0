import { expect, it } from "vitest";
import { loggedError } from "./logged-error.js";

it("C42 has the class, the message, the stack and the other properties of an error, without secrets", () => {
  const error = Object.assign(new RangeError("rejected token=abc"), { status: 3, headers: { cookie: "a=b" } });
  const logged = loggedError(error) as RangeError;
  expect(logged).toMatchObject({ message: "rejected token=***", status: 3, headers: { cookie: "***" } });
  expect(logged.constructor).toBe(RangeError);
  expect(logged.stack).toMatch(/^RangeError: rejected token=\*\*\*\n\s+at /);
});

it("C42 is a copy without secrets of what is thrown besides errors", () => {
  expect(loggedError("rejected token=abc")).toBe("rejected token=***");
  expect(loggedError({ password: "x", status: 3 })).toEqual({ password: "***", status: 3 });
  expect(loggedError(undefined)).toBeUndefined();
});

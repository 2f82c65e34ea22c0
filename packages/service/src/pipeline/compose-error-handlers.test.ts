import type { ErrorRequestHandler } from "express";
import { expect, it } from "vitest";
import { composeErrorHandlers } from "./compose-error-handlers.js";

/** The errors that handlers get, and the one that is passed on at the end. */
async function run(handlers: readonly ErrorRequestHandler[], error: unknown): Promise<unknown[]> {
  const seen: unknown[] = [];
  const watched = handlers.map(
    (handler): ErrorRequestHandler =>
      (given, ...rest) => {
        seen.push(given);
        return handler(given, ...rest);
      },
  );
  await new Promise<void>((resolve) => {
    const next = (last: unknown): void => {
      seen.push(last);
      resolve();
    };
    composeErrorHandlers(watched)(error, {} as never, {} as never, next);
  });
  return seen;
}

it("gives each handler what the previous one has passed on, thrown or rejected with", async () => {
  const passes: ErrorRequestHandler = (_error, _request, _response, next) => next("passed");
  const passesNothing: ErrorRequestHandler = (_error, _request, _response, next) => next();
  const throws: ErrorRequestHandler = () => {
    throw "thrown";
  };
  const rejects: ErrorRequestHandler = () => Promise.reject("rejected");
  expect(await run([passesNothing, passes, throws, rejects], "first")).toEqual([
    "first",
    "first",
    "passed",
    "thrown",
    "rejected",
  ]);
  expect(await run([], "first")).toEqual(["first"]);
});

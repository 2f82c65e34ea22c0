import { expectTypeOf, it } from "vitest";
import { defineErrors, type ErrorFactory, type HttpError, isHttpError } from "../../src/index.js";
import { namesOf, withTimeLimit } from "../../src/internal.js";

it("types", () => {
  const errors = defineErrors({ OutOfStock: { status: 409, message: "x" } });
  expectTypeOf(errors).toEqualTypeOf<{ readonly OutOfStock: ErrorFactory }>();
  // @ts-expect-error unknown code
  errors.InStock;
  const value: unknown = undefined;
  if (isHttpError(value)) expectTypeOf(value).toEqualTypeOf<HttpError>();
});

it("a result within a time limit has the type of the promise", () => {
  const limited = (response: Promise<number>) => withTimeLimit(response, 10, () => new Error("late"));
  expectTypeOf(limited).returns.resolves.toEqualTypeOf<number>();
});

it("the exports of a package have their declared types", () => {
  const loaded = { createClient: (url: string) => url.length };
  expectTypeOf(namesOf(loaded)).toEqualTypeOf<typeof loaded>();
});

import { expectTypeOf, it } from "vitest";
import { defineErrors, type ErrorFactory, type HttpError, isHttpError } from "../../src/index.js";
import { namesOf, withTimeLimit } from "../../src/internal.js";

it("types", () => {
  const errors = defineErrors({ OutOfStock: { status: 409, message: "x" } });
  expectTypeOf(errors).toEqualTypeOf<{ readonly OutOfStock: ErrorFactory }>();
  // @ts-expect-error there is no such code
  errors.InStock;
  const value: unknown = undefined;
  if (isHttpError(value)) expectTypeOf(value).toEqualTypeOf<HttpError>();
});

it("F29 an answer within a time limit is what was answered", () => {
  const limited = (answer: Promise<number>) => withTimeLimit(answer, 10, () => new Error("late"));
  expectTypeOf(limited).returns.resolves.toEqualTypeOf<number>();
});

it("F29 the names of a package are those that it was loaded with", () => {
  const loaded = { createClient: (url: string) => url.length };
  expectTypeOf(namesOf(loaded)).toEqualTypeOf<typeof loaded>();
});

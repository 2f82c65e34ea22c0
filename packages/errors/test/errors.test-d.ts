import { expectTypeOf, it } from "vitest";
import { defineErrors, type ErrorFactory, type HttpError, isHttpError } from "../src/index.js";

it("types", () => {
  const errors = defineErrors({ OutOfStock: { status: 409, message: "x" } });
  expectTypeOf(errors).toEqualTypeOf<{ readonly OutOfStock: ErrorFactory }>();
  // @ts-expect-error there is no such code
  errors.InStock;
  const value: unknown = undefined;
  if (isHttpError(value)) expectTypeOf(value).toEqualTypeOf<HttpError>();
});

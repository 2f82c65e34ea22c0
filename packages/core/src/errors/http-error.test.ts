import { expect, it } from "vitest";
import { HttpError, maxErrors } from "./http-error.js";
import { toProblemBody } from "./problem-body.js";

const entry = (index: number) => ({ in: "query", path: `/f${index}`, code: "UnknownField", message: "?" }) as const;

it("C3 lists at most 100 errors, and reports that there are more", () => {
  const few = Array.from({ length: maxErrors }, (_, index) => entry(index));
  expect(new HttpError(400, "ValidationError", "Wrong", { errors: few })).toMatchObject({
    errors: few,
    message: "Wrong",
  });
  const many = Array.from({ length: 7_901 }, (_, index) => entry(index));
  const error = new HttpError(400, "ValidationError", "Wrong", { errors: many });
  expect(error.errors).toEqual(few);
  expect(error.message).toBe("Wrong (the first 100 errors are listed)");
});

it("C3 truncates the client's text in an error", () => {
  const long = "x".repeat(1_000_000);
  const errors = [{ in: "body", path: `/${long}`, code: "UnknownField", message: long }] as const;
  const body = toProblemBody(new HttpError(400, "ValidationError", long, { errors }), { instance: "/" });
  expect(JSON.stringify(body).length).toBeLessThan(5_000);
});

import { expect, it } from "vitest";
import { HttpError } from "./http-error.js";
import { withErrors } from "./with-errors.js";

it("changes the issues of an error and nothing else", () => {
  const issue = { in: "body", path: "/a", code: "InvalidType", message: "Expected a string." } as const;
  const headers = { "Retry-After": "1" };
  const cause = new Error("the cause");
  const error = new HttpError(409, "Conflict", "The message.", { errors: [issue], headers, cause });
  const other = { ...issue, path: "/b" };
  const changed = withErrors(error, [other]);
  expect(changed).toMatchObject({ status: 409, code: "Conflict", message: "The message.", headers, cause });
  expect(changed.errors).toEqual([other]);
  expect(withErrors(new HttpError(400, "BadRequest", "Wrong."), []).headers).toBeUndefined();
});

import { expect, it } from "vitest";
import { liftSecurity } from "./lift-security.js";

const signedIn = [{ bearer: [] }];
const operation = (id: string, security: readonly object[]) => ({ operationId: id, security });

it("F25 says what most operations ask of callers once, and leaves what others ask with them", () => {
  const paths = {
    "/a": { get: operation("a", []), post: operation("b", signedIn) },
    "/b": { get: operation("c", signedIn) },
  };
  expect(liftSecurity(paths)).toEqual(signedIn);
  expect(paths).toEqual({
    "/a": { get: operation("a", []), post: { operationId: "b" } },
    "/b": { get: { operationId: "c" } },
  });
});

it("says nothing of a document without operations", () => {
  expect(liftSecurity({})).toBeUndefined();
});

import { expect, it } from "vitest";
import { liftSecurity } from "./lift-security.js";

const signedIn = [{ bearer: [] }];
const operation = (path: string, security: readonly object[]) => ({ method: "get", path, security });

it("F25 writes the security requirement of most operations once, and leaves the others where they are", () => {
  const operations = [operation("/a", []), operation("/b", signedIn), operation("/c", signedIn)];
  expect(liftSecurity(operations)).toEqual({
    security: signedIn,
    operations: [operation("/a", []), { method: "get", path: "/b" }, { method: "get", path: "/c" }],
  });
});

it("gives a document without operations no security requirement", () => {
  expect(liftSecurity([]).security).toBeUndefined();
});

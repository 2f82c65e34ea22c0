import { expect, it } from "vitest";
import { liftSecurity } from "./lift-security.js";

const signedIn = [{ bearer: [] }];
const operation = (path: string, security: readonly object[]) => ({ method: "get", path, security });

it("writes the security requirement of most operations once, and leaves the others unchanged", () => {
  const operations = [operation("/a", []), operation("/b", signedIn), operation("/c", signedIn)];
  expect(liftSecurity(operations)).toEqual({
    security: signedIn,
    operations: [operation("/a", []), { method: "get", path: "/b" }, { method: "get", path: "/c" }],
  });
});

it("sets no security requirement in a document without operations", () => {
  expect(liftSecurity([]).security).toBeUndefined();
});

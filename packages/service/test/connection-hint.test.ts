import { expect, it } from "vitest";
import { connectionHint } from "../src/lifecycle/connection-hint.js";

const causedBy = (message: string): Error =>
  new Error("pool timeout", { cause: new Error("no connection", { cause: new Error(message) }) });

it.each([
  ["self-signed certificate in certificate chain", /is not trusted/],
  ["The server does not support SSL connections", /does not accept TLS/],
  [
    "(conn:1, no: 45044, SQLState: 08S01) RSA public key is not available client side.",
    /sslaccept=strict in DATABASE_URL/,
  ],
])("names the settings of a connection that fails with %s", (message, hint) => {
  expect(connectionHint(causedBy(message))).toMatch(hint);
});

it("has no hint for other failures", () => {
  expect(connectionHint(causedBy("connect ECONNREFUSED"))).toBeUndefined();
});

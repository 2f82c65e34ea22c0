import { afterAll, expect, inject, it } from "vitest";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { webhooks } from "./webhooks.js";

afterAll(dropDatabases);

/** For the case and, if it fails, for shrinking it. */
const timeout = 600_000;

it("C112 delivers the changes of each row to the endpoints that may receive them, in their order", {
  timeout,
}, async () => {
  const { message = 0 } = await checkCases(webhooks(inject("postgresUrl"), 40), "postgresql", 1);
  expect(message).toBeGreaterThan(0);
});

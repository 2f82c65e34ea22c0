import { afterAll, expect, inject, it } from "vitest";
import { drawn, slowShare } from "../../../../scripts/test/slow-share.js";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { sampleMs } from "./sample-time.js";
import { webhooks } from "./webhooks.js";

afterAll(dropDatabases);

const timeout = 7_200_000;

it("C112 delivers the changes of many rows to the endpoints that may receive them, in their order", {
  timeout,
}, async () => {
  const { message = 0 } = await checkCases(webhooks(inject("postgresUrl"), 60), "postgresql", drawn(60), sampleMs);
  if (slowShare >= 1) expect(message).toBeGreaterThan(0);
});

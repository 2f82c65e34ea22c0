import { afterAll, expect, inject, it } from "vitest";
import { providers } from "../../../../scripts/test/provider-database.js";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { responses } from "./responses.js";

afterAll(dropDatabases);

it.each(providers)("C128 responds without a server error to requests on every path on %s", async (provider) => {
  const counts = await checkCases(responses(inject("postgresUrl"), 60), provider, 4);
  expect(counts.read).toBeGreaterThan(0);
  expect(counts.written).toBeGreaterThan(0);
});

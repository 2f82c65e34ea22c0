import { afterAll, expect, inject, it } from "vitest";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { histories } from "./histories.js";

afterAll(dropDatabases);

it("C107 shows in a history what a read of the row in that state shows", { timeout: 600_000 }, async () => {
  const counts = await checkCases(histories(inject("postgresUrl"), 40), "postgresql", 3);
  expect(counts["state in a history"]).toBeGreaterThan(0);
});

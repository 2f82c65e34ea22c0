import { afterAll, expect, inject, it } from "vitest";
import { drawn } from "../../../../scripts/test/slow-share.js";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { histories } from "./histories.js";

afterAll(dropDatabases);

it("C107 shows in a history what a read of the row in that state shows", { timeout: 7_200_000 }, async () => {
  const counts = await checkCases(histories(inject("postgresUrl"), 60), "postgresql", drawn(60));
  expect(counts["state in a history"]).toBeGreaterThan(drawn(1000));
});

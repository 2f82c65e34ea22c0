import { afterAll, inject, it } from "vitest";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { replay } from "./replay.js";

afterAll(dropDatabases);

it("C128 replays the log, restores states and imports exports", { timeout: 3_600_000 }, async () => {
  await checkCases(replay(inject("postgresUrl"), 40), "postgresql", Number(process.env.CASES ?? 6));
});

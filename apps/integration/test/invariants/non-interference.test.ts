import { afterAll, inject, it } from "vitest";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { nonInterference } from "./non-interference.js";

afterAll(dropDatabases);

it("C128 gives a caller the same responses and streams, whatever it cannot list", { timeout: 3_600_000 }, async () => {
  await checkCases(nonInterference(inject("postgresUrl")), "postgresql", Number(process.env.CASES ?? 6));
});

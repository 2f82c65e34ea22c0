import { afterAll, inject, it } from "vitest";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { directWrites } from "./direct-writes.js";

afterAll(dropDatabases);

it("C128 changes by any path what the direct route changes", { timeout: 3_600_000 }, async () => {
  await checkCases(directWrites(inject("postgresUrl"), 40), "postgresql", Number(process.env.CASES ?? 6));
});

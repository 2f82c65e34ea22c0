import { afterAll, describe, expect, inject, it } from "vitest";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { pairs } from "./pairs.js";

afterAll(dropDatabases);

/** For the cases and, if one of them fails, for shrinking it. */
const timeout = 600_000;

describe("over drawn combinations of features", () => {
  it("C101 leaves the rows of one order after two concurrent writes", { timeout }, async () => {
    const { together = 0 } = await checkCases(pairs(inject("postgresUrl"), 40, 4), "postgresql", 2);
    expect(together).toBeGreaterThan(0);
  });
});

import { afterAll, expect, inject, it } from "vitest";
import { drawn } from "../../../../scripts/test/slow-share.js";
import { checkCases } from "./check-cases.js";
import { dropDatabases } from "./databases.js";
import { narrowest, sameOnDatabases } from "./same-on-databases.js";

afterAll(dropDatabases);

it("C113, C118, C119 gives the same responses and rows on PostgreSQL, SQLite and MySQL", {
  timeout: 7_200_000,
}, async () => {
  const { read = 0, written = 0 } = await checkCases(sameOnDatabases(inject("postgresUrl"), 80), narrowest, drawn(100));
  expect(read).toBeGreaterThan(drawn(500));
  expect(written).toBeGreaterThan(drawn(200));
});

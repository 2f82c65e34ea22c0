import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, inject, it } from "vitest";
import { checkCases } from "./check-cases.js";
import { differentFields } from "./common-models.js";
import { databaseDifferences } from "./database-differences.js";
import { dropDatabases } from "./databases.js";
import { readFixture } from "./fixtures.js";
import { narrowest, sameOnDatabases } from "./same-on-databases.js";

afterAll(dropDatabases);

it("C113, C118, C119 gives the same responses and rows on PostgreSQL, SQLite and MySQL", {
  timeout: 600_000,
}, async () => {
  const { read = 0, written = 0 } = await checkCases(sameOnDatabases(inject("postgresUrl"), 60), narrowest, 3);
  expect(Math.min(read, written)).toBeGreaterThan(0);
});

it.each(databaseDifferences)("C118 documents the difference: $name", ({ documented }) => {
  const guide = path.join(import.meta.dirname, "../../../../docs/guides/databases.md");
  expect(readFileSync(guide, "utf8")).toContain(documented);
});

it("C118 leaves out no field that the databases have alike", async () => {
  const { models } = await readFixture("postgresql");
  const others = await Promise.all(["sqlite", "mysql"].map((provider) => readFixture(provider as typeof narrowest)));
  const different = others.flatMap((other) => differentFields(models, other.models));
  const named = databaseDifferences.flatMap(({ fields = [], integers = [] }) => [...fields, ...integers]);
  expect([...new Set(different)].sort()).toEqual(named.sort());
});

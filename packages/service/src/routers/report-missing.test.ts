import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Database } from "@servicekit/prisma";
import { expect, it, onTestFinished } from "vitest";
import { reportMissing } from "./report-missing.js";

/** The report of a project with these migrations, of which the database has the first ones. */
async function report(tables: readonly string[], migrations: readonly string[], applied = 0): Promise<string> {
  const root = mkdtempSync(path.join(os.tmpdir(), "servicekit-missing-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of migrations) mkdirSync(path.join(root, "prisma/migrations", name), { recursive: true });
  if (migrations.length > 0) writeFileSync(path.join(root, "prisma/migrations/migration_lock.toml"), "");
  const names = new Set(migrations.slice(0, applied));
  return reportMissing(tables, { appliedMigrations: async () => names } as unknown as Database, root);
}
const numbered = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 10}`);

it("C41 names the pending migrations in order", async () => {
  expect(await report(["Note"], ["b", "a", "c"], 1)).toMatch(
    /^The database does not have Note: 2 migrations are pending: a, c\. Apply the migrations with /,
  );
  expect(await report(["Note"], ["a", "b"], 1)).toContain(": 1 migration is pending: b. ");
  expect(await report(["Note"], ["a"], 1)).toContain("does not have Note: a migration is missing. ");
  expect(await report(["Note"], [])).toContain("does not have Note: a migration is missing. ");
});

it("C41 lists ten names, and the number of the others", async () => {
  const [ten, eleven] = [numbered(10, "T"), numbered(11, "T")];
  expect(await report(ten, [])).toContain(`does not have ${ten.join(", ")}: `);
  expect(await report(eleven, numbered(13, "m"))).toContain(
    `does not have ${ten.join(", ")} and 1 more: 13 migrations are pending: ${numbered(10, "m").join(", ")} and 3 more. `,
  );
});

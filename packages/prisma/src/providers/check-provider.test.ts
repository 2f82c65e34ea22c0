import { expect, it } from "vitest";
import { providerIssue } from "./check-provider.js";

it.each(["sqlserver", "mongodb", "cockroachdb"])("C77 rejects %s in one line", (provider) => {
  expect(providerIssue(provider)).toBe(
    `servicekit supports PostgreSQL, MySQL, MariaDB and SQLite, and the datasource of the schema has the provider "${provider}".`,
  );
});

it.each(["postgresql", "postgres", "sqlite", "mysql", undefined])("C77 accepts %s", (provider) => {
  expect(providerIssue(provider)).toBeUndefined();
});

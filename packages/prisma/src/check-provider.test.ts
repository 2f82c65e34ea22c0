import { expect, it } from "vitest";
import { providerFault } from "./check-provider.js";

it.each(["sqlite", "mysql", "sqlserver", "mongodb", "cockroachdb"])("C77 F34 refuses %s in one line", (provider) => {
  expect(providerFault(provider)).toBe(
    `servicekit serves PostgreSQL only, and the datasource of the schema has the provider "${provider}": other databases are not supported.`,
  );
});

it.each(["postgresql", "postgres", undefined])("C77 F34 takes %s", (provider) => {
  expect(providerFault(provider)).toBeUndefined();
});

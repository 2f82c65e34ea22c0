import type { ConfigObject } from "@servicekit/config-loader";
import type { StartupIssue } from "@servicekit/core";
import { type Provider, readConnectionString, readProvider } from "@servicekit/prisma/internal";
import type { Environment } from "./environment.js";

/** The URLs of a provider. */
const urls = {
  postgresql: { example: "Expected a URL such as postgresql://user:password@localhost:5432/name." },
  sqlite: {
    pattern: /^file:$/,
    issue: "is not the URL of an SQLite file.",
    example: "Expected a URL such as file:./dev.db.",
  },
  mysql: {
    pattern: /^mysql:$/,
    issue: "is not a MySQL URL.",
    example: "Expected a URL such as mysql://user:password@localhost:3306/name.",
  },
} as const;

/** `DATABASE_URL` is required if `database.client` is a function, and must be one of the provider (contract C38). */
export function databaseUrlIssues({ database }: ConfigObject, { DATABASE_URL: url }: Environment): StartupIssue[] {
  if (typeof database !== "object" || database === null || !("client" in database)) return [];
  const provider = providerOf(database);
  const isReplicated = Array.isArray((database as { readonly replicas?: unknown }).replicas);
  if (isReplicated && (typeof database.client !== "function" || provider !== "postgresql")) {
    const message =
      "requires PostgreSQL, and a database.client that is a function: each replica has a client of its own.";
    return [{ where: "database.replicas", message }];
  }
  if (typeof database.client !== "function") return [];
  const { example } = urls[provider];
  const issue = (message: string): StartupIssue[] => [{ where: "the environment variable DATABASE_URL", message }];
  if (url === undefined || url.trim() === "") {
    return issue(`is missing: database.client is a function that takes an adapter made from it. ${example}`);
  }
  // The URL itself is not shown, because it contains a password.
  if (provider === "postgresql") {
    try {
      readConnectionString(url);
      return [];
    } catch (error) {
      return issue(`${(error as Error).message} ${example}`);
    }
  }
  const { pattern, issue: wrong } = urls[provider];
  return pattern.test(URL.canParse(url) ? new URL(url).protocol : "") ? [] : issue(`${wrong} ${example}`);
}

/** The provider of the models, before they are checked. */
function providerOf(database: object): Provider {
  const { models } = database as { readonly models?: { readonly provider?: string } | null };
  return readProvider(models?.provider) ?? "postgresql";
}

import type { ConfigObject } from "@servicekit/config-loader";
import type { StartupIssue } from "@servicekit/core";
import type { Environment } from "./environment.js";

const example = "Expected a URL such as postgresql://user:password@localhost:5432/name.";

/** `DATABASE_URL` is required if `database.client` is a function, and must be a PostgreSQL URL (contract C38). */
export function databaseUrlIssues({ database }: ConfigObject, { DATABASE_URL: url }: Environment): StartupIssue[] {
  if (typeof database !== "object" || database === null || !("client" in database)) return [];
  if (typeof database.client !== "function") return [];
  const issue = (message: string): StartupIssue[] => [{ where: "the environment variable DATABASE_URL", message }];
  if (url === undefined || url.trim() === "") {
    return issue(`is missing: database.client is a function that takes an adapter made from it. ${example}`);
  }
  // The URL itself is not shown, because it contains a password.
  return /^postgres(ql)?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")
    ? []
    : issue(`is not a PostgreSQL URL. ${example}`);
}

import type { StartupIssue } from "@servicekit/core";
import type { AuthConfig } from "./auth-config.js";

const loopback = /^(localhost|127(\.\d+){3}|\[::1\]|.+\.localhost)$/;

/** The issues that a schema cannot find: duplicate issuers, and issuers without TLS. */
export function findExternalIssues(
  { accounts, issuers = [], identify, jwt }: AuthConfig,
  { nodeEnv }: { readonly nodeEnv: string },
): StartupIssue[] {
  const issues: StartupIssue[] = [];
  if (accounts === false && issuers.length === 0 && identify === undefined) {
    const message = "is false, and neither issuers nor identify is set, so no caller can be authenticated.";
    issues.push({ where: "authentication.accounts", message });
  }
  const seen = new Set<string>();
  for (const [index, { issuer, jwksUri }] of issuers.entries()) {
    const where = `authentication.issuers[${index}]`;
    if (seen.has(issuer)) issues.push({ where: `${where}.issuer`, message: `${issuer} is listed twice.` });
    seen.add(issuer);
    if (issuer === jwt?.issuer)
      issues.push({
        where: `${where}.issuer`,
        message: "is the issuer of the service's own tokens (authentication.jwt.issuer).",
      });
    const open = [issuer, jwksUri].find((url) => url !== undefined && isOpen(url));
    if (open !== undefined && nodeEnv === "production")
      issues.push({
        where,
        message: `${open} is not read over TLS: an attacker on the network could replace the keys.`,
      });
  }
  return issues;
}

function isOpen(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !loopback.test(hostname);
}

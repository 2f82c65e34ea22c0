import type { StartFault } from "@servicekit/core";
import type { AuthConfig } from "./auth-config.js";

const loopback = /^(localhost|127(\.\d+){3}|\[::1\]|.+\.localhost)$/;

/** What a schema cannot see of callers that others name: issuers that are two, or that anybody on the way could play. */
export function findNamedFaults(
  { accounts, issuers = [], identify, jwt }: AuthConfig,
  { nodeEnv }: { readonly nodeEnv: string },
): StartFault[] {
  const faults: StartFault[] = [];
  if (accounts === false && issuers.length === 0 && identify === undefined) {
    const message = "is false, and neither issuers nor identify says who calls: nobody could sign in.";
    faults.push({ where: "authentication.accounts", message });
  }
  const seen = new Set<string>();
  for (const [index, { issuer, jwksUri }] of issuers.entries()) {
    const where = `authentication.issuers[${index}]`;
    if (seen.has(issuer)) faults.push({ where: `${where}.issuer`, message: `${issuer} stands in the list already.` });
    seen.add(issuer);
    if (issuer === jwt?.issuer)
      faults.push({ where: `${where}.issuer`, message: "is that of our own tokens (authentication.jwt.issuer)." });
    const open = [issuer, jwksUri].find((url) => url !== undefined && isOpen(url));
    if (open !== undefined && nodeEnv === "production")
      faults.push({ where, message: `${open} is read without TLS: whoever stands between could give out keys.` });
  }
  return faults;
}

function isOpen(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !loopback.test(hostname);
}

import dns from "node:dns";
import type { LookupFunction } from "node:net";
import type { AllowList } from "./allow-list.js";
import { addressIssue } from "./check-address.js";

/** The connection was not opened, because its address is not allowed. */
export class ForbiddenAddress extends Error {
  override readonly name = "ForbiddenAddress";
}

/**
 * Creates a lookup for `net.connect` that resolves names only to allowed addresses. The connection uses exactly these
 * addresses, so a name that resolves to another address later is rejected too.
 *
 * @param resolve `dns.lookup`, or a replacement with the same signature
 */
export function makeGuardedLookup(allow: AllowList, resolve: typeof dns.lookup = dns.lookup): LookupFunction {
  return (name, options, done) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      const issues = allow.hasHost(name) ? [] : addresses.flatMap(({ address }) => addressIssue(address, allow) ?? []);
      const [issue] = issues;
      if (issue !== undefined) return done(new ForbiddenAddress(`${name}: ${issue}.`), []);
      const [first] = addresses;
      if (options.all === true || first === undefined) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}

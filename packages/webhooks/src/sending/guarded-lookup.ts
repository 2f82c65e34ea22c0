import dns from "node:dns";
import type { LookupFunction } from "node:net";
import type { AllowList } from "./allow-list.js";
import { isAllowedAddress } from "./check-address.js";

/**
 * Creates a lookup for `net.connect` that resolves names only to allowed addresses. The connection uses exactly these
 * addresses, so a name that resolves to another address later is rejected too.
 *
 * @param onAddresses receives the addresses that the connection uses
 * @param resolve `dns.lookup`, or a replacement with the same signature
 */
export function makeGuardedLookup(
  allow: AllowList,
  onAddresses: (addresses: readonly string[]) => void,
  resolve: typeof dns.lookup = dns.lookup,
): LookupFunction {
  return (name, options, done) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(new Error(`${name} does not resolve`, { cause: error }), []);
      const texts = addresses.map(({ address }) => address);
      const forbidden = allow.hasHost(name) ? undefined : texts.find((address) => !isAllowedAddress(address, allow));
      if (forbidden !== undefined) return done(new Error(`${name} resolves to ${forbidden}`), []);
      onAddresses(texts);
      const [first] = addresses;
      if (options.all === true || first === undefined) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}

import { nearestWord } from "@servicekit/core/internal";
import { findMissingReads } from "./missing-reads.js";
import type { TenantConfig } from "./tenant-config.js";

/**
 * The same configuration, which logs when `of` returns `undefined` for a caller because it reads a field that the user does not
 * have: such a caller reaches no row. The start cannot check callers of other issuers.
 */
export function watchTenant(tenant: TenantConfig, warn: (message: string) => void): TenantConfig {
  const checked = new Set<string | undefined>();
  return {
    ...tenant,
    of(caller) {
      const value = tenant.of(caller);
      const { identifiedBy, user } = caller;
      if (value !== undefined || checked.has(identifiedBy)) return value;
      checked.add(identifiedBy);
      const { ofCaller, ofUser } = findMissingReads(tenant.of, caller);
      for (const name of ofCaller)
        report(
          `caller.${name}`,
          [`caller.user.${name}`].filter(() => name in user),
        );
      for (const name of ofUser) report(`caller.user.${name}`, Object.keys(user), name);
      return value;
    },
  };

  function report(read: string, known: readonly string[], name = read): void {
    const near = nearestWord(name, known);
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    warn(`tenant.of reads ${read}, which this caller does not have, so it reaches no row.${hint}`);
  }
}

import type { AccessControl } from "./access-control.js";

/** The built-in actions that change rows. */
const writes: ReadonlySet<string> = new Set(["Create", "Update", "Delete"]);

/**
 * Dynamic mode: a permission of one of the caller's stored roles has the resource and the action (contract C29).
 *
 * @param granting the resources whose rows grant permissions: only superusers write them, because a caller who writes
 * them could gain every permission. A rule in the configuration delegates it to callers with the stored permission
 * (contract C85).
 */
export function makeStoredRules(granting: ReadonlySet<string> = new Set()): AccessControl {
  return Object.freeze<AccessControl>({
    rule: ({ resource, action, rule }) => {
      if (granting.has(resource) && writes.has(action) && rule === undefined) return () => false;
      return ({ permissions }) =>
        permissions.some((permission) => permission.resource === resource && permission.action === action);
    },
    rightsOf: () => undefined,
    check: () => [],
  });
}

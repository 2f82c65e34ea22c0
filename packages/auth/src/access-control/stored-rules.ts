import type { AccessControl } from "./access-control.js";

/** Dynamic mode: a permission of one of the caller's stored roles names the resource and the action (contract C29). */
export const storedRules: AccessControl = Object.freeze<AccessControl>({
  rule:
    ({ resource, action }) =>
    ({ permissions }) =>
      permissions.some((permission) => permission.resource === resource && permission.action === action),
  rightsOf: () => undefined,
  check: () => [],
});

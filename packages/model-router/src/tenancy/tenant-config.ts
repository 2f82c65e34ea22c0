import type { Caller } from "@servicekit/router";

/** The tenants of a service: each row belongs to one, and callers only reach the rows of theirs (contract C100). */
export interface TenantConfig {
  /** The field that contains the tenant of a row, such as `organizationId`; the same in each model. */
  readonly field: string;
  /**
   * Returns the tenant of a caller, such as `(caller) => caller.user.organizationId`. A caller without one (`undefined`
   * or `null`) reaches no row.
   */
  readonly of: (caller: Caller) => unknown;
  /** The models without the field whose rows belong to no tenant, such as `Country`. @default none */
  readonly shared?: readonly string[];
}

import type { StartupIssue } from "@servicekit/core";
import type { AccessConfig, Caller, DeclaredRoute } from "@servicekit/router";
import type { Permission } from "../users/user-store.js";

/** The caller's access rights. */
export interface Rights {
  readonly caller: Caller;
  readonly permissions: readonly Permission[];
}

/** A kind of access control: static or dynamic (contract C29). */
export interface AccessControl {
  /** Creates, once per route, the check whether a caller has access. Superusers are not checked. */
  rule(access: AccessConfig): (rights: Rights) => boolean;
  /**
   * A key for the caller's access: callers with the same value have the same access; `undefined` if it is checked each
   * time.
   */
  rightsOf(caller: Caller): object | undefined;
  /** The issues of a declared route's rule. */
  check(access: AccessConfig, route: DeclaredRoute): readonly StartupIssue[];
}

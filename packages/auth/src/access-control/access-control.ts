import type { StartFault } from "@servicekit/core";
import type { AccessConfig, Caller, DeclaredRoute } from "@servicekit/router";
import type { Permission } from "../users/user-store.js";

/** Who asks: what is known of the caller's rights. */
export interface Rights {
  readonly caller: Caller;
  readonly permissions: readonly Permission[];
}

/** One kind of access control: static or dynamic (contract C29). */
export interface AccessControl {
  /** Makes, once for a route, the question whether a caller may. A superuser is not asked. */
  rule(access: AccessConfig): (rights: Rights) => boolean;
  /** What stands for all that a caller may: those with the same value may do the same; `undefined` where it is asked each time. */
  rightsOf(caller: Caller): object | undefined;
  /** What is wrong with a rule of a declared route. */
  check(access: AccessConfig, route: DeclaredRoute): readonly StartFault[];
}

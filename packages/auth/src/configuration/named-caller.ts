import type { Request } from "express";
import type { Permission } from "../users/user-store.js";

/** The caller of a request, as identified by another service or library. */
export interface NamedCaller {
  /** Who it is: the id that row rules and logs see, such as that of a row of yours. */
  readonly id: string | number | bigint;
  /** @default none */
  readonly roles?: readonly string[];
  /** Whether the caller passes every access check. @default false */
  readonly isSuperUser?: boolean;
  /** What the caller may do, in dynamic mode. @default nothing */
  readonly permissions?: readonly Permission[];
  /** What handlers find as `request.user`, and hooks and row rules as `callerOf(request).user`. @default {} */
  readonly user?: Readonly<Record<string, unknown>>;
}

/**
 * Identifies the caller of a request by a session of another library; `undefined` when there is none: then the other
 * credentials of the request are tried.
 */
export type Identify = (request: Request) => NamedCaller | undefined | Promise<NamedCaller | undefined>;

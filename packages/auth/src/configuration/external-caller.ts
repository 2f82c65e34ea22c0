import type { Request } from "express";
import type { Permission } from "../users/user-store.js";

/** The caller of a request, as identified by another service or library. */
export interface ExternalCaller {
  /** The id that row rules and logs use, such as that of a row of yours. */
  readonly id: string | number | bigint;
  /** @default none */
  readonly roles?: readonly string[];
  /** Whether the caller passes every access check. @default false */
  readonly isSuperUser?: boolean;
  /** The caller's permissions in dynamic mode. @default none */
  readonly permissions?: readonly Permission[];
  /** The value of `request.user` in handlers and of `callerOf(request).user` in hooks and row rules. @default {} */
  readonly user?: Readonly<Record<string, unknown>>;
}

/**
 * Identifies the caller of a request by a session of another library; `undefined` when there is none: then the other
 * credentials of the request are tried.
 */
export type Identify = (request: Request) => ExternalCaller | undefined | Promise<ExternalCaller | undefined>;

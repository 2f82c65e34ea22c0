import type { Operation } from "@servicekit/resource";
import type { AccessRule } from "@servicekit/router";
import type { Request } from "express";

/** A Prisma `where`. */
export type RowFilter = Readonly<Record<string, unknown>>;

/** Which rows a caller may reach: a filter, `true` for all of them, `false` for none (contract C30). */
export type RowRule = (request: Request) => RowFilter | boolean | Promise<RowFilter | boolean>;

/** Who may do an operation: `false` everyone, `true` who is signed in, a list the roles, an object these and a row rule. */
export type OperationAccess =
  | boolean
  | readonly string[]
  | { readonly rule?: boolean | readonly string[] | AccessRule; readonly where?: RowRule };

/** Who may do what with a model; an operation that is not named is for superusers only (contract C30). */
export interface ModelAuth extends Partial<Readonly<Record<Operation, OperationAccess>>> {
  /** The rows of every operation; an operation's own rule holds besides. */
  readonly where?: RowRule;
  /**
   * The fields and relations that a role sees and sets, by the role's name, `"*"` for everyone; those of all roles of a
   * caller add up. What no list of his names is hidden from him, the id too; a superuser sees all.
   */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
}

import type { StartFault } from "@servicekit/core";
import { findFaults } from "@servicekit/core/schema";
import type { Schema } from "@servicekit/router";
import type { OperationRights } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import { type AuthHookName, type AuthOperation, authModule } from "./module-kind.js";

/** Handlers of the auth module, by name: one or several. */
export type AuthHooks = Partial<Readonly<Record<AuthHookName, RequestHandler | readonly RequestHandler[]>>>;

/** Schemas of the auth module: each replaces the one of this package, and opens what it names (contract C27). */
export interface AuthSchemas {
  readonly login?: Schema;
  readonly signup?: Schema;
  readonly updateMe?: Schema;
  readonly updatePassword?: Schema;
}

/** Who may use the routes of authentication; what is not told stays open to everyone, or to every user. */
export type AuthRights = OperationRights<AuthOperation>;

/** What the module `auth` brings (contract C44). */
export interface AuthModule {
  readonly auth?: AuthRights | undefined;
  readonly hooks?: AuthHooks | undefined;
  readonly schemas?: AuthSchemas | undefined;
  /** Routes of its own, below `/auth`. */
  readonly router?: unknown;
}

/** The faults of what an auth module holds: unknown names with the nearest known one, and values of a wrong type. */
export function authModuleFaults(module: AuthModule): StartFault[] {
  return findFaults(module, authModule.schema, "models.auth");
}

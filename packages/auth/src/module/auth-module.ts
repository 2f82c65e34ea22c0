import type { StartupIssue } from "@servicekit/core";
import { findIssues } from "@servicekit/core/schema";
import type { Schema } from "@servicekit/router";
import type { OperationRights } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import { type AuthHookName, type AuthOperation, authModule } from "./module-kind.js";

/** Handlers of the auth module, by name: one or several. */
export type AuthHooks = Partial<Readonly<Record<AuthHookName, RequestHandler | readonly RequestHandler[]>>>;

/** Schemas of the auth module: each replaces the default, and allows the fields that it declares (contract C27). */
export interface AuthSchemas {
  readonly login?: Schema;
  readonly signup?: Schema;
  readonly updateMe?: Schema;
  readonly updatePassword?: Schema;
}

/** The access of the authentication routes; the default is everyone, or every user. */
export type AuthRights = OperationRights<AuthOperation>;

/** The contents of the module `auth` (contract C44). */
export interface AuthModule {
  readonly auth?: AuthRights | undefined;
  readonly hooks?: AuthHooks | undefined;
  readonly schemas?: AuthSchemas | undefined;
  /** Additional routes, below `/auth`. */
  readonly router?: unknown;
}

/** The issues of an auth module: unknown names with the nearest known one, and values of a wrong type. */
export function authModuleIssues(module: AuthModule): StartupIssue[] {
  return findIssues(module, authModule.schema, "models.auth");
}

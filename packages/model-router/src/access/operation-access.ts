import { type Operation, operations } from "@servicekit/resource";
import type { AccessRule, AuthenticationConfig } from "@servicekit/router";
import type { Request } from "express";
import type { ModelAuth, OperationAccess } from "../model-config/model-auth.js";

/** Who decides whether the caller of a request may act; given where authentication is on (contract C30). */
export interface ModelAccess {
  /** Whether a route with this `authentication` would let the caller pass. */
  allows(request: Request, access: AuthenticationConfig): boolean | Promise<boolean>;
}

/**
 * What the generated route of an operation declares under `authentication`: nothing said means an access check without a
 * rule, which only a superuser or a stored permission passes (contract C29, C30).
 *
 * @param resource the model's kebab-case name
 */
export function operationAccess(
  operation: Operation,
  resource: string,
  auth: ModelAuth | undefined,
): AuthenticationConfig {
  const { action } = operations[operation];
  const given = auth?.[operation];
  const rule = isRuled(given) ? given.rule : given;
  if (rule === undefined) return { resource, action };
  return typeof rule === "boolean" ? rule : { resource, action, rule: rule as readonly string[] | AccessRule };
}

type Ruled = Exclude<OperationAccess, boolean | readonly string[]>;

const isRuled = (given: OperationAccess | undefined): given is Ruled =>
  typeof given === "object" && !Array.isArray(given);

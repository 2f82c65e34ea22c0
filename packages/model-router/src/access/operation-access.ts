import { type AuthenticationConfig } from "@servicekit/router";
import { toAuthentication } from "@servicekit/router/internal";
import type { Request } from "express";
import type { ModelAuth } from "../model-config/model-auth.js";
import { ofOperation } from "../resource/of-operation.js";
import { type Operation, operations } from "../resource/operation.js";

/** Who decides whether the caller of a request may act; given where authentication is on (contract C30). */
export interface ModelAccess {
  /** Whether a route with this `authentication` would let the caller pass. */
  allows(request: Request, access: AuthenticationConfig): boolean | Promise<boolean>;
  /**
   * What stands for all that the caller may: requests with the same value are allowed the same, so that what follows from it is
   * found out once. `undefined` where it is asked each time.
   */
  rightsOf?(request: Request): object | undefined;
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
  return toAuthentication(ofOperation(auth, operation), { resource, action: operations[operation].action });
}

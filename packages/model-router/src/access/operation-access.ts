import { type AuthenticationConfig } from "@servicekit/router";
import { toAuthentication } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import type { ModelAuth } from "../model-config/model-auth.js";
import { accessOfOperation } from "../resource/config/of-operation.js";
import { actionOf, type Right } from "../resource/config/operation.js";

/** Decides whether the caller of a request has access; set if authentication is on (contract C30). */
export interface ModelAccess {
  /** Whether the caller has access to a route with this `authentication`. */
  allows(request: Request, access: AuthenticationConfig): boolean | Promise<boolean>;
  /**
   * A key for the caller's access: requests with the same value have the same access, so that derived results are
   * cached. `undefined` if access is checked each time.
   */
  rightsOf?(request: Request): object | undefined;
  /**
   * Authenticates the caller of an open request again, for responses that last long.
   *
   * @returns the request with its present caller
   * @throws {HttpError} 401 if the credential is no longer accepted, or is that of another caller
   */
  renew?(request: Request, response: Response): Promise<Request>;
}

/**
 * The `authentication` of an operation's generated route: without a configuration, it is an access check without a
 * rule, which only superusers and callers with the stored permission pass (contract C29, C30).
 *
 * @param resource the model's kebab-case name
 */
export function operationAccess(right: Right, resource: string, auth: ModelAuth | undefined): AuthenticationConfig {
  return toAuthentication(accessOfOperation(auth, right), { resource, action: actionOf(right) });
}

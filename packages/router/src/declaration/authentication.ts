import { z } from "zod";
import { type ShapeOf, text } from "./option-values.js";

/** The roles with access, in static mode; `"*"` means every role (contract C29). */
export interface AccessRule {
  readonly roles: readonly string[];
  readonly name?: string;
  readonly description?: string;
  readonly [description: string]: unknown;
}

/** The permission that a caller needs. */
export interface AccessConfig {
  /** The resource, such as `user`. */
  readonly resource: string;
  /** The action: `Create`, `View`, `Update`, `Delete`, or a custom one such as `Publish`. */
  readonly action: string;
  /** Used in static mode only; a plain list of roles is short for `{ roles }`. */
  readonly rule?: readonly string[] | AccessRule;
}

/** `true` requires a signed-in user, an object also a permission. */
export type AuthenticationConfig = boolean | AccessConfig;

/** {@link AuthenticationConfig}; `"optional"` admits everyone and authenticates callers with credentials. */
export type RouteAuthentication = AuthenticationConfig | "optional";

/** The requirements of a route for its callers. */
export function requiredAuthentication(declared: RouteAuthentication | undefined): AuthenticationConfig {
  return declared === undefined || declared === "optional" ? false : declared;
}

/** The object form of a rule. */
export function toAccessRule(rule: readonly string[] | AccessRule): AccessRule {
  return Array.isArray(rule) ? { roles: rule as readonly string[] } : (rule as AccessRule);
}

const roles = z.array(text).meta({ expected: "a list of roles" });

/** A list of roles, or an object with them and their description. */
export const accessRuleSchema = z.union([roles, z.looseObject({ roles }).meta({ expected: "an object with roles" })]);

const access: ShapeOf<AccessConfig> = { resource: text, action: text, rule: accessRuleSchema.optional() };

/** The schema of `authentication` of a route. */
export const authenticationSchema = z.union([
  z.boolean(),
  z.literal("optional"),
  z.strictObject(access).meta({ expected: "an object with resource and action" }),
]);

import { z } from "zod";
import { type ShapeOf, text } from "./option-values.js";

/** Which roles may, in static mode; `"*"` means every role (contract C29). */
export interface AccessRule {
  readonly roles: readonly string[];
  readonly name?: string;
  readonly description?: string;
  readonly [description: string]: unknown;
}

/** What a caller must be allowed to do. */
export interface AccessConfig {
  /** What is accessed, such as `user`. */
  readonly resource: string;
  /** What is done: `Create`, `View`, `Update`, `Delete`, or a word of your own such as `Publish`. */
  readonly action: string;
  /** Used in static mode only; a plain list of roles is short for `{ roles }`. */
  readonly rule?: readonly string[] | AccessRule;
}

/** `true` asks for a signed-in user, an object for the right to act besides. */
export type AuthenticationConfig = boolean | AccessConfig;

/** {@link AuthenticationConfig}; `"optional"` lets everyone in, and whoever shows who they are is the caller. */
export type RouteAuthentication = AuthenticationConfig | "optional";

/** What a route that declares this asks of its callers. */
export function requiredAuthentication(declared: RouteAuthentication | undefined): AuthenticationConfig {
  return declared === undefined || declared === "optional" ? false : declared;
}

/** The object form of a rule, whichever form was declared. */
export function toAccessRule(rule: readonly string[] | AccessRule): AccessRule {
  return Array.isArray(rule) ? { roles: rule as readonly string[] } : (rule as AccessRule);
}

const roles = z.array(text).meta({ expected: "a list of roles" });

/** A list of roles, or an object with them and what describes them. */
export const accessRuleSchema = z.union([roles, z.looseObject({ roles }).meta({ expected: "an object with roles" })]);

const access: ShapeOf<AccessConfig> = { resource: text, action: text, rule: accessRuleSchema.optional() };

/** The schema of `authentication` of a route. */
export const authenticationSchema = z.union([
  z.boolean(),
  z.literal("optional"),
  z.strictObject(access).meta({ expected: "an object with resource and action" }),
]);

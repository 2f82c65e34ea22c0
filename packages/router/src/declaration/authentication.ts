import { checkShape, isPlainObject, isText } from "./check-shape.js";

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

/** The object form of a rule, whichever form was declared. */
export function toAccessRule(rule: readonly string[] | AccessRule): AccessRule {
  return Array.isArray(rule) ? { roles: rule as readonly string[] } : (rule as AccessRule);
}

const isRoles = (value: unknown): boolean =>
  Array.isArray(value) && value.every((role) => typeof role === "string" && role !== "");

/** The faults of an `authentication` value, in words. */
export function checkAuthentication(value: unknown): string[] {
  if (typeof value === "boolean") return [];
  if (!isPlainObject(value)) return ["must be true, false or an object with resource and action."];
  const faults = checkShape(value, {
    resource: isText,
    action: isText,
    rule: {
      expected: "a list of roles or an object with roles",
      test: (rule) => isRoles(rule) || (isPlainObject(rule) && isRoles(rule.roles)),
    },
  });
  for (const key of ["resource", "action"]) if (value[key] === undefined) faults.push(`.${key} is missing.`);
  return faults;
}

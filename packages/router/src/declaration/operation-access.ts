import type { Request } from "express";
import { z } from "zod";
import { type AccessRule, type AuthenticationConfig, accessRuleSchema, toAccessRule } from "./authentication.js";
import { handler, text } from "./option-values.js";

/** A Prisma `where`. */
export type RowFilter = Readonly<Record<string, unknown>>;

/** The accessible rows: a filter, `true` for all, `false` for none (contract C30). */
export type RowRule = (request: Request) => RowFilter | boolean | Promise<RowFilter | boolean>;

/**
 * The access of an operation: `false` everyone, `true` signed-in users, a list of roles, or an object with one of these
 * as `rule`.
 */
export type OperationRight = boolean | readonly string[] | { readonly rule?: boolean | readonly string[] | AccessRule };

/** `OperationRight` of an operation on rows, which a row rule may narrow. */
export type OperationAccess = OperationRight | (Exclude<OperationRight, boolean | readonly string[]> & RowAccess);

interface RowAccess {
  readonly where?: RowRule;
}

/** The access by operation, without rows, under `auth`; unset operations have the default. */
export type OperationRights<Operation extends string> = Partial<Readonly<Record<Operation, OperationRight>>>;

/** The access by operation, with rows, under `auth`; unset operations have the default (contract C30). */
export type RowRights<Operation extends string> = Partial<Readonly<Record<Operation, OperationAccess>>> & {
  /** The rows of every operation, combined with an operation's own rule. */
  readonly where?: RowRule;
  /**
   * The visible and settable fields and relations by role name, `"*"` for everyone; those of all roles of a caller are
   * combined. A field in none of the caller's lists is hidden, including the id; a superuser sees all.
   */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
};

const rule = z.union([z.boolean(), accessRuleSchema]);
const where = handler.meta({ expected: "a function from the request to a filter, true or false" }).optional();

const right = z.union([
  z.boolean(),
  z.array(text).meta({ expected: "a list of roles" }),
  z.strictObject({ rule: rule.optional() }).meta({ expected: "an object with rule" }),
]);
const access = z.union([
  z.boolean(),
  z.array(text).meta({ expected: "a list of roles" }),
  z.strictObject({ rule: rule.optional(), where }).meta({ expected: "an object with rule and where" }),
]);

/** The schema of `auth` for operations without rows. */
export const operationRightsSchema = (operations: readonly string[]): z.ZodObject =>
  z.strictObject(Object.fromEntries(operations.map((name) => [name, right.optional()])));

/** The schema of `auth` for operations on rows. */
export const rowRightsSchema = (operations: readonly string[]): z.ZodObject =>
  z.strictObject({
    ...Object.fromEntries(operations.map((name) => [name, access.optional()])),
    where,
    fields: z.record(z.string(), z.array(z.string())).meta({ expected: "an object of field names by role" }).optional(),
  });

/**
 * The `authentication` of an operation's route.
 *
 * @param defaultAccess the default access @default the permission without a rule, which only superusers and callers with the
 * stored permission have (contract C29)
 */
export function toAuthentication(
  given: OperationRight | undefined,
  { resource, action }: { readonly resource: string; readonly action: string },
  defaultAccess: AuthenticationConfig = { resource, action },
): AuthenticationConfig {
  const rule = typeof given === "object" && "rule" in given ? given.rule : given;
  if (typeof rule === "boolean") return rule;
  if (rule === undefined || (!isList(rule) && !("roles" in rule))) return defaultAccess;
  return { resource, action, rule: toAccessRule(rule as readonly string[] | AccessRule) };
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

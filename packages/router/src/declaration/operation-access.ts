import type { Request } from "express";
import { z } from "zod";
import { type AccessRule, type AuthenticationConfig, accessRuleSchema, toAccessRule } from "./authentication.js";
import { handler, text } from "./option-values.js";

/** A Prisma `where`. */
export type RowFilter = Readonly<Record<string, unknown>>;

/** Which rows a caller may reach: a filter, `true` for all of them, `false` for none (contract C30). */
export type RowRule = (request: Request) => RowFilter | boolean | Promise<RowFilter | boolean>;

/** Who may do an operation: `false` everyone, `true` who is signed in, a list the roles, an object one of these as `rule`. */
export type OperationRight = boolean | readonly string[] | { readonly rule?: boolean | readonly string[] | AccessRule };

/** `OperationRight` of an operation on rows, which a row rule may narrow. */
export type OperationAccess = OperationRight | (Exclude<OperationRight, boolean | readonly string[]> & RowAccess);

interface RowAccess {
  readonly where?: RowRule;
}

/** Who may do what with something that has no rows, under `auth`; what is not told stays with the default. */
export type OperationRights<Operation extends string> = Partial<Readonly<Record<Operation, OperationRight>>>;

/** Who may do what with rows, under `auth`; what is not told stays with the default (contract C30). */
export type RowRights<Operation extends string> = Partial<Readonly<Record<Operation, OperationAccess>>> & {
  /** The rows of every operation; an operation's own rule holds besides. */
  readonly where?: RowRule;
  /**
   * The fields and relations that a role sees and sets, by the role's name, `"*"` for everyone; those of all roles of a
   * caller add up. What no list of his names is hidden from him, the id too; a superuser sees all.
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

/** The shape of `auth` for operations without rows. */
export const operationRightsSchema = (operations: readonly string[]): z.ZodObject =>
  z.strictObject(Object.fromEntries(operations.map((name) => [name, right.optional()])));

/** The shape of `auth` for operations on rows. */
export const rowRightsSchema = (operations: readonly string[]): z.ZodObject =>
  z.strictObject({
    ...Object.fromEntries(operations.map((name) => [name, access.optional()])),
    where,
    fields: z.record(z.string(), z.array(z.string())).meta({ expected: "an object of field names by role" }).optional(),
  });

/**
 * What a route declares under `authentication` for an operation.
 *
 * @param unsaid what holds where nobody says who may @default the right without a rule, which only a superuser or a stored
 * permission passes (contract C29)
 */
export function toAuthentication(
  given: OperationRight | undefined,
  { resource, action }: { readonly resource: string; readonly action: string },
  unsaid: AuthenticationConfig = { resource, action },
): AuthenticationConfig {
  const told = typeof given === "object" && "rule" in given ? given.rule : given;
  if (typeof told === "boolean") return told;
  if (told === undefined || (!isList(told) && !("roles" in told))) return unsaid;
  return { resource, action, rule: toAccessRule(told as readonly string[] | AccessRule) };
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

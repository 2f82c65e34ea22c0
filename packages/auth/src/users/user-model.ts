import { StartupError, type StartupIssue } from "@servicekit/core";
import { nearestWord } from "@servicekit/core/internal";
import { type Field, type Model, type Models, type RelationField, type StoredField } from "@servicekit/prisma";
import { capabilitiesOf, isHidden, isStored } from "@servicekit/prisma/internal";
import type { AuthSettings } from "../configuration/auth-config.js";
import { keyModelName } from "../credentials/key-model.js";
import { userRules } from "./user-rules.js";

/** The user model for authentication: its fields with a meaning (contract C25). */
export interface UserModel {
  readonly model: Model;
  readonly id: StoredField;
  readonly password: StoredField;
  /** `role` or `roles` of the user itself; in dynamic mode `undefined`. */
  readonly roles: readonly StoredField[];
  /** The path from the user to roles and permissions; in static mode `undefined`. */
  readonly storedRoles: StoredRoles | undefined;
  /**
   * The resources whose rows grant permissions: stored roles, their join model with users, their permissions, and API
   * keys.
   */
  readonly grantingResources: ReadonlySet<string>;
  readonly isActive: StoredField | undefined;
  readonly isSuperUser: StoredField | undefined;
  readonly passwordChangedAt: StoredField | undefined;
  readonly lastLoginAt: StoredField | undefined;
  readonly deletedAt: StoredField | undefined;
  readonly email: StoredField | undefined;
  readonly emailVerified: StoredField | undefined;
}

/** The relations of dynamic mode. */
export interface StoredRoles {
  /** `User.roles` */
  readonly relation: string;
  /** The field of the join model that references `AuthRole`; `undefined` for a many-to-many relation. */
  readonly join: string | undefined;
  /** The name of the join model. */
  readonly joinModel: string | undefined;
  /** The field of `AuthRole` that references `AuthPermission`. */
  readonly permissions: string;
}

/** The length of a bcrypt hash. */
const hashLength = 60;

/**
 * Finds the fields of the user model and validates them.
 *
 * @throws {StartupError} that names each field that is missing or of the wrong type (contract C25)
 */
export function readUserModel(models: Models, { mode, login }: Pick<AuthSettings, "mode" | "login">): UserModel {
  const model = models.get(userRules.model);
  if (model === undefined) {
    throw new StartupError([{ where: "authentication", message: "requires a model User in the schema." }]);
  }
  const issues: StartupIssue[] = [];
  const find = (name: string, check: Expectation): StoredField | undefined => {
    const field = model.fieldsByName.get(name);
    if (field === undefined) return undefined;
    if (isStored(field) && check.test(field)) return field;
    issues.push({ where: `field User.${name}`, message: `must be ${check.expected}; authentication reads it.` });
    return undefined;
  };
  const id = model.fields.find((field): field is StoredField => isStored(field) && field.isId) ?? onlyField(model);
  if (id === undefined || !["String", "Int", "BigInt"].includes(id.type)) {
    issues.push({ where: "model User", message: "requires an id of one field of type String, Int or BigInt." });
  }
  const password = find("password", text);
  if (!model.fieldsByName.has("password")) {
    issues.push({ where: "model User", message: "requires a field password of type String." });
  }
  if (password !== undefined && maxLength(password) < hashLength) {
    issues.push({
      where: "field User.password",
      message: `must have room for ${hashLength} characters, the length of a hash.`,
    });
  }
  for (const name of login.allowedUsernames) issues.push(...loginNameIssues(name, model, models));
  const found = {
    isActive: find("isActive", flag),
    isSuperUser: find("isSuperUser", flag),
    passwordChangedAt: find("passwordChangedAt", date),
    lastLoginAt: find("lastLoginAt", optionalDate),
    deletedAt: find("deletedAt", emptyDate),
    email: find("email", text),
    emailVerified: find("emailVerified", flagOrDate),
  };
  const roles = mode === "dynamic" ? [] : findRoles(model, find);
  const storedRoles = mode === "dynamic" ? readStoredRoles(model, models, issues) : undefined;
  if (issues.length > 0 || id === undefined || password === undefined) throw new StartupError(issues);
  const granting = ["AuthRole", "AuthPermission", storedRoles?.joinModel ?? "", keyModelName];
  const grantingResources = new Set(granting.flatMap((name) => models.get(name)?.resource ?? []));
  return Object.freeze({ model, id, password, roles, storedRoles, grantingResources, ...found });
}

/** `role` and `roles` of static mode; stored roles beside a `role` are for dynamic mode, and are ignored. */
function findRoles(
  model: Model,
  find: (name: string, check: Expectation) => StoredField | undefined,
): readonly StoredField[] {
  const isStoredToo = model.fieldsByName.has("role") && model.fieldsByName.get("roles")?.kind === "relation";
  const list = capabilitiesOf(model.provider).listColumns ? roleList : jsonRoleList;
  return [find("role", role), isStoredToo ? undefined : find("roles", list)].filter((one) => one !== undefined);
}

/** The key of a model without an id, if it is one field. */
function onlyField({ key }: Model): StoredField | undefined {
  return key?.fields.length === 1 ? key.fields[0] : undefined;
}

interface Expectation {
  readonly expected: string;
  test(field: StoredField): boolean;
}

const text: Expectation = { expected: "a String", test: (field) => isScalar(field, "String") };
const flag: Expectation = { expected: "a Boolean", test: (field) => isScalar(field, "Boolean") };
const date: Expectation = { expected: "a DateTime", test: (field) => isScalar(field, "DateTime") };
const optionalDate: Expectation = {
  expected: "an optional DateTime, or one with a default",
  test: (field) => date.test(field) && (!field.isRequired || field.hasDefault),
};
const emptyDate: Expectation = {
  expected: "an optional DateTime without a default",
  test: (field) => date.test(field) && !field.isRequired && !field.hasDefault,
};
const flagOrDate: Expectation = {
  expected: "a Boolean, or an optional DateTime",
  test: (field) => flag.test(field) || (date.test(field) && !field.isRequired),
};
const isNameType = (field: StoredField): boolean => field.kind === "enum" || field.type === "String";
const role: Expectation = {
  expected: "an enum or a String",
  test: (field) => !field.isList && isNameType(field),
};
const roleList: Expectation = {
  expected: "a list of an enum or of String (in dynamic mode a relation to AuthRole)",
  test: (field) => field.isList && isNameType(field),
};
/** The same in a database without list columns. */
const jsonRoleList: Expectation = {
  expected: "a required Json with a list of names (in dynamic mode a relation to AuthRole)",
  test: (field) => isScalar(field, "Json") && field.isRequired,
};

const isScalar = (field: StoredField, type: string): boolean =>
  field.kind === "scalar" && field.type === type && !field.isList;

function maxLength({ nativeType }: StoredField): number {
  return nativeType?.name === "VarChar" || nativeType?.name === "Char" ? Number(nativeType.args[0] ?? 1) : Infinity;
}

/** A login name is a string of the user, or of a related row for a dotted name. */
function loginNameIssues(name: string, user: Model, models: Models): StartupIssue[] {
  const where = "authentication.login.allowedUsernames";
  const parts = name.split(".");
  let model: Model | undefined = user;
  for (const [index, part] of parts.entries()) {
    const field: Field | undefined = model?.fieldsByName.get(part);
    const isLast = index === parts.length - 1;
    if (field === undefined) {
      const near = nearestWord(part, model?.fieldsByName.keys() ?? []);
      const hint = near === undefined ? "." : `. Did you mean ${near}?`;
      return [{ where, message: `${name}: the model ${model?.name} has no field ${part}${hint}` }];
    }
    if (isLast) {
      const isFit = isStored(field) && isScalar(field, "String") && part !== "password";
      if (!isFit) return [{ where, message: `${name}: ${part} must be a String other than the password.` }];
      if (isUnique(model, [part])) return [];
      const message = `${name}: ${model?.name}.${part} must be @unique; otherwise two users with the same name could not sign in.`;
      return [{ where, message }];
    }
    if (field.kind !== "relation") return [{ where, message: `${name}: ${part} is not a relation.` }];
    if (field.isList || (field.relation.fields.length > 0 && !isUnique(model, field.relation.fields))) {
      return [{ where, message: `${name}: ${part} must reference one row that belongs to one user.` }];
    }
    model = models.get(field.type);
  }
  return [];
}

/** Whether a unique constraint covers these fields. */
function isUnique(model: Model | undefined, names: readonly string[]): boolean {
  return (model?.uniqueKeys ?? []).some((key) => key.fields.every(({ name }) => names.includes(name)));
}

/** Finds `User.roles` → `AuthRole` → `AuthPermission`, with or without a join model (contract C29). */
function readStoredRoles(user: Model, models: Models, issues: StartupIssue[]): StoredRoles | undefined {
  const before = issues.length;
  const issue = (where: string, message: string): undefined => {
    issues.push({ where, message: `${message} (authentication.mode is dynamic)` });
  };
  const authRole = models.get("AuthRole");
  const authPermission = models.get("AuthPermission");
  if (authRole === undefined) issue("authentication", "requires a model AuthRole { id, name }.");
  if (authPermission === undefined) {
    issue("authentication", "requires a model AuthPermission { id, resource, action, roleId }.");
  }
  for (const [model, names] of [
    [authRole, ["name"]],
    [authPermission, ["resource", "action"]],
  ] as const) {
    for (const name of names) {
      const field = model?.fieldsByName.get(name);
      if (model === undefined || (field !== undefined && isStored(field) && role.test(field))) continue;
      issue(`model ${model.name}`, `requires a field ${name} of type String or of an enum.`);
    }
  }
  const permissions = relationTo(authRole, "AuthPermission", true);
  if (authRole !== undefined && authPermission !== undefined && permissions === undefined) {
    issue("model AuthRole", "requires a list of AuthPermission.");
  }
  const roles = user.fieldsByName.get("roles");
  const isRelation = roles?.kind === "relation" && roles.isList;
  const join =
    isRelation && roles.type !== "AuthRole" ? relationTo(models.get(roles.type), "AuthRole", false) : undefined;
  if (!isRelation || (roles.type !== "AuthRole" && join === undefined)) {
    issue("field User.roles", "must be a list of AuthRole, or of a model that joins users and AuthRole.");
  }
  if (issues.length > before || permissions === undefined) return undefined;
  const joinModel = join === undefined ? undefined : roles?.type;
  return { relation: "roles", join: join?.name, joinModel, permissions: permissions.name };
}

function relationTo(model: Model | undefined, type: string, isList: boolean): RelationField | undefined {
  return model?.fields.find(
    (field): field is RelationField => field.kind === "relation" && field.type === type && field.isList === isList,
  );
}

/** The stored user fields that a response may contain. */
export function visibleFields({ model }: UserModel): readonly StoredField[] {
  return model.fields.filter((field): field is StoredField => isStored(field) && !isHidden(field));
}

/** The values of the role's enum; `undefined` if a role can be any string, empty if users have no role. */
export function rolesOf({ roles }: UserModel): readonly string[] | undefined {
  if (roles.some(({ kind }) => kind !== "enum")) return undefined;
  return roles.flatMap((field) => (field.kind === "enum" ? field.values : []));
}

/** The condition of inactive users; `undefined` if there are none. */
export function suspendedWhere({ isActive, deletedAt }: UserModel): Readonly<Record<string, unknown>> | undefined {
  const conditions = [
    ...(isActive === undefined ? [] : [{ [isActive.name]: false }]),
    ...(deletedAt === undefined ? [] : [{ [deletedAt.name]: { not: null } }]),
  ];
  return conditions.length === 0 ? undefined : { OR: conditions };
}

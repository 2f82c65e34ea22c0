import { type StoredField } from "@servicekit/prisma";
import { isBodyField, isOptionalInCreate, isStored } from "@servicekit/prisma/internal";
import { type Schema } from "@servicekit/router";
import { schemaKeys } from "@servicekit/router/internal";
import { z } from "zod";
import { newPasswordSchema, passwordSchema } from "../credentials/password/check-password.js";
import type { LoginNames } from "./login-names.js";
import type { UserModel } from "./user-model.js";

/** Creates the schema of one stored field in a body, as the generated routes do. */
export type FieldSchema = (field: StoredField) => z.ZodType;

/** The fields that users never set themselves (contract C27). */
const neverSetByUsers: ReadonlySet<string> = new Set([
  "role",
  "roles",
  "isSuperUser",
  "isActive",
  "deletedAt",
  "emailVerified",
  "passwordChangedAt",
  "lastLoginAt",
]);

/** The fields that users set themselves, without the password: no id, no relation, no hidden or read-only field. */
export function ownFields({ model, id, password }: UserModel): readonly StoredField[] {
  return model.fields.filter((field): field is StoredField => {
    if (!isStored(field) || field === id || field === password || neverSetByUsers.has(field.name)) return false;
    return !field.isForeignKey && isBodyField(field);
  });
}

/** The schema of a sign-up: the user's own fields, and a password. Any other key is rejected. */
export function makeSignupSchema(user: UserModel, fieldSchema: FieldSchema, names: LoginNames): z.ZodType {
  const shape = ownFields(user).map((field): [string, z.ZodType] => {
    const schema = names.fields.has(field.name) ? nameSchema(field, fieldSchema(field), names) : fieldSchema(field);
    return [field.name, isOptionalInCreate(field) ? schema.optional() : schema];
  });
  return z.strictObject({ ...Object.fromEntries(shape), [user.password.name]: newPasswordSchema });
}

const nameSchema = ({ name }: StoredField, schema: z.ZodType, names: LoginNames): z.ZodType =>
  schema.superRefine((value, context) => {
    const message = typeof value === "string" ? names.issueOf(name, value) : undefined;
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

/** The schema of an update of the current user: the user's own fields, each optional. Any other key is rejected. */
export function makeUpdateMeSchema(user: UserModel, fieldSchema: FieldSchema): z.ZodType {
  return z.strictObject(
    Object.fromEntries(ownFields(user).map((field) => [field.name, fieldSchema(field).optional()])),
  );
}

/**
 * The schema of an update of the current user, with `currentPassword` if it contains fields that require it (contract
 * C28). A schema that cannot be extended, such as a class, has to declare it itself.
 */
export function withCurrentPassword(schema: Schema, names: ReadonlySet<string>): Schema {
  if (!(schema instanceof z.ZodObject) || !needsCurrentPassword(schema, names)) return schema;
  return schema.safeExtend({ currentPassword: passwordSchema.optional() });
}

/** Whether a schema allows fields that require the password, but not the password. */
export function needsCurrentPassword(schema: Schema, names: ReadonlySet<string>): boolean {
  const keys = schemaKeys(schema) ?? [];
  return keys.some((key) => names.has(key)) && !keys.includes("currentPassword");
}

/** The fields that a new user requires and a sign-up cannot set. */
export function fieldsSignupLacks(user: UserModel): readonly string[] {
  const own = new Set<unknown>([...ownFields(user), user.password, user.passwordChangedAt]);
  return user.model.fields.flatMap((field) => {
    if (!isStored(field) || own.has(field)) return [];
    return isOptionalInCreate(field) ? [] : [field.name];
  });
}

/** What holds for users wherever rows of them are written (contract C11, C13). */
export const userFacts = Object.freeze({
  /** The name of the model that stands for users. */
  model: "User",
  /** The field that takes a clear password and keeps its hash. */
  password: "password",
  /** Models whose rows only authentication writes and shows: they have no routes of their own but those that are opened. */
  ownModels: Object.freeze(["AuthSession", "AuthKey"]),
  /** The fields that prove who a user is, or lead to a new password. Of an existing user they are changed by superusers only. */
  credentials: Object.freeze(["password", "email"]),
  /** The fields that suspend a user, and make them active again. */
  suspending: Object.freeze(["isActive", "deletedAt"]),
  /** The fields that grant rights. Superusers set them; never through the relation of another model, opened or not. */
  administered: Object.freeze([
    "role",
    "roles",
    "isSuperUser",
    "isActive",
    "emailVerified",
    "passwordChangedAt",
    "lastLoginAt",
    "deletedAt",
  ]),
});

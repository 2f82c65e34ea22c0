/** What holds for users wherever rows of them are written (contract C11, C13). */
export const userFacts = Object.freeze({
  /** The name of the model that stands for users. */
  model: "User",
  /** The field that takes a clear password and keeps its hash. */
  password: "password",
  /** Models whose rows only authentication writes and shows: they have no routes of their own but those that are opened. */
  ownModels: Object.freeze(["AuthSession", "AuthKey"]),
  /** What only an administrator sets of a user: never through the relation of another model, opened or not. */
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

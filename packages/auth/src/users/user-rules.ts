/** The rules for users wherever their rows are written (contract C11, C13). */
export const userRules = Object.freeze({
  /** The name of the user model. */
  model: "User",
  /** The field that accepts a plain-text password and stores its hash. */
  password: "password",
  /** Models whose rows only authentication reads and writes: they have no generated routes unless these are enabled. */
  ownModels: Object.freeze(["AuthSession", "AuthKey"]),
  /** The fields that identify a user, or lead to a new password. For an existing user only superusers change them. */
  credentials: Object.freeze(["password", "email"]),
  /** The fields that suspend and reactivate a user. */
  suspending: Object.freeze(["isActive", "deletedAt"]),
  /** The fields that grant permissions. Only superusers set them, and never through the relation of another model. */
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

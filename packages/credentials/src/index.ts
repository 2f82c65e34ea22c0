export { type ApiKey, apiKeyPrefix, isApiKeyId, isOfHash, makeApiKey, readApiKey } from "./api-key.js";
export { type ApiKeys, type ApiKeysOptions, isAddressRange, type MadeKey, makeApiKeys } from "./api-keys.js";
export { type KeyField, keyFields, keyModelName, longestKeyName } from "./key-model.js";
export { type KeyRows, type KeyTerms, makeKeyRows, type ShownKey, type StoredKey } from "./key-rows.js";
export { loadTogether } from "./load-together.js";
export { type OwnedModel, type OwnerModel, readOwnedModel, type Wanted } from "./owned-model.js";
export type { Client, Owner, OwnerId, OwnerReader, RememberedOwners } from "./owner.js";
export type { Bcrypt } from "./password/bcrypt.js";
export { newPasswordSchema, passwordSchema, readNewPassword } from "./password/check-password.js";
export { loadCommonPasswords } from "./password/common-passwords.js";
export { passwordErrors } from "./password/password-errors.js";
export { makePasswordHasher, type PasswordHasher, type PasswordHasherOptions } from "./password/password-hasher.js";
export type { WaitingClient } from "./password/waiting-client.js";
export { makeWorkerBcrypt } from "./password/worker-bcrypt.js";
export {
  makeRefreshTokens,
  type RefreshToken,
  type RefreshTokens,
  type SentRefreshToken,
} from "./refresh-token.js";
export { type SessionField, sessionFields, sessionModelName } from "./session-model.js";
export {
  makeSessionRows,
  type SessionOfUser,
  type SessionRows,
  type ShownSession,
  type StoredSession,
} from "./session-rows.js";
export {
  type HeldSession,
  makeSessions,
  type Refreshed,
  type SessionSettings,
  type Sessions,
  type SessionsOptions,
} from "./sessions.js";

export { type AuthHooks, type AuthModule, type AuthRights, type AuthSchemas, authModuleFaults } from "./auth-module.js";
export type { Bcrypt } from "./credentials/password/bcrypt.js";
export { readNewPassword } from "./credentials/password/check-password.js";
export {
  makePasswordHasher,
  type PasswordHasher,
  type PasswordHasherOptions,
} from "./credentials/password/password-hasher.js";
export { makeWorkerBcrypt } from "./credentials/password/worker-bcrypt.js";
export type { AuthLog, AuthMailer, AuthWarn } from "./endpoints/endpoint.js";
export { authErrors } from "./errors.js";
export { type Auth, type AuthOptions, makeAuth } from "./make-auth.js";
export { type AuthHookName, authModule, type HookedAct, hookedActs } from "./module-kind.js";
export type { Identify } from "./named-callers/identify-kind.js";
export type { NamedCaller } from "./named-callers/named-caller.js";
export type { IssuerClaims, TokenIssuer } from "./named-callers/token-issuer.js";
export {
  type AuthConfig,
  type AuthMode,
  type AuthSettings,
  type AuthSurroundings,
  authConfigSchema,
  authVariables,
  findAuthFaults,
  findAuthWarnings,
  readAuthSettings,
  type SendAccessTokenThrough,
} from "./settings.js";
export {
  type ExpiringStore,
  makeRevokedTokens,
  makeSharedRevokedTokens,
  type RevokedTokens,
} from "./tokens/revoked-tokens.js";
export { userFacts } from "./users/user-facts.js";
export { readUserModel, type UserModel } from "./users/user-model.js";
export type { FieldSchema } from "./users/user-schemas.js";
export type { Permission, UserId, UserRecord, UserRow, UserStore } from "./users/user-store.js";

export type { Auth, AuthOptions } from "./auth-options.js";
export type { ExternalCaller, Identify } from "./configuration/external-caller.js";
export type { IssuerClaims, TokenIssuer } from "./configuration/token-issuer.js";
export type { Bcrypt } from "./credentials/password/bcrypt.js";
export {
  makePasswordHasher,
  type PasswordHasher,
  type PasswordHasherOptions,
} from "./credentials/password/password-hasher.js";
export type { AuthLog, AuthMailer, AuthWarn } from "./endpoints/endpoint.js";
export { makeAuth } from "./make-auth.js";
export type { AuthHooks, AuthModule, AuthRights, AuthSchemas } from "./module/auth-module.js";
export type { AuthHookName, HookedAction } from "./module/module-kind.js";
export {
  type AuthConfig,
  type AuthContext,
  type AuthMode,
  type AuthSettings,
  readAuthSettings,
  type SendAccessTokenThrough,
} from "./settings.js";
export { type ExpiringStore, makeSharedRevokedTokens, type RevokedTokens } from "./tokens/revoked-tokens.js";
export type { UserModel } from "./users/user-model.js";
export type { FieldSchema } from "./users/user-schemas.js";
export type { Permission, UserId, UserRecord, UserRow, UserStore } from "./users/user-store.js";

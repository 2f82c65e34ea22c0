export { type OwnedModel, type OwnerModel, readOwnedModel, type Wanted } from "./owned-model.js";
export type { Client, Owner, OwnerId, OwnerReader, RememberedOwners } from "./owner.js";
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

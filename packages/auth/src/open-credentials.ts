import type { StartupIssue } from "@servicekit/core";
import type { Models } from "@servicekit/prisma";
import type { AuthOptions } from "./auth-options.js";
import type { AuthSettings } from "./configuration/auth-config.js";
import { type ApiKeys, makeApiKeys } from "./credentials/api-keys.js";
import { type KeyField, keyFields, keyModelName } from "./credentials/key-model.js";
import { makeKeyRows } from "./credentials/key-rows.js";
import { type OwnedModel, readOwnedModel } from "./credentials/owned-model.js";
import { type SessionField, sessionFields, sessionModelName } from "./credentials/session-model.js";
import { makeSessionRows } from "./credentials/session-rows.js";
import { makeSessions, type Sessions } from "./credentials/sessions.js";
import { type CountsOptions, makeCounts } from "./limits/make-counts.js";
import { makeUserReader } from "./users/orm-user-store.js";
import type { RememberedUsers } from "./users/remember-users.js";
import type { UserModel } from "./users/user-model.js";
import type { UserRecord } from "./users/user-store.js";

/** The models of credentials in the schema; each enables its feature. */
export interface CredentialModels {
  readonly session?: OwnedModel<SessionField> | undefined;
  readonly key?: OwnedModel<KeyField> | undefined;
}

/** Finds the models and validates them. */
export function readCredentialModels(models: Models, user: UserModel, issues: StartupIssue[]): CredentialModels {
  const owners = { models, user, issues };
  return {
    session: readOwnedModel(sessionModelName, sessionFields, owners),
    key: readOwnedModel(keyModelName, keyFields(user.model.provider), owners),
  };
}

/** The configured credentials for which the schema has no model. */
export function unkeptCredentials(
  { session, keys }: AuthSettings,
  models: Models | undefined,
): readonly StartupIssue[] {
  return [
    ...(session.isConfigured && models?.has(sessionModelName) !== true ? [noSessionModel] : []),
    ...(keys.isConfigured && models?.has(keyModelName) !== true ? [noKeyModel] : []),
  ];
}

const noKeyModel: StartupIssue = {
  where: "authentication.keys",
  message: `requires a model ${keyModelName} in the Prisma schema. Run: npx service generate keys`,
};

const noSessionModel: StartupIssue = {
  where: "authentication.session",
  message: `requires a model ${sessionModelName} in the Prisma schema. Run: npx service generate sessions`,
};

/** The dependencies of the credentials. */
type Opening = Pick<AuthOptions, "settings" | "database" | "log" | "warn">;

/** Opens sessions if the schema has a model for them. */
export function openSessions(
  { settings, database, warn = () => undefined }: Opening,
  users: RememberedUsers,
  user: UserModel | undefined,
  model: OwnedModel<SessionField> | undefined,
): Sessions<UserRecord> | undefined {
  if (database === undefined || user === undefined || model === undefined) return undefined;
  const { jwt, session, cacheMs } = settings;
  return makeSessions({
    settings: { secrets: jwt.secrets, lifetime: session.refreshLifetime, cacheMs },
    rows: makeSessionRows(database, model, makeUserReader(user)),
    users,
    onTheft: (theft) => warn("a refresh token was used twice, which indicates theft: its session has ended", theft),
  });
}

/** Opens API keys if the schema has a model for them. */
export function openKeys(
  { settings, database, log = () => undefined }: Opening,
  user: UserModel | undefined,
  model: OwnedModel<KeyField> | undefined,
): ApiKeys<UserRecord> | undefined {
  if (database === undefined || user === undefined || model === undefined) return undefined;
  const { environment } = settings.keys;
  return makeApiKeys({ environment, rows: makeKeyRows(database, model, makeUserReader(user)), onError: log });
}

/** The rate limit of each key. */
export function keyLimit({ keys: { windowMs, limit, message } }: AuthSettings, counts: CountsOptions) {
  return { counts: makeCounts("api-key", windowMs, counts), limit, message };
}

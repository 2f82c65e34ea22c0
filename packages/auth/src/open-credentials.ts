import type { StartFault } from "@servicekit/core";
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

/** The models of credentials that the schema has; each switches on what it keeps. */
export interface CredentialModels {
  readonly session?: OwnedModel<SessionField> | undefined;
  readonly key?: OwnedModel<KeyField> | undefined;
}

/** Finds the models, and tells what is wrong with them. */
export function readCredentialModels(models: Models, user: UserModel, faults: StartFault[]): CredentialModels {
  const owners = { models, user, faults };
  return {
    session: readOwnedModel(sessionModelName, sessionFields, owners),
    key: readOwnedModel(keyModelName, keyFields, owners),
  };
}

/** What is configured of credentials for which the schema has no model. */
export function unkeptCredentials({ session, keys }: AuthSettings, models: Models | undefined): readonly StartFault[] {
  return [
    ...(session.isConfigured && models?.has(sessionModelName) !== true ? [noSessionModel] : []),
    ...(keys.isConfigured && models?.has(keyModelName) !== true ? [noKeyModel] : []),
  ];
}

const noKeyModel: StartFault = {
  where: "authentication.keys",
  message: `needs a model ${keyModelName} in the Prisma schema: service generate keys writes it.`,
};

const noSessionModel: StartFault = {
  where: "authentication.session",
  message: `needs a model ${sessionModelName} in the Prisma schema: service generate sessions writes it.`,
};

/** What opens them. */
type Opening = Pick<AuthOptions, "settings" | "database" | "log" | "warn">;

/** Opens sessions where the schema has a model for them. */
export function openSessions(
  { settings, database, log = () => undefined, warn = () => undefined }: Opening,
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
    onTheft: (theft) => warn("a refresh token was used twice: it was stolen, and its session has ended", theft),
    onError: log,
  });
}

/** Opens API keys where the schema has a model for them. */
export function openKeys(
  { settings, database, log = () => undefined }: Opening,
  user: UserModel | undefined,
  model: OwnedModel<KeyField> | undefined,
): ApiKeys<UserRecord> | undefined {
  if (database === undefined || user === undefined || model === undefined) return undefined;
  const { environment } = settings.keys;
  return makeApiKeys({ environment, rows: makeKeyRows(database, model, makeUserReader(user)), onError: log });
}

/** How often each key may be used. */
export function keyLimit({ keys: { windowMs, limit, message } }: AuthSettings, counts: CountsOptions) {
  return { counts: makeCounts("api-key", windowMs, counts), limit, message };
}

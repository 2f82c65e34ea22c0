import { StartupError, type StartupIssue } from "@servicekit/core";
import { isHidden } from "@servicekit/prisma/internal";
import { ServiceRouter } from "@servicekit/router";
import type { RequestHandler } from "express";
import { makeStaticRules } from "./access-control/static-rules.js";
import { makeStoredRules } from "./access-control/stored-rules.js";
import type { Auth, AuthOptions } from "./auth-options.js";
import { makeAccessTokenKind } from "./authentication/access-token-kind.js";
import { makeApiKeyKind } from "./authentication/api-key-kind.js";
import {
  identifyHandler,
  makeAuthenticationStep,
  openStep,
  shownCredentials,
} from "./authentication/authentication-step.js";
import { makeAuthenticator } from "./authentication/authenticator.js";
import { makeAllows } from "./authentication/make-allows.js";
import type { CredentialKind } from "./authentication/read-credential.js";
import { loadCommonPasswords } from "./credentials/password/common-passwords.js";
import { makePasswordHasher } from "./credentials/password/password-hasher.js";
import { makeAuthRouter } from "./endpoints/auth-router.js";
import type { AuthLog } from "./endpoints/endpoint.js";
import { makeIdentifyKind, rejectionKind } from "./external-callers/identify-kind.js";
import { makeIssuerKind } from "./external-callers/issuer-kind.js";
import { reportMissingUsers } from "./external-callers/report-missing-users.js";
import { makeFailureLimits } from "./limits/failure-limits.js";
import { makeMailBudget } from "./limits/mail-budget.js";
import { authModuleIssues } from "./module/auth-module.js";
import {
  type CredentialModels,
  keyLimit,
  openKeys,
  openSessions,
  readCredentialModels,
  unkeptCredentials,
} from "./open-credentials.js";
import { findAuthWarnings } from "./settings.js";
import { makeAccessTokens } from "./tokens/access-token.js";
import { makeKnownDevices } from "./tokens/known-devices.js";
import { makeMailTokens } from "./tokens/mail-token.js";
import { makeRevokedTokens } from "./tokens/revoked-tokens.js";
import { type LoginNames, makeLoginNames } from "./users/login-names.js";
import { makeOrmUserStore } from "./users/orm-user-store.js";
import { rememberUsers } from "./users/remember-users.js";
import { showUser } from "./users/show-user.js";
import { transformUsers } from "./users/transform-users.js";
import { readUserModel, rolesOf, suspendedWhere, type UserModel } from "./users/user-model.js";
import {
  fieldsSignupLacks,
  makeSignupSchema,
  makeUpdateMeSchema,
  needsCurrentPassword,
  withCurrentPassword,
} from "./users/user-schemas.js";
import type { UserStore } from "./users/user-store.js";

/**
 * Creates the authentication of a service.
 *
 * @throws {StartupError} with all issues of the user model, the hooks and the schemas (contract C25)
 */
export function makeAuth(options: AuthOptions): Auth {
  const { settings, hooks = {}, schemas = {}, log = () => undefined } = options;
  const warnings = findAuthWarnings(settings);
  const names = makeLoginNames(settings.login);
  const hasher = makePasswordHasher({ ...options.hashing, cost: settings.password.cost });
  const writing = {
    hashPassword: (password: string) => hasher.hash(password),
    passwordLoad: () => hasher.load(),
    close: () => hasher.close(),
  };
  if (!settings.enabled) {
    const pass: RequestHandler = (_request, _response, next) => next();
    return Object.freeze<Auth>({
      ...writing,
      transformWrite: transformUsers(writing.hashPassword, settings, names, undefined),
      step: openStep,
      endSuspended: async () => undefined,
      identify: pass,
      router: undefined,
      allows: () => true,
      rightsOf: () => undefined,
      renew: async (request) => request,
      permissionsOf: () => [],
      credentialsOf: () => [],
      needsRevocations: false,
      warnings: Object.freeze(warnings),
    });
  }

  const named: readonly CredentialKind[] = [
    ...(settings.issuers.length === 0 ? [] : [makeIssuerKind(settings.issuers)]),
    ...(settings.identify === undefined ? [] : [makeIdentifyKind(settings.identify)]),
  ];
  if (!settings.accounts) return withoutAccounts(options, { named, writing, warnings });
  const {
    user,
    users: stored,
    stored: models,
  } = readUsers(options, [...authModuleIssues({ hooks, schemas, auth: options.rights }), ...missingSchemas(options)]);
  if (settings.signup.silent && (options.mailer === undefined || !stored.has.emailVerified)) throw silentSignupError();
  // Reading the list takes a moment, which no request should wait for.
  loadCommonPasswords().catch((error: unknown) => log(error, "the list of the most common passwords cannot be read"));
  const users = rememberUsers(stored, settings.cacheMs);
  const revoked = options.revoked ?? makeRevokedTokens();
  const lifetime = models.session === undefined ? settings.jwt.lifetime : settings.session.accessLifetime;
  const tokens = makeAccessTokens({ ...settings.jwt, lifetime });
  const sessions = openSessions(options, users, user, models.session);
  const allowedOrigins = new Set(options.allowedOrigins ?? []);
  // Any remaining `Authorization` header is treated as an access token.
  const counts = { makeStore: options.makeStore, onStoreError: reportStoreUnavailable(log) };
  const keys = openKeys(options, user, models.key);
  const suspended = user && suspendedWhere(user);
  const endSuspended = async (): Promise<void> => {
    if (suspended === undefined) return;
    await Promise.all([sessions?.endOf(suspended), keys?.removeOf(suspended)]);
  };
  const kinds: readonly CredentialKind[] = [
    ...(keys === undefined ? [] : [makeApiKeyKind({ keys, ...keyLimit(settings, counts) })]),
    ...named,
    makeAccessTokenKind({ tokens, users, revoked, sessions }),
  ];
  const authenticator = makeAuthenticator({ kinds, allowedOrigins });
  const control =
    settings.mode === "dynamic" ? makeStoredRules(user?.grantingResources) : makeStaticRules(user && rolesOf(user));
  if (user !== undefined && schemas.signup === undefined) warnings.push(...signupWarnings(user));
  const bodies = bodySchemas(options, user, names);
  if (needsCurrentPassword(bodies.updateMe, names.fields)) warnings.push(noPasswordInUpdateMe);

  const router = makeAuthRouter({
    context: {
      settings,
      users,
      names,
      tokens,
      mailTokens: makeMailTokens(settings.jwt.secrets),
      hasher,
      revoked,
      sessions,
      keys,
      endSuspended,
      failures: makeFailureLimits(settings.rateLimit, counts),
      devices: settings.login.sendAccessTokenThrough === "response-only" ? undefined : makeKnownDevices(settings.jwt),
      mailBudget: makeMailBudget(counts),
      authenticator,
      allowedOrigins,
      mailer: options.mailer,
      log,
    },
    user,
    hooks,
    rights: options.rights ?? {},
    schemas: { ...schemas, ...bodies },
    show: (row) => showUser(row, (name) => isHiddenName(name, user)),
    counts,
    moduleRouter: options.moduleRouter,
  });

  return Object.freeze<Auth>({
    ...writing,
    transformWrite: transformUsers(writing.hashPassword, settings, names, user?.passwordChangedAt?.name),
    endSuspended,
    step: makeAuthenticationStep(authenticator, control, {
      hasSharedTokens: options.revoked !== undefined && sessions === undefined,
      hasIssuers: settings.issuers.length > 0,
      hasExternalCallers: named.length > 0,
      hasKeys: keys !== undefined,
    }),
    identify: identifyHandler(authenticator),
    router,
    ...makeAllows(authenticator, control),
    credentialsOf: shownCredentials({
      hasAccounts: true,
      hasIssuers: settings.issuers.length > 0,
      hasKeys: keys !== undefined,
    }),
    needsRevocations: sessions === undefined,
    deleteExpired: sessions?.deleteExpired,
    warnings: Object.freeze(warnings),
  });
}

/** Authentication of external callers only: there are no users here, and no routes for them. */
function withoutAccounts(
  { settings, hooks = {}, schemas = {}, rights = {}, allowedOrigins = [], moduleRouter, warn }: AuthOptions,
  { named, writing, warnings }: WithoutAccounts,
): Auth {
  const unused = Object.entries({ hooks, schemas, auth: rights }).filter(([, given]) => Object.keys(given).length > 0);
  if (unused.length > 0) {
    const message = "belongs to the account routes, which authentication.accounts: false disables.";
    throw new StartupError(unused.map(([key]) => ({ where: `models.auth.${key}`, message })));
  }
  const authenticator = makeAuthenticator({
    kinds: [...named, rejectionKind],
    allowedOrigins: new Set(allowedOrigins),
    ...(warn === undefined ? {} : { onMissingUser: reportMissingUsers(warn) }),
  });
  const control = settings.mode === "dynamic" ? makeStoredRules() : makeStaticRules(undefined);
  const router = ServiceRouter();
  if (moduleRouter !== undefined) router.use("/auth", moduleRouter);
  return Object.freeze<Auth>({
    ...writing,
    transformWrite: async (_model, values) => values,
    endSuspended: async () => undefined,
    step: makeAuthenticationStep(authenticator, control, { hasIssuers: settings.issuers.length > 0 }),
    identify: identifyHandler(authenticator),
    router,
    ...makeAllows(authenticator, control),
    credentialsOf: shownCredentials({ hasAccounts: false, hasIssuers: settings.issuers.length > 0, hasKeys: false }),
    needsRevocations: false,
    warnings: Object.freeze(warnings),
  });
}

interface WithoutAccounts {
  readonly named: readonly CredentialKind[];
  readonly writing: Pick<Auth, "hashPassword" | "passwordLoad" | "close">;
  readonly warnings: readonly string[];
}

function readUsers(
  { settings, database, users }: AuthOptions,
  issues: StartupIssue[],
): {
  readonly user: UserModel | undefined;
  readonly users: UserStore;
  readonly stored: CredentialModels;
} {
  const found: {
    user?: UserModel;
    users?: UserStore | undefined;
    stored?: CredentialModels;
  } = { users };
  if (users === undefined && database === undefined) {
    issues.push({ where: "authentication", message: "requires a database with a model User, or a store of users." });
  } else if (users === undefined && database !== undefined) {
    try {
      found.user = readUserModel(database.models, settings);
      found.users = makeOrmUserStore(database, found.user);
      found.stored = readCredentialModels(database.models, found.user, issues);
    } catch (error) {
      if (!(error instanceof StartupError)) throw error;
      issues.push(...error.issues);
    }
  }
  issues.push(...unkeptCredentials(settings, database?.models));
  if (issues.length > 0 || found.users === undefined) throw new StartupError(issues);
  return { user: found.user, users: found.users, stored: found.stored ?? {} };
}

function missingSchemas({ users, fieldSchema, schemas = {} }: AuthOptions): StartupIssue[] {
  if (users === undefined && fieldSchema !== undefined) return [];
  return (["signup", "updateMe"] as const)
    .filter((name) => schemas[name] === undefined)
    .map((name) => ({
      where: "schemas of authentication",
      message: `requires ${name}: declare the fields that users may set.`,
    }));
}

function bodySchemas({ schemas = {}, fieldSchema }: AuthOptions, user: UserModel | undefined, names: LoginNames) {
  const derive = (make: typeof makeSignupSchema) => {
    if (user === undefined || fieldSchema === undefined)
      throw new TypeError("There is neither a schema nor a user model.");
    return make(user, fieldSchema, names);
  };
  return {
    signup: schemas.signup ?? derive(makeSignupSchema),
    updateMe: withCurrentPassword(schemas.updateMe ?? derive(makeUpdateMeSchema), names.fields),
  };
}

function signupWarnings(user: UserModel): readonly string[] {
  const names = fieldsSignupLacks(user);
  if (names.length === 0) return [];
  return [
    `Sign-up is impossible: a user requires ${names.join(", ")}. Add a default, or allow the field in the schema signup of the auth module.`,
  ];
}

function isHiddenName(name: string, user: UserModel | undefined): boolean {
  const field = user?.model.fieldsByName.get(name);
  return name === "password" || (field !== undefined && isHidden(field));
}

const silentSignupError = (): StartupError =>
  new StartupError([
    {
      where: "authentication.signup.silent",
      message:
        "requires the block email, and the fields email and emailVerified of the model User, because it responds by email.",
    },
  ]);

const noPasswordInUpdateMe =
  "Login names and the email cannot be changed: the schema updateMe of the auth module has no currentPassword and cannot be extended.";

const reportStoreUnavailable =
  (log: AuthLog) =>
  (error: unknown): void =>
    log(error, "the store of the authentication rate limits is unavailable: this process counts by itself");

import type { AuthenticationConfig, DocumentObject, RouteDocumentation, Schema } from "@servicekit/router";
import type { Request, RequestHandler, Response } from "express";
import type { Authenticator } from "../authentication/authenticator.js";
import type { Account } from "../authentication/read-credential.js";
import type { AuthSettings } from "../configuration/auth-config.js";
import type { ApiKeys } from "../credentials/api-keys.js";
import type { PasswordHasher } from "../credentials/password/password-hasher.js";
import type { ClientSession, Sessions } from "../credentials/sessions.js";
import { authErrors, invalidRefreshToken } from "../errors.js";
import { clientOf } from "../limits/client-of.js";
import type { FailureLimits } from "../limits/failure-limits.js";
import type { MailBudget } from "../limits/mail-budget.js";
import type { HookedAction } from "../module/module-kind.js";
import { type AccessToken, type AccessTokens } from "../tokens/access-token.js";
import type { KnownDevices } from "../tokens/known-devices.js";
import type { MailTokens } from "../tokens/mail-token.js";
import type { RevokedTokens } from "../tokens/revoked-tokens.js";
import { setRefreshCookie, setTokenCookie } from "../tokens/token-carrier.js";
import type { LoginNames } from "../users/login-names.js";
import type { UserRecord, UserRow, UserStore } from "../users/user-store.js";

/** Sends the emails of endpoints; the mailer of `@servicekit/mailer` fits. */
export interface AuthMailer {
  /** Sends a mail. Rejects if the mail cannot be handed over. */
  send(mail: {
    readonly to: { readonly address: string };
    readonly subject: string;
    readonly text: string;
  }): Promise<unknown>;
}

/** Receives errors that no response contains. */
export type AuthLog = (error: unknown, message: string, request?: Request) => void;

/** Receives detected attacks. */
export type AuthWarn = (message: string, details: Readonly<Record<string, unknown>>) => void;

/** The dependencies of endpoints. */
export interface EndpointContext {
  readonly settings: AuthSettings;
  readonly users: UserStore;
  readonly names: LoginNames;
  readonly tokens: AccessTokens;
  readonly mailTokens: MailTokens;
  readonly hasher: PasswordHasher;
  readonly revoked: RevokedTokens;
  /** `undefined` if the schema has no model for them. */
  readonly sessions: Sessions<UserRecord> | undefined;
  /** `undefined` if the schema has no model for them. */
  readonly keys: ApiKeys<UserRecord> | undefined;
  readonly failures: FailureLimits;
  /** `undefined` if no cookie is set. */
  /** Ends the credentials of inactive users. */
  readonly endSuspended: () => Promise<void>;
  readonly devices: KnownDevices | undefined;
  readonly mailBudget: MailBudget;
  readonly authenticator: Authenticator;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly mailer: AuthMailer | undefined;
  readonly log: AuthLog;
}

/** What an endpoint stores in `response.locals` for after hooks and the sender. */
export interface AuthLocals {
  /** The user without hidden fields; an after hook may change it. */
  data?: UserRow;
  accessToken?: AccessToken;
  refreshToken?: { readonly token: string; readonly expiresAt: Date };
  /** The response if it is not a user. */
  response?: unknown;
}

/** The response of an endpoint that is not a user. */
export interface EndpointResponse {
  readonly description: string;
  /** The name of its schema in the document. */
  readonly component: string;
  readonly schema: DocumentObject;
  readonly isList?: boolean;
}

/** One endpoint of authentication, as a value. */
export interface Endpoint {
  readonly method: "get" | "post" | "patch" | "delete";
  /** Below `/api`. */
  readonly path: string;
  /** The names of its hooks. */
  readonly act?: HookedAction;
  /** The name of the route if neither `act` nor the end of its path is one. */
  readonly operation?: string;
  readonly authentication?: AuthenticationConfig;
  /** `false` for an endpoint without a body. */
  readonly body: Schema | false;
  readonly status: 200 | 201 | 204;
  /** Handlers before the hooks. */
  readonly guards?: readonly RequestHandler[];
  run(request: Request, response: Response): Promise<void>;
  readonly response?: EndpointResponse;
  readonly documentation: Pick<RouteDocumentation, "summary" | "description" | "errors">;
  /** Whether the response contains an access token. */
  readonly givesToken?: true;
}

export const localsOf = (response: Response): AuthLocals => response.locals as AuthLocals;

/**
 * The account of a route that declares `authentication: true`.
 *
 * @throws {HttpError} 403 for a caller who has authenticated in another way than by signing in here
 */
export function accountOf(request: Request, { authenticator }: EndpointContext): Account {
  const signedIn = authenticator.signedInOf(request);
  if (signedIn === undefined) throw new TypeError("The route requires the authentication step.");
  if (signedIn.account === undefined) throw authErrors.AuthenticationRequired();
  return signedIn.account;
}

/**
 * Signs in a user who has just given a password: in a new session, if there are sessions; the device is known from now
 * on.
 *
 * @param current the session that continues as the only one; a new one without it
 */
export async function giveToken(
  user: UserRecord,
  request: Request,
  response: Response,
  context: EndpointContext,
  current?: string,
): Promise<void> {
  const { sessions } = context;
  const client = clientOf(request);
  const session = await (current === undefined ? sessions?.open(user, client) : sessions?.renew(current, user, client));
  // A session that was ended meanwhile cannot be continued.
  if (sessions !== undefined && session === undefined) throw invalidRefreshToken();
  await giveTokens(user, session, response, context);
  context.devices?.remember(user, response);
}

/** Returns the tokens in cookies, in the response, or in both (contract C26). */
export async function giveTokens(
  user: UserRecord,
  session: ClientSession | undefined,
  response: Response,
  { settings, tokens }: EndpointContext,
): Promise<void> {
  const accessToken = await tokens.sign(user, session?.id);
  const locals: AuthLocals = { data: user.user, accessToken };
  const setsCookies = settings.login.sendAccessTokenThrough !== "response-only";
  if (setsCookies) setTokenCookie(response, accessToken, settings.jwt);
  if (session?.refreshToken !== undefined) {
    const { refreshToken: token, expiresAt } = session;
    if (setsCookies) setRefreshCookie(response, token, expiresAt, settings.jwt);
    locals.refreshToken = { token, expiresAt };
  }
  Object.assign(localsOf(response), locals);
}

/** The validated body of a request; hooks may have changed it since. */
export function bodyOf(request: Request): UserRow {
  const body: unknown = request.body;
  return typeof body === "object" && body !== null ? (body as UserRow) : {};
}

import type { RouteDocumentation, Schema } from "@servicekit/router";
import type { Request, RequestHandler, Response } from "express";
import type { Authenticator } from "../authenticator.js";
import type { Account } from "../credentials.js";
import { authErrors } from "../errors.js";
import type { FailureLimits } from "../limits/failure-limits.js";
import type { MailBudget } from "../limits/mail-budget.js";
import type { HookedAct } from "../module-kind.js";
import type { PasswordHasher } from "../password/password-hasher.js";
import type { AuthSettings } from "../settings.js";
import { type AccessToken, type AccessTokens } from "../tokens/access-token.js";
import type { KnownDevices } from "../tokens/known-devices.js";
import type { MailTokens } from "../tokens/mail-token.js";
import type { RevokedTokens } from "../tokens/revoked-tokens.js";
import { setTokenCookie } from "../tokens/token-carrier.js";
import type { LoginNames } from "../users/login-names.js";
import type { UserRecord, UserRow, UserStore } from "../users/user-store.js";

/** What endpoints send mails with; the mailer of `@servicekit/mailer` fits. */
export interface AuthMailer {
  send(mail: {
    readonly to: { readonly address: string };
    readonly subject: string;
    readonly text: string;
  }): Promise<unknown>;
}

/** Is told of what goes wrong where no answer can tell it. */
export type AuthLog = (error: unknown, message: string, request?: Request) => void;

/** What endpoints work with. */
export interface EndpointContext {
  readonly settings: AuthSettings;
  readonly users: UserStore;
  readonly names: LoginNames;
  readonly tokens: AccessTokens;
  readonly mailTokens: MailTokens;
  readonly hasher: PasswordHasher;
  readonly revoked: RevokedTokens;
  readonly failures: FailureLimits;
  /** `undefined` where no cookie is set. */
  readonly devices: KnownDevices | undefined;
  readonly mailBudget: MailBudget;
  readonly authenticator: Authenticator;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly mailer: AuthMailer | undefined;
  readonly log: AuthLog;
}

/** What an endpoint leaves in `response.locals` for after hooks and the sender. */
export interface AuthLocals {
  /** The user without hidden fields; an after hook may change it. */
  data?: UserRow;
  accessToken?: AccessToken;
}

/** One endpoint of authentication, as a value. */
export interface Endpoint {
  readonly method: "get" | "post" | "patch" | "delete";
  /** Below `/api`. */
  readonly path: string;
  /** What hooks stand around it. */
  readonly act?: HookedAct;
  readonly authentication?: true;
  /** `false` for an endpoint that takes no body. */
  readonly body: Schema | false;
  readonly status: 200 | 201 | 204;
  /** Handlers before the hooks. */
  readonly guards?: readonly RequestHandler[];
  run(request: Request, response: Response): Promise<void>;
  readonly documentation: Pick<RouteDocumentation, "summary" | "description" | "errors">;
  /** Whether the answer brings an access token. */
  readonly givesToken?: true;
}

export const localsOf = (response: Response): AuthLocals => response.locals as AuthLocals;

/**
 * The account of a route that declares `authentication: true`.
 *
 * @throws {HttpError} 403 for a caller who has come in another way than by signing in here
 */
export function accountOf(request: Request, { authenticator }: EndpointContext): Account {
  const signedIn = authenticator.signedInOf(request);
  if (signedIn === undefined) throw new TypeError("The route needs the step of authentication.");
  if (signedIn.account === undefined) throw authErrors.SignInNeeded();
  return signedIn.account;
}

/** Signs a user in: a token in the cookie, in the answer, or in both (contract C26); the device is known from now on. */
export async function giveToken(user: UserRecord, response: Response, context: EndpointContext): Promise<void> {
  const { settings, tokens } = context;
  const accessToken = await tokens.sign(user);
  if (settings.login.sendAccessTokenThrough !== "response-only") setTokenCookie(response, accessToken, settings.jwt);
  context.devices?.mark(user, response);
  Object.assign(localsOf(response), { data: user.user, accessToken } satisfies AuthLocals);
}

/** The body of a request that a schema has let through; hooks may have changed it since. */
export function bodyOf(request: Request): UserRow {
  const body: unknown = request.body;
  return typeof body === "object" && body !== null ? (body as UserRow) : {};
}

import type { IncomingMessage } from "node:http";
import type { Database } from "@servicekit/prisma";
import type { AuthenticationConfig, DeclaredRoute, RateLimitStore, RouteStep, ServiceRouter } from "@servicekit/router";
import type { RequestHandler } from "express";
import type { ShownCredential } from "./authentication/authentication-step.js";
import type { AuthSettings } from "./configuration/auth-config.js";
import type { PasswordHasher, PasswordHasherOptions } from "./credentials/password/password-hasher.js";
import type { AuthLog, AuthMailer, AuthWarn } from "./endpoints/endpoint.js";
import type { AuthHooks, AuthRights, AuthSchemas } from "./module/auth-module.js";
import type { RevokedTokens } from "./tokens/revoked-tokens.js";
import type { FieldSchema } from "./users/user-schemas.js";
import type { UserRow, UserStore } from "./users/user-store.js";

/** What authentication is made from. */
export interface AuthOptions {
  readonly settings: AuthSettings;
  /** The database whose model `User` keeps the users; it is not needed with {@link AuthOptions.users}. */
  readonly database?: Database | undefined;
  /** Users that are kept elsewhere. The schemas `signup` and `updateMe` are needed then. */
  readonly users?: UserStore | undefined;
  /** Makes the schema of one field of the user in a body; without it the schemas `signup` and `updateMe` are needed. */
  readonly fieldSchema?: FieldSchema | undefined;
  /** Schemas of the auth module. */
  readonly schemas?: AuthSchemas | undefined;
  /** Who may use these routes, by the auth module. */
  readonly rights?: AuthRights | undefined;
  /** Hooks of the auth module. */
  readonly hooks?: AuthHooks | undefined;
  /** Routes of the auth module, below `/auth` and before those of this package. */
  readonly moduleRouter?: RequestHandler | undefined;
  /** Sends mails; with it, and an `email` of the user, passwords can be reset. */
  readonly mailer?: AuthMailer | undefined;
  /** Makes the shared store of a rate limit. @default the memory of this process */
  readonly makeStore?: ((scope: string) => RateLimitStore) | undefined;
  /** @default the memory of this process */
  readonly revoked?: RevokedTokens | undefined;
  /** Origins whose pages may act with the user's cookie, besides the service's own (contract C31). */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Is told of what goes wrong where no answer can tell it. */
  readonly log?: AuthLog | undefined;
  /** Is told of attacks that were seen. */
  readonly warn?: AuthWarn | undefined;
  /** How passwords are hashed, besides the cost of the settings. */
  readonly hashing?: Omit<PasswordHasherOptions, "cost"> | undefined;
}

/** Authentication, put together: what an application mounts. */
export interface Auth {
  /** The step of the declaration key `authentication`; the first of the route steps. */
  readonly step: RouteStep;
  /** Signs in whoever sends a token, for a public route of your own. */
  readonly identify: RequestHandler;
  /** The routes below `/auth` and `/users/me`, to mount at `/api`; `undefined` when authentication is off. */
  readonly router: ServiceRouter | undefined;
  /** Whether the caller of a request may do what a declaration names; `true` for everyone when authentication is off. */
  allows(request: IncomingMessage, access: AuthenticationConfig): boolean;
  /**
   * What stands for all that the caller of a request may: two with the same value are allowed the same, as strangers are, and
   * callers with the same roles in static mode. `undefined` where that is asked each time.
   */
  rightsOf(request: IncomingMessage): object | undefined;
  /** What the caller of a request may at this moment by stored permissions, as `resource:action`; none in static mode. */
  permissionsOf(request: IncomingMessage): readonly string[];
  /** What a caller of a route, or of any, can show of who it is, for the document. */
  credentialsOf(route?: DeclaredRoute): readonly ShownCredential[];
  /** Hashes a password. @throws {HttpError} 503 when too many wait */
  hashPassword(password: string): Promise<string>;
  /**
   * What is to be written in place of the values of a row: a `password` of the user model is checked and hashed on every
   * path (contract C11), one after the other, and its names are kept in their one spelling.
   *
   * @param batch all rows of the request
   * @throws {HttpError} 400 for a password that is too short, too long, one of the commonest or no text, and for a name that
   *   is none; 413 for more passwords in one request than `password.mostPerRequest`
   */
  transformWrite(model: string, values: UserRow, batch?: readonly UserRow[]): Promise<UserRow>;
  /**
   * Ends the sessions and deletes the API keys of all users who are not active, so that none of them is good again when the
   * user is (contract C72). Called around every write of what suspends and reactivates users.
   */
  endSuspended(): Promise<void>;
  /** How many passwords are in work and wait, for figures. */
  readonly passwordLoad: PasswordHasher["load"];
  /** Whether tokens that were revoked have to be remembered: sessions are kept in the database, and end there. */
  readonly needsRevocations: boolean;
  /** What should be told at start and does not stop it. */
  readonly warnings: readonly string[];
  /** Ends its threads. */
  close(): Promise<void>;
}

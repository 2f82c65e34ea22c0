import type { IncomingMessage } from "node:http";
import type { Database } from "@servicekit/prisma";
import type { AuthenticationConfig, DeclaredRoute, RateLimitStore, RouteStep, ServiceRouter } from "@servicekit/router";
import type { Request, RequestHandler, Response } from "express";
import type { ShownCredential } from "./authentication/authentication-step.js";
import type { AuthSettings } from "./configuration/auth-config.js";
import type { PasswordHasher, PasswordHasherOptions } from "./credentials/password/password-hasher.js";
import type { AuthLog, AuthMailer, AuthWarn } from "./endpoints/endpoint.js";
import type { AuthHooks, AuthRights, AuthSchemas } from "./module/auth-module.js";
import type { RevokedTokens } from "./tokens/revoked-tokens.js";
import type { FieldSchema } from "./users/user-schemas.js";
import type { UserRow, UserStore } from "./users/user-store.js";

/** The options of authentication. */
export interface AuthOptions {
  readonly settings: AuthSettings;
  /** The database with the model `User`; not needed with {@link AuthOptions.users}. */
  readonly database?: Database | undefined;
  /** Users in another store. The schemas `signup` and `updateMe` are then required. */
  readonly users?: UserStore | undefined;
  /** Creates the schema of one user field in a body; without it the schemas `signup` and `updateMe` are required. */
  readonly fieldSchema?: FieldSchema | undefined;
  /** Schemas of the auth module. */
  readonly schemas?: AuthSchemas | undefined;
  /** The access settings of these routes, from the auth module. */
  readonly rights?: AuthRights | undefined;
  /** Hooks of the auth module. */
  readonly hooks?: AuthHooks | undefined;
  /** Routes of the auth module, below `/auth` and before those of this package. */
  readonly moduleRouter?: RequestHandler | undefined;
  /** Sends email; with it, and a field `email` of the user, passwords can be reset. */
  readonly mailer?: AuthMailer | undefined;
  /** Creates the shared store of a rate limit. @default the memory of this process */
  readonly makeStore?: ((scope: string) => RateLimitStore) | undefined;
  /** @default the memory of this process */
  readonly revoked?: RevokedTokens | undefined;
  /** Origins whose pages may use the user's cookie, besides the service's own (contract C31). */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Receives errors that no response contains. */
  readonly log?: AuthLog | undefined;
  /** Receives detected attacks. */
  readonly warn?: AuthWarn | undefined;
  /** The options of password hashing, besides the cost in the settings. */
  readonly hashing?: Omit<PasswordHasherOptions, "cost"> | undefined;
}

/** The parts of authentication for an application. */
export interface Auth {
  /** The step of the declaration key `authentication`; the first of the route steps. */
  readonly step: RouteStep;
  /** Authenticates callers with a token, for a public route of your own. */
  readonly identify: RequestHandler;
  /** The routes below `/auth` and `/users/me`, to mount at `/api`; `undefined` if authentication is off. */
  readonly router: ServiceRouter | undefined;
  /**
   * Whether the caller of a request has the access that a declaration requires; `true` for everyone if authentication
   * is off.
   */
  allows(request: IncomingMessage, access: AuthenticationConfig): boolean;
  /**
   * A key for the access of a request's caller: equal for callers with the same access, such as anonymous clients, or
   * callers with the same roles in static mode. `undefined` if access is checked each time.
   */
  rightsOf(request: IncomingMessage): object | undefined;
  /**
   * Authenticates the caller of an open request again, such as that of a stream.
   *
   * @returns an object with the properties of the request and its present caller
   * @throws {HttpError} 401 if the credential is no longer accepted, or belongs to another caller
   */
  renew(request: Request, response: Response): Promise<Request>;
  /** The current stored permissions of a request's caller, as `resource:action`; empty in static mode. */
  permissionsOf(request: IncomingMessage): readonly string[];
  /** The credentials that a route, or any route, accepts, for the document. */
  credentialsOf(route?: DeclaredRoute): readonly ShownCredential[];
  /** Hashes a password. @throws {HttpError} 503 if too many wait */
  hashPassword(password: string): Promise<string>;
  /**
   * Transforms the values of a row before they are written: a `password` of the user model is validated and hashed on
   * every path (contract C11), sequentially, and its names are normalized.
   *
   * @param batch all rows of the request
   * @throws {HttpError} 400 for a password that is too short, too long, one of the most common or not a string, and for
   * an invalid name; 413 for more passwords in one request than `password.maxPerRequest`
   */
  transformWrite(model: string, values: UserRow, batch?: readonly UserRow[]): Promise<UserRow>;
  /**
   * Ends the sessions and deletes the API keys of all inactive users, so that none becomes valid again with its user
   * (contract C72). Called around every write that suspends or reactivates users.
   */
  endSuspended(): Promise<void>;
  /**
   * Deletes expired sessions in small batches, in one process of the database at a time. `undefined` if no sessions are
   * stored.
   *
   * @param signal ends it after the current batch
   * @returns the number of deleted sessions; 0 if another process is deleting
   */
  readonly deleteExpired?: ((signal?: AbortSignal) => Promise<number>) | undefined;
  /** The number of running and waiting hashes, for metrics. */
  readonly passwordLoad: PasswordHasher["load"];
  /** Whether revoked tokens must be stored; false if sessions are stored in the database and end there. */
  readonly needsRevocations: boolean;
  /** Warnings that do not prevent startup. */
  readonly warnings: readonly string[];
  /** Stops its threads. */
  close(): Promise<void>;
}

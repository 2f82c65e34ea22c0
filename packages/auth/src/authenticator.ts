import type { IncomingMessage } from "node:http";
import { type Caller, callerOf, setCaller } from "@servicekit/router";
import type { Request, Response } from "express";
import { refuseCrossSite } from "./cross-site.js";
import { invalidToken, unauthorized } from "./errors.js";
import type { AccessTokens, TokenClaims } from "./tokens/access-token.js";
import type { RevokedTokens } from "./tokens/revoked-tokens.js";
import { type CarriedToken, readToken } from "./tokens/token-carrier.js";
import type { UserRecord, UserStore } from "./users/user-store.js";

declare global {
  namespace Express {
    /** The signed-in user without hidden fields; an application declares its fields by merging into this. */
    interface User {}

    interface Request {
      user?: User | undefined;
    }
  }
}

/** Who makes a request, with what only this package needs. */
export interface Session {
  readonly caller: Caller;
  readonly record: UserRecord;
  readonly claims: TokenClaims;
}

/** Finds out who makes a request. */
export interface Authenticator {
  /** @throws {HttpError} 401 without a token or for one that is not accepted, 403 across sites */
  require(request: Request, response: Response): Promise<Session>;
  /**
   * Signs a request in where it may also be nobody's.
   *
   * @throws {HttpError} 401 for a header that is not accepted; a cookie that is not accepted is nobody's
   */
  identify(request: Request, response: Response): Promise<Session | undefined>;
  sessionOf(request: IncomingMessage): Session | undefined;
}

/** What an {@link Authenticator} works with. */
export interface AuthenticatorParts {
  readonly tokens: AccessTokens;
  readonly users: UserStore;
  readonly revoked: RevokedTokens;
  readonly allowedOrigins: ReadonlySet<string>;
}

/** Makes the authenticator of one service. */
export function makeAuthenticator({ tokens, users, revoked, allowedOrigins }: AuthenticatorParts): Authenticator {
  const sessions = new WeakMap<IncomingMessage, Session>();

  const verify = async (token: string | undefined): Promise<Omit<Session, "caller">> => {
    const claims = token === undefined ? undefined : await tokens.verify(token);
    if (claims === undefined) throw invalidToken();
    const [isRevoked, record] = await Promise.all([revoked.has(claims.jti), users.findById(claims.sub)]);
    if (isRevoked || record === undefined || !record.isActive) throw invalidToken();
    if (isFromBefore(claims, record) || !claims.fits(record)) throw invalidToken();
    return { record, claims };
  };

  const open = async ({ token }: CarriedToken, request: Request, response: Response): Promise<Session> => {
    const { record, claims } = await verify(token);
    const { id, roles, isSuperUser, user } = record;
    const session = { record, claims, caller: Object.freeze({ id, roles, isSuperUser, user }) };
    sessions.set(request, session);
    setCaller(request, session.caller);
    request.user = user as Express.User;
    // Nobody but the user's own browser may keep the answer (contract C43).
    if (!response.hasHeader("Cache-Control")) response.setHeader("Cache-Control", "private, no-cache");
    return session;
  };

  /** After `next("route")` a request is in another route and still the same user's. */
  const opened = (request: Request): Session | undefined =>
    callerOf(request) === undefined ? undefined : sessions.get(request);

  return {
    async require(request, response) {
      const known = opened(request);
      if (known !== undefined) return known;
      const carried = readToken(request);
      if (carried === undefined) throw unauthorized();
      if (carried.through === "cookie") refuseCrossSite(request, allowedOrigins);
      return open(carried, request, response);
    },
    async identify(request, response) {
      const known = opened(request);
      if (known !== undefined) return known;
      const carried = readToken(request);
      if (carried === undefined) return undefined;
      if (carried.through === "header") return open(carried, request, response);
      try {
        refuseCrossSite(request, allowedOrigins);
        return await open(carried, request, response);
      } catch (error) {
        // A browser sends a stale cookie whether it means to or not.
        if (isRefusal(error)) return undefined;
        throw error;
      }
    },
    sessionOf: (request) => sessions.get(request),
  };
}

/** Whoever sets `passwordChangedAt` ends the sessions from before; a token of the same second is told by its mark. */
function isFromBefore({ iat }: TokenClaims, { passwordChangedAt }: UserRecord): boolean {
  return passwordChangedAt != null && iat < Math.floor(passwordChangedAt.getTime() / 1000);
}

function isRefusal(error: unknown): boolean {
  const { status } = error as { status?: unknown };
  return status === 401 || status === 403;
}

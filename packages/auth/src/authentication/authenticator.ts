import type { IncomingMessage } from "node:http";
import { type Caller, callerOf } from "@servicekit/router";
import { setCaller } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import { unauthorized } from "../errors.js";
import { rejectCrossSite } from "./cross-site.js";
import { type Credential, type CredentialKind, readCredential, type SignedIn } from "./read-credential.js";

declare global {
  namespace Express {
    /** The signed-in user without hidden fields; an application declares its fields by declaration merging. */
    interface User {}

    interface Request {
      user?: User | undefined;
    }
  }
}

/** Identifies the caller of a request. */
export interface Authenticator {
  /** @throws {HttpError} 401 without a credential or for one that is not accepted, 403 across sites */
  require(request: Request, response: Response): Promise<SignedIn>;
  /**
   * Authenticates a request that may be anonymous: synchronously without credentials.
   *
   * @throws {HttpError} 401 for a rejected header; a rejected cookie makes the request anonymous
   */
  identify(request: Request, response: Response): Promise<SignedIn | undefined> | undefined;
  signedInOf(request: IncomingMessage): SignedIn | undefined;
}

/** The dependencies of an {@link Authenticator}. */
export interface AuthenticatorParts {
  /** The accepted kinds of credentials, in the order in which they are checked. */
  readonly kinds: readonly CredentialKind[];
  readonly allowedOrigins: ReadonlySet<string>;
  /** Called when the id of a user is read, and the caller has no account. */
  readonly onMissingUser?: (request: Request, caller: Caller) => void;
}

/** Creates the authenticator of one service. */
export function makeAuthenticator({ kinds, allowedOrigins, onMissingUser }: AuthenticatorParts): Authenticator {
  const known = new WeakMap<IncomingMessage, SignedIn>();

  const open = async (credential: Credential, request: Request, response: Response): Promise<SignedIn> => {
    const signedIn = await credential.verify();
    known.set(request, signedIn);
    setCaller(request, signedIn.caller, onMissingUser && (() => onMissingUser(request, signedIn.caller)));
    request.user = signedIn.caller.user as Express.User;
    // Only the user's own browser may cache the response (contract C43).
    if (!response.hasHeader("Cache-Control")) response.setHeader("Cache-Control", "private, no-cache");
    return signedIn;
  };

  const openShown = async (
    credential: Credential,
    request: Request,
    response: Response,
  ): Promise<SignedIn | undefined> => {
    if (credential.through === "header") return open(credential, request, response);
    try {
      rejectCrossSite(request, allowedOrigins);
      return await open(credential, request, response);
    } catch (error) {
      // A browser sends a stale cookie automatically.
      if (isRejection(error)) return undefined;
      throw error;
    }
  };

  /** After `next("route")` a request is in another route with the same user. */
  const opened = (request: Request): SignedIn | undefined =>
    callerOf(request) === undefined ? undefined : known.get(request);

  return {
    async require(request, response) {
      const before = opened(request);
      if (before !== undefined) return before;
      const credential = await readCredential(request, kinds);
      if (credential === undefined) throw unauthorized();
      if (credential.through === "cookie") rejectCrossSite(request, allowedOrigins);
      return open(credential, request, response);
    },
    identify(request, response) {
      const before = opened(request);
      if (before !== undefined) return Promise.resolve(before);
      const credential = readCredential(request, kinds);
      if (!(credential instanceof Promise)) return credential && openShown(credential, request, response);
      return credential.then((known) => known && openShown(known, request, response));
    },
    signedInOf: (request) => known.get(request),
  };
}

function isRejection(error: unknown): boolean {
  const { status } = error as { status?: unknown };
  return status === 401 || status === 403;
}

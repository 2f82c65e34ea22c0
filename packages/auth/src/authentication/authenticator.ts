import type { IncomingMessage } from "node:http";
import { callerOf } from "@servicekit/router";
import { setCaller } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import { unauthorized } from "../errors.js";
import { refuseCrossSite } from "./cross-site.js";
import { type Credential, type CredentialKind, readCredential, type SignedIn } from "./read-credential.js";

declare global {
  namespace Express {
    /** The signed-in user without hidden fields; an application declares its fields by merging into this. */
    interface User {}

    interface Request {
      user?: User | undefined;
    }
  }
}

/** Finds out who makes a request. */
export interface Authenticator {
  /** @throws {HttpError} 401 without a credential or for one that is not accepted, 403 across sites */
  require(request: Request, response: Response): Promise<SignedIn>;
  /**
   * Signs a request in where it may also be nobody's: without a promise where it shows nothing.
   *
   * @throws {HttpError} 401 for a header that is not accepted; a cookie that is not accepted is nobody's
   */
  identify(request: Request, response: Response): Promise<SignedIn | undefined> | undefined;
  signedInOf(request: IncomingMessage): SignedIn | undefined;
}

/** What an {@link Authenticator} works with. */
export interface AuthenticatorParts {
  /** The kinds of credentials that are taken, in the order in which they are looked for. */
  readonly kinds: readonly CredentialKind[];
  readonly allowedOrigins: ReadonlySet<string>;
}

/** Makes the authenticator of one service. */
export function makeAuthenticator({ kinds, allowedOrigins }: AuthenticatorParts): Authenticator {
  const known = new WeakMap<IncomingMessage, SignedIn>();

  const open = async (credential: Credential, request: Request, response: Response): Promise<SignedIn> => {
    const signedIn = await credential.prove();
    known.set(request, signedIn);
    setCaller(request, signedIn.caller);
    request.user = signedIn.caller.user as Express.User;
    // Nobody but the user's own browser may keep the answer (contract C43).
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
      refuseCrossSite(request, allowedOrigins);
      return await open(credential, request, response);
    } catch (error) {
      // A browser sends a stale cookie whether it means to or not.
      if (isRefusal(error)) return undefined;
      throw error;
    }
  };

  /** After `next("route")` a request is in another route and still the same user's. */
  const opened = (request: Request): SignedIn | undefined =>
    callerOf(request) === undefined ? undefined : known.get(request);

  return {
    async require(request, response) {
      const before = opened(request);
      if (before !== undefined) return before;
      const credential = await readCredential(request, kinds);
      if (credential === undefined) throw unauthorized();
      if (credential.through === "cookie") refuseCrossSite(request, allowedOrigins);
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

function isRefusal(error: unknown): boolean {
  const { status } = error as { status?: unknown };
  return status === 401 || status === 403;
}

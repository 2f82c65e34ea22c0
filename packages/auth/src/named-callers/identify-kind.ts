import type { Request } from "express";
import type { CredentialKind } from "../credentials.js";
import { invalidToken } from "../errors.js";
import { type NamedCaller, toSignedIn } from "./named-caller.js";

/**
 * Says who sends a request, by a session of another library; `undefined` for one that it knows nothing of: then the other
 * ways to say it are tried.
 */
export type Identify = (request: Request) => NamedCaller | undefined | Promise<NamedCaller | undefined>;

/**
 * Whoever another library knows. What came without `Authorization` may be a browser's cookie, which it sends whether it means
 * to or not: so it is refused across sites, as ours is.
 */
export function makeIdentifyKind(identify: Identify): CredentialKind {
  return async (request) => {
    const named = await identify(request);
    if (named === undefined || named === null) return undefined;
    const through = request.headers.authorization === undefined ? "cookie" : "header";
    return { through, prove: async () => toSignedIn(named, undefined) };
  };
}

/** Where there are no accounts, no `Authorization` is left that somebody could know: it is refused, and not nobody's. */
export const refusedKind: CredentialKind = ({ headers }) =>
  headers.authorization === undefined ? undefined : { through: "header", prove: () => Promise.reject(invalidToken()) };

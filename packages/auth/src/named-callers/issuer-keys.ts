import { isHttpError } from "@servicekit/core";
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from "jose";
import { authErrors } from "../errors.js";

/** How long is waited for an issuer, in milliseconds. */
const answerMs = 5_000;
/** For how long keys are believed before they are read again: a key that was taken back is refused then. */
const freshMs = 10 * 60_000;
/** An unknown key is looked for once in this time, however many tokens name one; after a failure nobody asks for as long. */
const cooldownMs = 10_000;

/** What an issuer says of itself (OpenID Connect Discovery 1.0, section 4.2; RFC 8414, section 3.2). */
interface Metadata {
  readonly issuer?: unknown;
  readonly jwks_uri?: unknown;
}

/**
 * The public keys of one issuer, read when the first token comes, and again when one names a key that is not known: so keys
 * may change. What cannot be read is a 503, for nobody can tell whether the token is good.
 *
 * @param jwksUri where they are; asked of the issuer's own metadata where it is not said
 */
export function makeIssuerKeys(issuer: string, jwksUri: string | undefined): JWTVerifyGetKey {
  let failure: { readonly at: number; readonly error: unknown } | undefined;
  const ask = async (url: string, options: RequestInit): Promise<Response> => {
    if (failure !== undefined && performance.now() - failure.at < cooldownMs) throw failure.error;
    try {
      const answer = await fetch(url, { ...options, redirect: "error" });
      if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}.`);
      failure = undefined;
      return answer;
    } catch (error) {
      failure = { at: performance.now(), error };
      throw error;
    }
  };
  const findUri = async (): Promise<string> => {
    const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const answer = await ask(url, { signal: AbortSignal.timeout(answerMs), headers: { accept: "application/json" } });
    const { issuer: named, jwks_uri: uri } = (await answer.json()) as Metadata;
    if (named !== issuer) throw new Error(`${url} speaks of the issuer ${String(named)}, not of ${issuer}.`);
    if (typeof uri !== "string") throw new Error(`${url} names no jwks_uri.`);
    return uri;
  };
  const open = async (): Promise<JWTVerifyGetKey> =>
    createRemoteJWKSet(new URL(jwksUri ?? (await findUri())), {
      timeoutDuration: answerMs,
      cooldownDuration: cooldownMs,
      cacheMaxAge: freshMs,
      [customFetch]: ask,
    });
  let opened: Promise<JWTVerifyGetKey> | undefined;
  return async (header, token) => {
    try {
      opened ??= open().catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return await (await opened)(header, token);
    } catch (error) {
      // The keys are known, and none of them is the token's.
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      if (error instanceof errors.JOSENotSupported || isHttpError(error)) throw error;
      throw authErrors.IssuerUnavailable(undefined, { cause: error, headers: { "Retry-After": "10" } });
    }
  };
}

import { isHttpError } from "@servicekit/core";
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from "jose";
import { authErrors } from "../errors.js";

/** The timeout for an issuer, in milliseconds. */
const responseMs = 5_000;
/** How long keys are cached before they are read again, so that a revoked key is rejected. */
const freshMs = 10 * 60_000;
/**
 * An unknown key is looked up once in this time, however many tokens name one; after a failure the issuer is not called
 * for as long.
 */
const cooldownMs = 10_000;

/** The metadata of an issuer (OpenID Connect Discovery 1.0, section 4.2; RFC 8414, section 3.2). */
interface Metadata {
  readonly issuer?: unknown;
  readonly jwks_uri?: unknown;
}

/**
 * The public keys of one issuer, read for the first token, and again if a token names an unknown key, so that keys may
 * change. If they cannot be read, the response is 503, because the token cannot be verified.
 *
 * @param jwksUri the URL of the keys; read from the issuer's metadata if it is not set
 */
export function makeIssuerKeys(issuer: string, jwksUri: string | undefined): JWTVerifyGetKey {
  let failure: { readonly at: number; readonly error: unknown } | undefined;
  const call = async (url: string, options: RequestInit): Promise<Response> => {
    if (failure !== undefined && performance.now() - failure.at < cooldownMs) throw failure.error;
    try {
      const response = await fetch(url, { ...options, redirect: "error" });
      if (response.status !== 200) throw new Error(`${url} responded with ${response.status}.`);
      failure = undefined;
      return response;
    } catch (error) {
      failure = { at: performance.now(), error };
      throw error;
    }
  };
  const findUri = async (): Promise<string> => {
    const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const response = await call(url, {
      signal: AbortSignal.timeout(responseMs),
      headers: { accept: "application/json" },
    });
    const { issuer: named, jwks_uri: uri } = (await response.json()) as Metadata;
    if (named !== issuer) throw new Error(`${url} describes the issuer ${String(named)}, not ${issuer}.`);
    if (typeof uri !== "string") throw new Error(`${url} has no jwks_uri.`);
    return uri;
  };
  const open = async (): Promise<JWTVerifyGetKey> =>
    createRemoteJWKSet(new URL(jwksUri ?? (await findUri())), {
      timeoutDuration: responseMs,
      cooldownDuration: cooldownMs,
      cacheMaxAge: freshMs,
      [customFetch]: call,
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

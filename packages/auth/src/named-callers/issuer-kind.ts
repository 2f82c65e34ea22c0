import { isHttpError } from "@servicekit/core";
import { isPlainText } from "@servicekit/prisma/internal";
import { decodeJwt, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Credential, CredentialKind, SignedIn } from "../authentication/read-credential.js";
import type { IssuerClaims, TokenIssuer } from "../configuration/token-issuer.js";
import { invalidToken } from "../errors.js";
import { makeIssuerKeys } from "./issuer-keys.js";
import { toSignedIn } from "./to-signed-in.js";

/** Signatures of a private key: with a shared secret, whoever verifies could sign, and a public key could be taken for one. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** What an access token calls itself (RFC 9068, section 2.1), where it says anything. */
const accessTokenTypes = new Set(["jwt", "at+jwt", "application/at+jwt"]);

/** How far the clocks of two machines may be apart, in seconds. */
const clockTolerance = 5;

/** Nothing longer is looked at. */
const longestToken = 16_384;

/**
 * Access tokens of others, in the header. Whose it says it is decides by whose keys it is held: those of one issuer are
 * never looked up for another, and neither the key nor the algorithm is the token's to choose. A token of no issuer here is left
 * to the kinds behind.
 */
export function makeIssuerKind(issuers: readonly TokenIssuer[]): CredentialKind {
  const known = new Map(
    issuers.map((issuer) => [issuer.issuer, { issuer, keys: makeIssuerKeys(issuer.issuer, issuer.jwksUri) }]),
  );
  return (request): Credential | undefined => {
    const [, token] = /^Bearer +([\w.~+/-]+=*) *$/i.exec(request.headers.authorization ?? "") ?? [];
    if (token === undefined || token.length > longestToken) return undefined;
    const found = known.get(issuerOf(token) ?? "");
    if (found === undefined) return undefined;
    return { through: "header", prove: () => proveToken(token, found.issuer, found.keys) };
  };
}

async function proveToken(token: string, issuer: TokenIssuer, keys: JWTVerifyGetKey): Promise<SignedIn> {
  const claims = await readClaims(token, issuer, keys);
  const named = await issuer.user(claims);
  if (named === undefined) throw invalidToken();
  return toSignedIn(named, issuer.issuer);
}

async function readClaims(
  token: string,
  { issuer, audience }: TokenIssuer,
  keys: JWTVerifyGetKey,
): Promise<IssuerClaims> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer,
      audience: typeof audience === "string" ? audience : [...audience],
      algorithms,
      clockTolerance,
      requiredClaims: ["iss", "aud", "exp", "sub"],
    });
    const { typ } = protectedHeader;
    if (typ !== undefined && !accessTokenTypes.has(typ.toLowerCase())) throw invalidToken();
    // Bound to a key of the client (RFC 9449, RFC 8705), which nobody has asked for: whoever stole it could send it too.
    if (payload.cnf !== undefined) throw invalidToken();
    // An id that no database stores, and an empty one, identify no user.
    const sub: unknown = payload.sub;
    if (typeof sub !== "string" || sub === "" || !isPlainText(sub)) throw invalidToken();
    return payload as unknown as IssuerClaims;
  } catch (error) {
    throw isHttpError(error) ? error : invalidToken(error);
  }
}

/** Whose a token says it is, before anything of it is believed. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

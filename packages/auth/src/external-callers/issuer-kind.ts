import { isHttpError } from "@servicekit/core";
import { isPlainText } from "@servicekit/prisma/internal";
import { decodeJwt, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Credential, CredentialKind, SignedIn } from "../authentication/read-credential.js";
import type { IssuerClaims, TokenIssuer } from "../configuration/token-issuer.js";
import { invalidToken } from "../errors.js";
import { makeIssuerKeys } from "./issuer-keys.js";
import { toSignedIn } from "./to-signed-in.js";

/**
 * Asymmetric signatures only: with a shared secret, every verifier could sign, and a public key could be mistaken for
 * one.
 */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** The type of an access token (RFC 9068, section 2.1), if it has one. */
const accessTokenTypes = new Set(["jwt", "at+jwt", "application/at+jwt"]);

/** The accepted difference between the clocks of two machines, in seconds. */
const clockTolerance = 5;

/** Longer tokens are ignored. */
const longestToken = 16_384;

/**
 * Access tokens of external issuers, in the header. The token's issuer selects the keys: those of one issuer are never
 * used for another, and the token chooses neither the key nor the algorithm. A token of an unknown issuer is left to
 * the other kinds.
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
    return { through: "header", verify: () => verifyToken(token, found.issuer, found.keys) };
  };
}

async function verifyToken(token: string, issuer: TokenIssuer, keys: JWTVerifyGetKey): Promise<SignedIn> {
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
    // Bound to a key of the client (RFC 9449, RFC 8705), which is not checked here, so a thief could send it too.
    if (payload.cnf !== undefined) throw invalidToken();
    // An id that databases cannot store, or an empty one, does not identify a user.
    const sub: unknown = payload.sub;
    if (typeof sub !== "string" || sub === "" || !isPlainText(sub)) throw invalidToken();
    return payload as unknown as IssuerClaims;
  } catch (error) {
    throw isHttpError(error) ? error : invalidToken(error);
  }
}

/** The unverified issuer of a token. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

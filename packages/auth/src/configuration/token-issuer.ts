import { z } from "zod";
import type { ExternalCaller } from "./external-caller.js";

/** The claims of an issuer's verified token (RFC 7519, section 4). */
export interface IssuerClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string | readonly string[];
  /** Seconds since 1970. */
  readonly exp: number;
  readonly [claim: string]: unknown;
}

/** An external issuer of access tokens: Keycloak, Auth0, Entra, Cognito and others. */
export interface TokenIssuer {
  /** Exactly as in `iss`, including a trailing slash. */
  readonly issuer: string;
  /** The audience of this service: one of these must be in `aud`. For ID tokens it is the client id. */
  readonly audience: string | readonly string[];
  /** The URL of its public keys. @default that of `<issuer>/.well-known/openid-configuration` */
  readonly jwksUri?: string;
  /**
   * Returns the caller. `undefined`, or a promise of it, rejects the token (401).
   *
   * @example user: (claims) => ({ id: claims.sub, roles: claims.roles as string[] })
   */
  readonly user: (claims: IssuerClaims) => ExternalCaller | undefined | Promise<ExternalCaller | undefined>;
}

const text = z.string().min(1);
const address = z.url({ protocol: /^https?$/ }).meta({ expected: "an address such as https://login.example.com" });

/** A function in the configuration. */
export const named = z
  .custom<(...given: never[]) => unknown>((value) => typeof value === "function")
  .meta({ expected: "a function" });

/** The schema of one issuer. */
export const tokenIssuerSchema = z.strictObject({
  issuer: address,
  audience: z.union([text, z.array(text).min(1)]).meta({ expected: "a string or a list of strings" }),
  jwksUri: address.optional(),
  user: named,
});

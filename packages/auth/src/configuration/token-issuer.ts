import { z } from "zod";
import type { NamedCaller } from "./named-caller.js";

/** What a verified token of an issuer says (RFC 7519, section 4), with whatever else the issuer writes into it. */
export interface IssuerClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string | readonly string[];
  /** Seconds since 1970. */
  readonly exp: number;
  readonly [claim: string]: unknown;
}

/** Somebody else who gives out access tokens: Keycloak, Auth0, Entra, Cognito and the like. */
export interface TokenIssuer {
  /** Exactly as it stands in `iss`, with its slash at the end where it has one. */
  readonly issuer: string;
  /** Which tokens are for this service: one of these must stand in `aud`. The id of a client is that of its ID tokens. */
  readonly audience: string | readonly string[];
  /** Where its public keys are. @default what `<issuer>/.well-known/openid-configuration` names */
  readonly jwksUri?: string;
  /**
   * Who the caller is. `undefined`, and a promise of it, refuses the token (401).
   *
   * @example user: (claims) => ({ id: claims.sub, roles: claims.roles as string[] })
   */
  readonly user: (claims: IssuerClaims) => NamedCaller | undefined | Promise<NamedCaller | undefined>;
}

const text = z.string().min(1);
const address = z.url({ protocol: /^https?$/ }).meta({ expected: "an address such as https://login.example.com" });

/** A function that stands in the configuration. */
export const named = z
  .custom<(...given: never[]) => unknown>((value) => typeof value === "function")
  .meta({ expected: "a function" });

/** The shape of one issuer. */
export const tokenIssuerSchema = z.strictObject({
  issuer: address,
  audience: z.union([text, z.array(text).min(1)]).meta({ expected: "a text or a list of texts" }),
  jwksUri: address.optional(),
  user: named,
});

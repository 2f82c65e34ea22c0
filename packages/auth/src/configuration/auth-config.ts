import type { RateLimitOptions } from "@servicekit/router/settings";
import type { Identify } from "./external-caller.js";
import type { TokenIssuer } from "./token-issuer.js";

/** How access control works: roles declared at routes, or permissions stored in the database. */
export type AuthMode = "static" | "dynamic";

/** How a client receives its access token after a login. */
export type SendAccessTokenThrough = "cookie-only" | "response-only" | "both";

/** The block `authentication` of the configuration (specification, "Authentication"). */
export interface AuthConfig {
  /** `false` turns authentication off and removes its routes. @default true */
  readonly enabled?: boolean;
  readonly mode: AuthMode;
  /**
   * Whether the service has accounts of its own: the model User, its own tokens, and the sign-in routes. `false` leaves
   * authentication to `issuers` and `identify`. @default true
   */
  readonly accounts?: boolean;
  /** External issuers whose access tokens are accepted in `Authorization`, each with its own keys (contract C72). */
  readonly issuers?: readonly TokenIssuer[];
  /** Identifies the sender of a request by a session of another library, such as Better Auth (contract C72). */
  readonly identify?: Identify;
  readonly login?: {
    /** The user fields that are login names; a dotted one reads a relation. @default ["username"] */
    readonly allowedUsernames?: readonly string[];
    /** @default "both" */
    readonly sendAccessTokenThrough?: SendAccessTokenThrough;
    /**
     * Normalizes login names and `email` to lower case and NFKC, rejects invisible characters, and finds a name in any
     * case.
     * @default true
     */
    readonly normalizeNames?: boolean;
  };
  readonly signup?: {
    /**
     * Responds the same whether or not a user has the address, and sends an email to it; users cannot log in before
     * they have verified their address. Requires a mailer, and `email` and `emailVerified` of the user. @default false
     */
    readonly silent?: boolean;
  };
  /**
   * For all routes under `/api/auth` together. `false` leaves them to the global limit; failed sign-ins are counted
   * anyway.
   *
   * @default 10 requests in 5000 ms
   */
  readonly rateLimit?: false | RateLimitOptions;
  readonly jwt?: {
    /** Signs access tokens. A list, or a string with commas, verifies with all and signs with the first. */
    readonly secret?: string | readonly string[] | undefined;
    /** The lifetime of a token: `30d`, `12h`, `15m`, `3600s`, or a number of seconds. @default "30d" */
    readonly expiresIn?: string;
    /** Set in tokens and required of them. */
    readonly issuer?: string;
    /** Set in tokens and required of them. */
    readonly audience?: string;
    readonly cookie?: {
      /** Only over HTTPS. @default true in production, false elsewhere */
      readonly secure?: boolean;
      /** Not readable by scripts. @default true */
      readonly httpOnly?: boolean;
      /** @default "none" in production, "lax" elsewhere */
      readonly sameSite?: "lax" | "strict" | "none";
    };
  };
  /** If the schema has a model `AuthSession`. */
  readonly session?: {
    /** The lifetime of an access token, in place of `jwt.expiresIn`. @default "15m" */
    readonly accessExpiresIn?: string;
    /** How long a session lasts after its last refresh. @default "30d" */
    readonly refreshExpiresIn?: string;
  };
  /** If the schema has a model `AuthKey`. */
  readonly keys?: {
    /** For each API key. @default 600 requests in 60000 ms */
    readonly rateLimit?: RateLimitOptions;
  };
  readonly password?: {
    /** The cost of a bcrypt hash. @default 12 */
    readonly cost?: number;
    /** Maximum number of passwords per request; above it the response is 413. @default 20 */
    readonly maxPerRequest?: number;
  };
  /**
   * How long a user is cached with session, roles and permissions, in milliseconds: changes by other instances take
   * effect after this time (contract C29). @default 0, which reads them for every request
   */
  readonly cacheMs?: number;
}

/** The block `authentication` with every default filled in, frozen. */
export interface AuthSettings {
  readonly enabled: boolean;
  readonly mode: AuthMode;
  readonly accounts: boolean;
  readonly issuers: readonly TokenIssuer[];
  readonly identify: Identify | undefined;
  readonly login: {
    readonly allowedUsernames: readonly string[];
    readonly sendAccessTokenThrough: SendAccessTokenThrough;
    readonly normalizeNames: boolean;
  };
  readonly signup: { readonly silent: boolean };
  readonly rateLimit: {
    /** Whether requests are counted per client, besides failed sign-ins. */
    readonly counts: boolean;
    readonly windowMs: number;
    readonly limit: number;
    readonly message: string;
  };
  readonly jwt: {
    /** The first signs, all verify. */
    readonly secrets: readonly string[];
    /** In seconds. */
    readonly lifetime: number;
    readonly issuer: string | undefined;
    readonly audience: string | undefined;
    readonly cookie: {
      readonly secure: boolean;
      readonly httpOnly: boolean;
      readonly sameSite: "lax" | "strict" | "none";
    };
  };
  readonly session: {
    /** Whether the configuration sets anything about sessions. */
    readonly isConfigured: boolean;
    /** In seconds. */
    readonly accessLifetime: number;
    /** In seconds. */
    readonly refreshLifetime: number;
  };
  readonly keys: {
    /** Whether the configuration sets anything about API keys. */
    readonly isConfigured: boolean;
    readonly windowMs: number;
    readonly limit: number;
    readonly message: string;
    /** The environment of the keys, which they contain. */
    readonly environment: string;
  };
  readonly password: { readonly cost: number; readonly maxPerRequest: number };
  /** In milliseconds; 0 reads the user for every request. */
  readonly cacheMs: number;
}

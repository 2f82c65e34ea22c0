import type { RateLimitOptions } from "@servicekit/router/settings";
import type { Identify } from "./named-caller.js";
import type { TokenIssuer } from "./token-issuer.js";

/** How the kind of access control works: roles declared at routes, or permissions stored in the database. */
export type AuthMode = "static" | "dynamic";

/** How a client gets its access token after a login. */
export type SendAccessTokenThrough = "cookie-only" | "response-only" | "both";

/** The block `authentication` of the configuration (specification, "Authentication"). */
export interface AuthConfig {
  /** `false` turns authentication off and removes its routes. @default true */
  readonly enabled?: boolean;
  readonly mode: AuthMode;
  /**
   * Whether the service has accounts of its own: the model User, tokens of ours, and the routes to sign in. `false` leaves
   * that to `issuers` and `identify`. @default true
   */
  readonly accounts?: boolean;
  /** Others whose access tokens are taken in `Authorization`, each with keys of its own (contract C72). */
  readonly issuers?: readonly TokenIssuer[];
  /** Says who sends a request by a session of another library, such as Better Auth (contract C72). */
  readonly identify?: Identify;
  readonly login?: {
    /** The user fields that are taken as login name; a dotted one reads a relation. @default ["username"] */
    readonly allowedUsernames?: readonly string[];
    /** @default "both" */
    readonly sendAccessTokenThrough?: SendAccessTokenThrough;
    /**
     * Keeps login names and `email` in lower case and NFKC, refuses characters that nobody sees in them, and finds a name in
     * whatever case it is given. @default true
     */
    readonly normalizeNames?: boolean;
  };
  readonly signup?: {
    /**
     * Answers alike whether a user has the address or nobody, and sends a mail to it; nobody logs in before they have shown
     * that the address is theirs. Needs a mailer, and `email` and `emailVerified` of the user. @default false
     */
    readonly silent?: boolean;
  };
  /**
   * For all routes under `/api/auth` together. `false` leaves them to the global limit; failed sign-ins are counted anyway.
   *
   * @default 10 requests in 5000 ms
   */
  readonly rateLimit?: false | RateLimitOptions;
  readonly jwt?: {
    /** Signs access tokens. A list, or a text with commas, verifies with all and signs with the first. */
    readonly secret?: string | readonly string[] | undefined;
    /** How long a token lasts: `30d`, `12h`, `15m`, `3600s`, or a number of seconds. @default "30d" */
    readonly expiresIn?: string;
    /** Written into tokens and expected of them. */
    readonly issuer?: string;
    /** Written into tokens and expected of them. */
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
  /** For where the schema has a model `AuthSession`. */
  readonly session?: {
    /** How long an access token lasts, in place of `jwt.expiresIn`. @default "15m" */
    readonly accessExpiresIn?: string;
    /** How long a session lasts after its last refresh. @default "30d" */
    readonly refreshExpiresIn?: string;
  };
  /** For where the schema has a model `AuthKey`. */
  readonly keys?: {
    /** For each API key. @default 600 requests in 60000 ms */
    readonly rateLimit?: RateLimitOptions;
  };
  readonly password?: {
    /** The cost of a bcrypt hash. @default 12 */
    readonly cost?: number;
    /** How many passwords one request may write; more are 413. @default 20 */
    readonly mostPerRequest?: number;
  };
  /**
   * How long a user is remembered with session, roles and permissions, in milliseconds: changes by others are felt as late
   * (contract C29). @default 0, which reads them with every request
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
    /** Whether requests are counted for each client, besides the failures of signing in. */
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
    /** Whether the configuration says anything of sessions. */
    readonly isConfigured: boolean;
    /** In seconds. */
    readonly accessLifetime: number;
    /** In seconds. */
    readonly refreshLifetime: number;
  };
  readonly keys: {
    /** Whether the configuration says anything of API keys. */
    readonly isConfigured: boolean;
    readonly windowMs: number;
    readonly limit: number;
    readonly message: string;
    /** Where keys are good, as it stands in them. */
    readonly environment: string;
  };
  readonly password: { readonly cost: number; readonly mostPerRequest: number };
  /** In milliseconds; 0 reads the user with every request. */
  readonly cacheMs: number;
}

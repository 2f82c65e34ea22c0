import { StartupError, type StartupIssue } from "@servicekit/core";
import { type RateLimitOptions, rateLimitSchema, readRateLimit } from "@servicekit/router/settings";
import { z } from "zod";
import type { AuthConfig, AuthSettings } from "./configuration/auth-config.js";
import { findExternalIssues } from "./configuration/external-issues.js";
import { readLifetime } from "./configuration/read-lifetime.js";
import { named, tokenIssuerSchema } from "./configuration/token-issuer.js";

export type { AuthConfig, AuthMode, AuthSettings, SendAccessTokenThrough } from "./configuration/auth-config.js";
export { authModule } from "./module/module-kind.js";
export { userRules } from "./users/user-rules.js";

/** The environment of the settings. */
export interface AuthContext {
  /** `NODE_ENV`. */
  readonly nodeEnv: string;
}

const count = z.int().min(1);
const text = z.string().min(1);
const lifetime = z
  .string()
  .refine((value) => readLifetime(value) !== undefined)
  .meta({ expected: "a lifetime such as 30d, 12h, 15m or 3600s" });
const fieldPath = z
  .string()
  .regex(/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/)
  .meta({ expected: "the name of a user field, such as email or profile.nickname" });

/** The schema of the block `authentication`. */
export const authConfigSchema = z.strictObject({
  enabled: z.boolean().optional(),
  mode: z.enum(["static", "dynamic"]),
  accounts: z.boolean().optional(),
  issuers: z.array(tokenIssuerSchema).meta({ expected: "a list of issuers" }).optional(),
  identify: named.optional(),
  login: z
    .strictObject({
      allowedUsernames: z.array(fieldPath).min(1).meta({ expected: "a list of user fields" }).optional(),
      sendAccessTokenThrough: z.enum(["cookie-only", "response-only", "both"]).optional(),
      normalizeNames: z.boolean().optional(),
    })
    .optional(),
  signup: z.strictObject({ silent: z.boolean().optional() }).optional(),
  rateLimit: z.union([z.literal(false), rateLimitSchema]).optional(),
  jwt: z
    .strictObject({
      secret: z
        .union([z.string(), z.array(text).min(1)])
        .meta({ secret: true, expected: "a string or a list of strings" })
        .optional(),
      expiresIn: lifetime.optional(),
      issuer: text.optional(),
      audience: text.optional(),
      cookie: z
        .strictObject({
          secure: z.boolean().optional(),
          httpOnly: z.boolean().optional(),
          sameSite: z.enum(["lax", "strict", "none"]).optional(),
        })
        .optional(),
    })
    .optional(),
  session: z.strictObject({ accessExpiresIn: lifetime.optional(), refreshExpiresIn: lifetime.optional() }).optional(),
  keys: z.strictObject({ rateLimit: rateLimitSchema.optional() }).optional(),
  // Above 18 one login takes a minute of a core.
  password: z.strictObject({ cost: z.int().min(4).max(18).optional(), maxPerRequest: count.optional() }).optional(),
  cacheMs: z.int().min(0).meta({ expected: "an integer of milliseconds, or 0" }).optional(),
});

const within = "authentication";

/**
 * The environment variables of the block `authentication` (specification); they are not read without it, because other
 * programs may use them too.
 */
export const authVariables = {
  JWT_SECRET: { key: "authentication.jwt.secret", within },
  JWT_EXPIRES_IN: { key: "authentication.jwt.expiresIn", within },
  JWT_COOKIE_SECURE: { key: "authentication.jwt.cookie.secure", within },
  JWT_COOKIE_HTTP_ONLY: { key: "authentication.jwt.cookie.httpOnly", within },
  JWT_COOKIE_SAME_SITE: { key: "authentication.jwt.cookie.sameSite", within },
} as const;

/** Minimum number of bytes of a secret (RFC 7518, section 3.2). */
const secretBytes = 32;

/** The issues of a valid block: a missing or weak secret (contract C24), duplicate issuers. */
export function findAuthIssues(config: AuthConfig, { nodeEnv }: AuthContext): StartupIssue[] {
  if (config.enabled === false) return [];
  const issues = findExternalIssues(config, { nodeEnv });
  return config.accounts === false ? issues : [...issues, ...findSecretIssues(config, nodeEnv)];
}

function findSecretIssues(config: AuthConfig, nodeEnv: string): StartupIssue[] {
  const where = "authentication.jwt.secret (JWT_SECRET)";
  const secrets = readSecrets(config.jwt?.secret);
  if (secrets.length === 0) {
    return [{ where, message: `Authentication requires a secret to sign access tokens. ${howToMakeOne}` }];
  }
  if (nodeEnv !== "production") return [];
  return secrets.flatMap((secret, index) => {
    const bytes = Buffer.byteLength(secret);
    if (bytes >= secretBytes) return [];
    const which = secrets.length === 1 ? "The secret" : `Secret ${index + 1} of ${secrets.length}`;
    const message = `${which} has ${bytes} bytes; production requires at least ${secretBytes}. ${howToMakeOne}`;
    return [{ where, message }];
  });
}

/** Warnings that do not prevent startup. */
export function findAuthWarnings(settings: AuthSettings): string[] {
  if (!settings.enabled) {
    return [
      "authentication.enabled is false: routes that declare authentication are open to everyone, and the authentication routes do not exist.",
    ];
  }
  if (!settings.accounts) return [];
  const warnings: string[] = [];
  if (settings.jwt.secrets.some((secret) => Buffer.byteLength(secret) < secretBytes)) {
    warnings.push(
      `The secret of access tokens has less than ${secretBytes} bytes; production requires more and will not start.`,
    );
  }
  const { sameSite, secure } = settings.jwt.cookie;
  if (sameSite === "none" && !secure) {
    warnings.push("Browsers reject the cookie of the access token: sameSite none requires secure true.");
  }
  return warnings;
}

/**
 * Adds the defaults to the block `authentication`.
 *
 * @throws {StartupError} for a missing or weak secret (contract C24)
 */
export function readAuthSettings(config: AuthConfig, context: AuthContext): AuthSettings {
  const issues = findAuthIssues(config, context);
  if (issues.length > 0) throw new StartupError(issues);
  const {
    enabled = true,
    mode,
    accounts = true,
    issuers = [],
    identify,
    login = {},
    signup = {},
    rateLimit: limit = {},
    jwt = {},
    session,
    keys,
    password = {},
    cacheMs = 0,
  } = config;
  const rateLimit = limit === false ? {} : readRateLimit(limit);
  const production = context.nodeEnv === "production";
  const { cookie = {} } = jwt;
  return Object.freeze({
    enabled,
    mode,
    accounts,
    issuers: Object.freeze([...issuers]),
    identify,
    cacheMs,
    login: Object.freeze({
      allowedUsernames: Object.freeze([...new Set(login.allowedUsernames ?? ["username"])]),
      sendAccessTokenThrough: login.sendAccessTokenThrough ?? "both",
      normalizeNames: login.normalizeNames ?? true,
    }),
    signup: Object.freeze({ silent: signup.silent ?? false }),
    rateLimit: Object.freeze({
      counts: limit !== false,
      windowMs: rateLimit.windowMs ?? 5000,
      limit: rateLimit.limit ?? 10,
      message: rateLimit.message ?? "Too many requests",
    }),
    jwt: Object.freeze({
      secrets: Object.freeze(readSecrets(jwt.secret)),
      lifetime: readLifetime(jwt.expiresIn ?? "30d") ?? 0,
      issuer: jwt.issuer,
      audience: jwt.audience,
      cookie: Object.freeze({
        secure: cookie.secure ?? production,
        httpOnly: cookie.httpOnly ?? true,
        sameSite: cookie.sameSite ?? (production ? "none" : "lax"),
      }),
    }),
    session: Object.freeze({
      isConfigured: session !== undefined,
      accessLifetime: readLifetime(session?.accessExpiresIn ?? "15m") ?? 0,
      refreshLifetime: readLifetime(session?.refreshExpiresIn ?? "30d") ?? 0,
    }),
    keys: Object.freeze({
      isConfigured: keys !== undefined,
      ...readKeyLimit(keys?.rateLimit),
      environment: production ? "live" : context.nodeEnv.replace(/[^a-z]/g, "").slice(0, 20) || "development",
    }),
    password: Object.freeze({ cost: password.cost ?? 12, maxPerRequest: password.maxPerRequest ?? 20 }),
  });
}

function readKeyLimit(options: RateLimitOptions = {}) {
  const { windowMs = 60_000, limit = 600, message = "Too many requests" } = readRateLimit(options);
  return { windowMs, limit, message };
}

const howToMakeOne = `Make one with: node -e "console.log(require('node:crypto').randomBytes(48).toString('base64url'))"`;

function readSecrets(secret: string | readonly string[] | undefined): string[] {
  const list = typeof secret === "string" ? secret.split(",").map((part) => part.trim()) : (secret ?? []);
  return list.filter((part) => part !== "");
}

import { type AuthConfig, authConfigSchema, findAuthIssues } from "@servicekit/auth/settings";
import type { ConfigObject } from "@servicekit/config-loader";
import type { StartupIssue } from "@servicekit/core";
import { isObject } from "@servicekit/core/internal";
import type { Environment } from "./environment.js";
import { isPlaceholder } from "./weak-secret.js";

/**
 * The issues of the block `authentication` that a schema cannot find: a missing secret, or one too weak for production
 * (contract C24). Reported even if the rest of the block is invalid, so that all issues are reported together.
 */
export function authIssues({ authentication }: ConfigObject, { NODE_ENV: nodeEnv = "" }: Environment): StartupIssue[] {
  const config = readableParts(authentication);
  if (config === undefined) return [];
  const issues = findAuthIssues(config, { nodeEnv });
  if (issues.length > 0) return issues;
  const { secret = [] } = config.jwt ?? {};
  const secrets = typeof secret === "string" ? secret.split(",") : secret;
  if (nodeEnv !== "production" || config.enabled === false || config.accounts === false) return [];
  if (!secrets.some((one) => one.trim() !== "" && isPlaceholder(one.trim()))) return [];
  const message = "The secret is a well-known placeholder. Make one with: openssl rand -base64 48";
  return [{ where: "authentication.jwt.secret (JWT_SECRET)", message }];
}

const {
  enabled: enabledSchema,
  accounts: accountsSchema,
  issuers: issuersSchema,
  identify: identifySchema,
  jwt: jwtSchema,
} = authConfigSchema.shape;
const { secret: secretSchema } = jwtSchema.unwrap().shape;

/** `undefined` if the schema reports the secret, or what decides whether one is required. */
function readableParts(block: unknown): AuthConfig | undefined {
  if (!isObject(block)) return undefined;
  const { enabled, accounts, issuers, identify, jwt = {} } = block;
  if (!isObject(jwt)) return undefined;
  const read = [enabledSchema.safeParse(enabled), secretSchema.safeParse(jwt.secret)] as const;
  if (!read[0].success || !read[1].success) return undefined;
  const [{ data: isEnabled = true }, { data: secret }] = read;
  const issuer = typeof jwt.issuer === "string" ? { issuer: jwt.issuer } : {};
  const named = {
    ...(accountsSchema.safeParse(accounts).data === false ? { accounts: false } : {}),
    ...(issuersSchema.safeParse(issuers).data === undefined ? {} : { issuers }),
    ...(identifySchema.safeParse(identify).data === undefined ? {} : { identify }),
  };
  return {
    enabled: isEnabled,
    mode: "static",
    jwt: { ...issuer, ...(secret === undefined ? {} : { secret }) },
    ...named,
  } as AuthConfig;
}

import { type AuthConfig, authConfigSchema, findAuthFaults } from "@servicekit/auth/settings";
import type { ConfigObject } from "@servicekit/config-loader";
import type { StartFault } from "@servicekit/core";
import { isObject } from "@servicekit/core/internal";
import type { Environment } from "./settings.js";
import { isPlaceholder } from "./weak-secret.js";

/**
 * What a schema cannot see in the block `authentication`: a secret that is missing, or too weak for production (contract
 * C24). Told even where the rest of the block is wrong, so that all faults are told at once.
 */
export function authFaults({ authentication }: ConfigObject, { NODE_ENV: nodeEnv = "" }: Environment): StartFault[] {
  const config = readableParts(authentication);
  if (config === undefined) return [];
  const faults = findAuthFaults(config, { nodeEnv });
  if (faults.length > 0) return faults;
  const { secret = [] } = config.jwt ?? {};
  const secrets = typeof secret === "string" ? secret.split(",") : secret;
  if (nodeEnv !== "production" || config.enabled === false || config.accounts === false) return [];
  if (!secrets.some((one) => one.trim() !== "" && isPlaceholder(one.trim()))) return [];
  const message = "The secret is a placeholder that everybody knows. Make one with: openssl rand -base64 48";
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

/** `undefined` where the schema has a fault to tell of the secret, or of what decides whether one is needed. */
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

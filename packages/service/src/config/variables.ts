import { authVariables } from "@servicekit/auth/settings";
import { type ArgumentTable } from "@servicekit/config-loader";
import { schemaVariables } from "@servicekit/config-loader/internal";
import { mailerVariables } from "@servicekit/mailer/settings";
import { webhookVariables } from "@servicekit/webhooks/settings";
import { configSchema } from "./config-schema.js";

/** The prefix of this configuration's variables. */
export const variablePrefix = "SERVICE";

/**
 * The environment variables of the configuration (contract C68): one for each key that text can represent, by the rule
 * of `schemaVariables`, and the names in the specification ("Environment variables").
 */
export const variables = schemaVariables(configSchema, variablePrefix, {
  PORT: { key: "port" },
  HOST: { key: "host" },
  DATABASE_POOL_SIZE: { key: "database.poolSize", within: "database" },
  DATABASE_REPLICA_URLS: { key: "database.replicas", within: "database" },
  ...authVariables,
  TRUST_PROXY: { key: "trustProxy" },
  CORS_ORIGINS: { key: "middlewares.cors.allowedOrigins" },
  LOG_LEVEL: { key: "logLevel" },
  REDIS_URL: { key: "redis.url" },
  ...mailerVariables,
  ...webhookVariables,
});

/** The command-line arguments. */
export const commandLine: ArgumentTable = {
  port: { key: "port", short: "p", type: "port" },
  workers: {
    key: "workers",
    type: "any",
    of: [{ type: "enum", values: ["auto"] }, { type: "integer" }],
    expected: 'an integer or "auto"',
  },
};

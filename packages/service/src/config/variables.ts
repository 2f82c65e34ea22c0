import { authVariables } from "@servicekit/auth/settings";
import type { ArgumentTable, VariableTable } from "@servicekit/config-loader";

/** The environment variables that set keys of the configuration (specification, "Environment variables"). */
export const variables: VariableTable = {
  PORT: { key: "port", type: "port" },
  HOST: { key: "host", type: "text" },
  ...authVariables,
  TRUST_PROXY: { key: "trustProxy", type: "text" },
  REDIS_URL: { key: "redis.url", type: "text" },
  EMAIL_HOST: { key: "email.host", type: "text" },
  EMAIL_PORT: { key: "email.port", type: "port" },
  EMAIL_SECURE: { key: "email.secure", type: "boolean" },
  EMAIL_USER: { key: "email.auth.user", type: "text" },
  EMAIL_PASSWORD: { key: "email.auth.pass", type: "text" },
  EMAIL_NAME: { key: "email.name", type: "text" },
};

/** The arguments of the command line. */
export const commandLine: ArgumentTable = { port: { key: "port", short: "p", type: "port" } };

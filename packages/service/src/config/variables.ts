import { authVariables } from "@servicekit/auth/settings";
import type { ArgumentTable, VariableTable } from "@servicekit/config-loader";
import { mailerVariables } from "@servicekit/mailer/settings";

/** The environment variables that set keys of the configuration (specification, "Environment variables"). */
export const variables: VariableTable = {
  PORT: { key: "port", type: "port" },
  HOST: { key: "host", type: "text" },
  ...authVariables,
  TRUST_PROXY: { key: "trustProxy", type: "text" },
  REDIS_URL: { key: "redis.url", type: "text" },
  ...mailerVariables,
};

/** The arguments of the command line. */
export const commandLine: ArgumentTable = { port: { key: "port", short: "p", type: "port" } };

import { variablePrefix, variables } from "../../packages/service/src/config/variables.js";
import { code, generated, plain, table } from "./markdown.js";

/** A variable that sets no key of the configuration. */
interface OtherVariable {
  readonly readBy: string;
  readonly meaning: string;
}

/** The variables that are read outside of the configuration schema. A test compares their names with the sources. */
export const otherVariables: Readonly<Record<string, OtherVariable>> = {
  DATABASE_URL: {
    readBy: "the service, the CLI",
    meaning:
      "The URL of the database. Required if `database.client` is a function. Without it `service dev`, `seed`, `generate` and `migrate` (except `migrate deploy`) start an embedded PostgreSQL with its data in `.data/postgres`, or use the file `.data/dev.db` if the schema has the provider `sqlite`; `user`, `jobs`, `changes` and `mcp` use this database if it exists; `service start` uses this database if `service dev` created it and `NODE_ENV` is not `production`.",
  },
  NODE_ENV: {
    readBy: "the service, the CLI",
    meaning:
      "`development` (default), `production` or `test`. Selects the `.env` files, the log format and the defaults for production.",
  },
  DEBUG: { readBy: "the CLI", meaning: "Any value prints the stack of unexpected errors." },
  MCP_TOKEN: { readBy: "`service mcp`", meaning: "The access token that is sent with every request." },
  MCP_API_KEY: { readBy: "`service mcp`", meaning: "The API key that is sent with every request." },
  SERVICEKIT_ROLE: {
    readBy: "the service",
    meaning: "`worker` runs jobs, subscribers and webhooks without listening, as `service worker` does.",
  },
  NO_COLOR: { readBy: "the CLI", meaning: "Any text turns colors off." },
  FORCE_COLOR: {
    readBy: "the CLI",
    meaning: "Turns colors on without a terminal; `0` leaves the decision to the terminal.",
  },
  TERM: { readBy: "the CLI", meaning: "`dumb` turns colors off." },
  PRISMA_SCHEMA_ENGINE_BINARY: {
    readBy: "`service generate`, `create-servicekit`",
    meaning:
      "Given to Prisma. The default is the Node program, so that Prisma downloads no schema engine: `service migrate` needs none.",
  },
  CHECKPOINT_DISABLE: {
    readBy: "`service generate`",
    meaning: "Given to Prisma; `1` (default) turns its telemetry off.",
  },
  PRISMA_HIDE_UPDATE_MESSAGE: {
    readBy: "`service generate`",
    meaning: "Given to Prisma; `1` (default) hides its update notice.",
  },
  SERVICEKIT_TEST_DATABASE_URL: {
    readBy: "`@servicekit/dev-database`",
    meaning:
      "The PostgreSQL server in which tests create their databases. Default: the server on 127.0.0.1:5432, or an embedded one.",
  },
  TEST_DATABASE_URL: {
    readBy: "tests of new projects",
    meaning: "The PostgreSQL server of the tests that `create-servicekit` and `service eject` write.",
  },
  ADMIN_EMAIL: { readBy: "`src/seed.ts` of new projects", meaning: "The email address of the first administrator." },
  ADMIN_PASSWORD: { readBy: "`src/seed.ts` of new projects", meaning: "The password of the first administrator." },
};

/** Variables that servicekit sets for its own processes: users neither set nor read them. */
export const internalVariables: readonly string[] = ["SERVICEKIT_DEV", "SERVICEKIT_WORKER"];

interface Row {
  readonly key: string;
  readonly name: string;
  readonly others: readonly string[];
  readonly value: string;
}

/** A row for each key with a variable. */
function readRows(): Row[] {
  const all = Object.entries(variables);
  return all.flatMap(([name, { key, ...how }]) => {
    if (!name.startsWith(`${variablePrefix}_`)) return [];
    const others = all.filter(([other, variable]) => variable.key === key && other !== name).map(([other]) => other);
    return [{ key, name, others, value: how.type === "any" ? how.expected : how.type }];
  });
}

/** The rows by the block of the configuration that they set; the keys outside of a block come first. */
function sections(): string {
  const blocks = new Map<string, Row[]>([["", []]]);
  for (const row of readRows()) {
    const block = row.key.includes(".") ? row.key.replace(/\..*/, "") : "";
    blocks.set(block, [...(blocks.get(block) ?? []), row]);
  }
  return [...blocks]
    .map(([block, rows]) => {
      const cells = rows.map(({ key, name, others, value }) => [
        [name, ...others].map(code).join(", "),
        code(key),
        plain(value),
      ]);
      return `### ${block === "" ? "Top level" : code(block)}\n\n${table(["variable", "key", "value"], cells)}`;
    })
    .join("\n\n");
}

/** docs/reference/environment.md, from the configuration schema and the list of other variables. */
export function environmentPage(): string {
  const others = Object.entries(otherVariables).map(([name, { readBy, meaning }]) => [code(name), readBy, meaning]);
  return `# Environment variables

${generated}

Every environment variable that servicekit reads. Variables are read from the environment of the process and from \`.env.<NODE_ENV>.local\`,
\`.env.<NODE_ENV>\`, \`.env.local\` and \`.env\`, in this order: the first that sets a variable wins.

## General variables

${table(["variable", "read by", "meaning"], others)}

Without \`storage.credentials\` the S3 client also reads the variables of the AWS SDK, such as \`AWS_ACCESS_KEY_ID\`.

## Configuration keys

Every [configuration key](configuration.md) with a value that fits in a text has a variable: \`${variablePrefix}_\` and the key in capitals, with \`_\`
between words. \`limits.page.max\` is \`SERVICE_LIMITS_PAGE_MAX\`. Set functions, library objects and the options of a model in code or in a file.

- If a key has two names, the one with \`${variablePrefix}_\` wins.
- Separate the items of a list with commas. A boolean is \`true\`, \`false\`, \`1\` or \`0\`. An empty variable counts as not set.
- A variable of a block enables the block. Exceptions: \`JWT_…\`, \`DATABASE_POOL_SIZE\`, \`DATABASE_REPLICA_URLS\` and \`WEBHOOK_ENCRYPTION_KEY\` are
  ignored without their block.
- An invalid value is a startup error. A variable that starts with \`${variablePrefix}_\` and sets no key is reported in a warning, with the nearest name.
- In Kubernetes a Service named \`service\` adds such variables to the pods. Rename it, or set \`enableServiceLinks: false\`.

${sections()}
`;
}

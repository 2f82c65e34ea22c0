import { readEnvironment } from "@servicekit/config-loader/internal";
import { commandError } from "../command-error.js";
import { providerOf } from "../generate/provider-of.js";
import { findProject } from "../project/project.js";
import { reserveOutput } from "../terminal/reserve-output.js";
import type { CommandNeeds, CommandResult, Environment, InspectedService, ProgramHost } from "./inspected-service.js";

const noFile =
  "This folder has no service.config.*, src/main.ts or dist/main.js. If an application calls service.init in its own code, run the command with it: node dist/main.js openapi --out openapi.json";

/** Assembles a service for inspection: opens no port, and needs neither a database nor a secret. */
export async function withService(
  { create, environment, needsFile }: ProgramHost,
  work: (service: InspectedService) => Promise<CommandResult>,
  { verifiesTokens = false }: CommandNeeds = {},
): Promise<CommandResult> {
  const service = await create(await withSubstitutes(environment, verifiesTokens));
  try {
    if (needsFile && service.config.file === undefined) throw commandError("service", noFile);
    return await work(service);
  } finally {
    await service.close();
  }
}

/**
 * Runs a command on a service and prints its result, which is all of standard output.
 *
 * @returns the exit code
 */
export async function printResult(...command: Parameters<typeof withService>): Promise<number> {
  const output = reserveOutput();
  const { text, exitCode = 0 } = await withService(...command);
  if (text !== "") output.write(`${text}\n`);
  return exitCode;
}

/** Used if no database is configured, by the provider of the schema. The folder of the file does not exist, so that it is not created. */
export const noDatabase = {
  postgresql: "postgresql://localhost/no-database-is-needed",
  mysql: "mysql://localhost/no-database-is-needed",
  sqlite: "file:/no-database-is-needed/none.db",
} as const;

/** Used if no secret is configured. */
export const noSecret = "tokens cannot be created in read-only mode";

/** Used instead of the secret of a `.env` file, so that a weak one neither prints a warning nor stops an inspection. */
export const secretOfFile = "the secret of the file is not used in read-only mode";

/** Used instead of the secret in the environment, for the same reason. */
export const secretOfEnvironment = "the secret of the environment is not used in read-only mode";

/** Substitutes settings that a start requires and an inspection does not: it neither connects nor creates a token. */
async function withSubstitutes(environment: Environment, verifiesTokens: boolean): Promise<Environment> {
  // With those of the .env files.
  const { DATABASE_URL: url, JWT_SECRET: secret } = await readEnvironment(process.cwd(), undefined, environment);
  return {
    ...environment,
    ...(url === undefined ? { DATABASE_URL: noDatabase[providerOf(await findProject()) ?? "postgresql"] } : {}),
    ...(verifiesTokens && secret ? {} : { JWT_SECRET: substituteOf(secret, environment) }),
  };
}

function substituteOf(secret: string | undefined, environment: Environment): string {
  if (!secret) return noSecret;
  return environment.JWT_SECRET ? secretOfEnvironment : secretOfFile;
}

import { commandError } from "../command-error.js";
import type { Environment, InspectedService, ProgramHost, Said } from "./inspected-service.js";

const noFile =
  "This folder has no service.config.*, src/main.ts or dist/main.js. If an application calls service.init in its own code, run the command with it: node dist/main.js openapi --out openapi.json";

/** Assembles a service for inspection: opens no port and needs no database. */
export async function withService(
  { create, environment, needsFile }: ProgramHost,
  work: (service: InspectedService) => Promise<Said>,
): Promise<Said> {
  const service = await create(withoutSecrets(environment));
  try {
    if (needsFile && service.config.file === undefined) throw commandError("service", noFile);
    return await work(service);
  } finally {
    await service.close();
  }
}

/** Used if no database is configured. */
export const noDatabase = "postgresql://localhost/no-database-is-needed";

/** Settings that a start requires and an inspection does not; nothing connects, and no token is created. */
function withoutSecrets(environment: Environment): Environment {
  const { DATABASE_URL: url, JWT_SECRET: secret } = environment;
  return {
    ...environment,
    DATABASE_URL: url || noDatabase,
    JWT_SECRET: secret || "tokens cannot be created in read-only mode",
  };
}

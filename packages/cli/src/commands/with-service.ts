import { fault } from "../command-error.js";
import type { Environment, InspectedService, ProgramHost, Said } from "./inspected-service.js";

const noFile =
  "There is no service.config.* in this folder, and no src/main.ts or dist/main.js. An application that calls service.init in its own code is its own command: node dist/main.js openapi --out openapi.json";

/** Puts a service together for one look into it: nothing listens, and no database is needed. */
export async function withService(
  { create, environment, needsFile }: ProgramHost,
  work: (service: InspectedService) => Promise<Said>,
): Promise<Said> {
  const service = await create(withoutSecrets(environment));
  try {
    if (needsFile && service.config.file === undefined) throw fault("service", noFile);
    return await work(service);
  } finally {
    await service.close();
  }
}

/** Stands for a database where none is configured. */
export const noDatabase = "postgresql://localhost/no-database-is-needed";

/** What a start needs and a look does not; nothing connects, and no token is made. */
function withoutSecrets(environment: Environment): Environment {
  const { DATABASE_URL: url, JWT_SECRET: secret } = environment;
  return {
    ...environment,
    DATABASE_URL: url || noDatabase,
    JWT_SECRET: secret || "no token is made while nothing but a look is taken",
  };
}

import type { Environment } from "./config/environment.js";
import type { ServiceInitConfig } from "./config/service-config.js";
import type { RuntimeEnvironment } from "./config/settings.js";
import { createService } from "./create-service.js";

/** The arguments with which an application is inspected instead of run; `@servicekit/cli` handles them. */
export const programCommands: ReadonlySet<string> = new Set([
  "access",
  "changes",
  "config",
  "eject",
  "jobs",
  "mcp",
  "models",
  "openapi",
  "routes",
  "user",
]);

/**
 * Runs an inspecting command such as `openapi --out <file>` with the service of a program, and ends the process.
 * Returns if the arguments are not such a command.
 */
export async function runOwnCommand(config: ServiceInitConfig, runtime: RuntimeEnvironment): Promise<void> {
  const { argv = process.argv.slice(2), environment = process.env } = runtime;
  if (!programCommands.has(argv[0] ?? "")) return;
  const { runProgramCommand } = await import("@servicekit/cli/internal");
  const create = (given: Environment) => createService(config, { ...runtime, argv, environment: given });
  // The rest of the program expects a running service.
  process.exit(await runProgramCommand(argv, { create, environment, needsFile: false }));
}

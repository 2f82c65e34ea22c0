import { addAccess } from "./commands/access.js";
import { addChanges } from "./commands/changes.js";
import { addConfig } from "./commands/config.js";
import { addEject } from "./commands/eject.js";
import type { ProgramHost } from "./commands/inspected-service.js";
import { addJobs } from "./commands/jobs.js";
import { addMcp } from "./commands/mcp.js";
import { addModels } from "./commands/models.js";
import { addOpenapi } from "./commands/openapi.js";
import { addRoutes } from "./commands/routes.js";
import { addUser } from "./commands/user.js";
import { printResult } from "./commands/with-service.js";
import { makeProgram, runProgram } from "./program.js";

/**
 * Runs a command of an application that calls `service.init` itself: `node dist/main.js openapi --out openapi.json`.
 *
 * @returns the exit code; all output is written
 */
export async function runProgramCommand(argv: readonly string[], host: ProgramHost): Promise<number> {
  const program = makeProgram();
  let exitCode = 0;
  addProgramCommands(program, async (work, needs) => {
    exitCode = await printResult(host, work, needs);
  });
  return (await runProgram(program, argv)) || exitCode;
}

/** The commands that inspect a service. */
export const addProgramCommands: typeof addOpenapi = (program, run) => {
  for (const add of [
    addRoutes,
    addModels,
    addConfig,
    addAccess,
    addOpenapi,
    addUser,
    addJobs,
    addChanges,
    addMcp,
    addEject,
  ])
    add(program, run);
};

import { inspectProgram } from "@servicekit/config-loader/internal";
import { addDevelopCommands } from "./commands/develop-commands.js";
import { addDoctor } from "./commands/doctor.js";
import { addInit } from "./commands/init.js";
import type { ProgramHost } from "./commands/inspected-service.js";
import { addIntrospect } from "./commands/introspect.js";
import { addMigrate } from "./commands/migrate.js";
import { printResult } from "./commands/with-service.js";
import { acquireExistingDatabase } from "./database/acquire-database.js";
import { importProgram } from "./dev/import-program.js";
import { makeProgram, runProgram } from "./program.js";
import { environmentOf, findProjectFolder, inspectedProgram } from "./project/project.js";
import { addProgramCommands } from "./run-program-command.js";
import { reserveOutput } from "./terminal/reserve-output.js";

/** What the command needs of the service package, which depends on this one. */
export interface CliHost extends Pick<ProgramHost, "create"> {
  readonly version: string;
}

/**
 * The command `service`.
 *
 * @returns the exit code; `undefined` if the application keeps running
 */
export async function runCli(argv: readonly string[], { create, version }: CliHost): Promise<number> {
  const program = makeProgram().version(version, "-v, --version");
  addCommands(program, async (work, needs) => {
    // Before the program of the project runs, which may print.
    reserveOutput();
    // The others inspect declarations.
    if (needs?.usesDatabase === true) {
      const project = findProjectFolder();
      const environment = await environmentOf(project);
      const database = await acquireExistingDatabase(project, environment, (line) => console.error(line));
      process.env.DATABASE_URL = database.url;
    }
    if (await runOwnProgram(argv)) return;
    process.exitCode = await printResult({ create, environment: process.env, needsFile: true }, work, needs);
  });
  if (argv.length === 0) {
    program.outputHelp();
    return 0;
  }
  return runProgram(program, argv);
}

/** Adds all commands of `service`. */
export const addCommands: typeof addProgramCommands = (program, run) => {
  addDevelopCommands(program);
  addInit(program);
  addIntrospect(program);
  addMigrate(program);
  addDoctor(program);
  addProgramCommands(program, run);
};

/**
 * An application that calls `service.init` or `service.create` in its own code handles the command itself: `service.init` runs it and exits
 * the process.
 */
async function runOwnProgram(argv: readonly string[]): Promise<boolean> {
  const { root } = findProjectFolder();
  const entry = inspectedProgram(root);
  if (entry === undefined) return false;
  process.once("beforeExit", () => {
    console.error(`${entry} ended without a call of service.init or service.create.`);
    process.exit(1);
  });
  inspectProgram();
  await importProgram(entry, argv);
  return new Promise(() => {});
}

import { InitError, initProject } from "@servicekit/init";
import type { Command } from "commander";
import { commandError } from "../command-error.js";
import { addHelp } from "../help.js";
import { findProjectFolder } from "../project/project.js";
import { confirm, isInteractive } from "../terminal/confirm.js";

/** `service init`: the files, lines and packages that a project with a Prisma schema needs. */
export function addInit(program: Command): void {
  addHelp(program.command("init"), {
    notes: `It lists every file, line and package, and prompts for confirmation. Existing files are not replaced. In a folder without servicekit run
npm create servicekit@latest . instead, which does the same.`,
    failure: "nothing was written, or the packages were not installed",
    examples: ["service init", "service init --yes --no-install"],
  })
    .description("add a service to an existing project with a Prisma schema")
    .option("-y, --yes", "write without confirmation", false)
    .option("--no-install", "skip the installation of packages")
    .action(async ({ yes, install }: { yes: boolean; install: boolean }) => {
      const { root } = findProjectFolder();
      const prompt = isInteractive() ? confirm : undefined;
      try {
        process.exitCode = await initProject({ directory: root, yes, install, confirm: prompt, print: console.log });
      } catch (error) {
        if (error instanceof InitError) throw commandError("service init", error.message);
        throw error;
      }
    });
}

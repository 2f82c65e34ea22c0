import { StartupError } from "@servicekit/core";
import { Command, CommanderError } from "commander";
import { CommandError } from "./command-error.js";

/** The command `service`, without its commands. */
export function makeProgram(): Command {
  return new Command("service")
    .description("Develops, builds, migrates and inspects a servicekit application.")
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: false })
    .addHelpText("after", "\nservice <command> --help prints the options, exit codes and examples of a command.");
}

/** Runs one command and returns the exit code. Expected errors are printed as messages, others with their stack. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  try {
    await program.parseAsync([...argv], { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    console.error(error instanceof StartupError || error instanceof CommandError ? error.message : error);
    return 1;
  }
}

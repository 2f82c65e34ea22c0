import { isHttpError, StartupError } from "@servicekit/core";
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

/**
 * Runs one command and returns the exit code. Errors are printed as messages; the stack of an unexpected one is printed
 * only if `DEBUG` is set.
 */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  try {
    await program.parseAsync([...argv], { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    console.error(describeError(error));
    return 1;
  }
}

function describeError(error: unknown): unknown {
  if (error instanceof StartupError || error instanceof CommandError) return error.message;
  if (process.env.DEBUG) return error;
  // The cause of such an error may contain the values of a query.
  if (isHttpError(error)) return error.message;
  return `Unexpected error: ${error instanceof Error ? error.message : String(error)}\nSet DEBUG=1 to print the stack.`;
}

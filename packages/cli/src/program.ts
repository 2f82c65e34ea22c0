import { StartError } from "@servicekit/core";
import { Command, CommanderError } from "commander";
import { CommandError } from "./command-error.js";

/** The command `service`, without its commands. */
export function makeProgram(): Command {
  return new Command("service")
    .description("Develops, builds, migrates and looks into an application of servicekit.")
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: false })
    .addHelpText("after", "\nservice <command> --help tells more of each. Ends with 0, or with 1 after a fault.");
}

/** Runs one command; gives what the program ends with. A fault is told in its own words, and anything else with its stack. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  try {
    await program.parseAsync([...argv], { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    console.error(error instanceof StartError || error instanceof CommandError ? error.message : error);
    return 1;
  }
}

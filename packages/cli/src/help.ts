import type { Command } from "commander";

/** The help of a command after its options. */
interface CommandHelp {
  /** Sentences between the options and the exit codes. */
  readonly notes?: string;
  /** The meaning of exit code 1. */
  readonly failure?: string;
  readonly examples: readonly string[];
}

/** Adds notes, exit codes and examples to the help of a command. docs/reference/cli.md is generated from it. */
export function addHelp(command: Command, { notes, failure = "an error", examples }: CommandHelp): Command {
  const exitCodes = `Exit codes:\n  0  success\n  1  ${failure}`;
  const shown = ["Examples:", ...examples.map((example) => `  ${example}`)].join("\n");
  return command.addHelpText(
    "after",
    `\n${[notes, exitCodes, shown].filter((part) => part !== undefined).join("\n\n")}`,
  );
}

import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { makeProgram } from "../src/program.js";
import { addCommands } from "../src/run-cli.js";

const program = makeProgram();
addCommands(program, async () => {});

/** The commands that do something, without those that only group others, by their names. */
function leaves({ commands }: Command, names: readonly string[] = []): (readonly [string, Command])[] {
  return commands.flatMap((command) => {
    const own = [...names, command.name()];
    const isGroup = command.commands.length > 0 && command.options.length === 0;
    return [...(isGroup ? [] : [[own.join(" "), command] as const]), ...leaves(command, own)];
  });
}

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

describe("C73 the help of the command service", () => {
  it("lists every command", () => {
    const help = helpOf(program);
    for (const command of program.commands) expect(help).toMatch(new RegExp(`^ {2}${command.name()}\\b`, "m"));
  });

  it.each(leaves(program))("%s has examples, without colours", (_name, command) => {
    const help = helpOf(command);
    expect(help).toMatch(/^Examples:\n {2}/m);
    expect(help).not.toContain("\u001b");
  });
});

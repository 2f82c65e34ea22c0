import { addProgramCommands, makeProgram } from "@servicekit/cli/internal";
import { expect, it } from "vitest";
import { programCommands } from "./run-own-command.js";

it("passes every command that inspects an application to the command-line interface", () => {
  const program = makeProgram();
  addProgramCommands(program, async () => undefined);
  expect([...programCommands]).toEqual(program.commands.map((command) => command.name()).sort());
});

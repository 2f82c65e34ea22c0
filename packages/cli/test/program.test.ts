import { HttpError } from "@servicekit/core";
import { afterEach, expect, it, vi } from "vitest";
import { CommandError } from "../src/command-error.js";
import { makeProgram, runProgram } from "../src/program.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Runs a command that fails, and returns its exit code and what it printed. */
async function fail(error: unknown) {
  const printed = vi.spyOn(console, "error").mockImplementation(() => {});
  const program = makeProgram();
  program.command("fail").action(() => {
    throw error;
  });
  const code = await runProgram(program, ["fail"]);
  return [code, printed.mock.calls.flat().at(0)];
}

const secret = new Error("INSERT INTO users VALUES ('$2b$12$hash')");

it.each([
  [new CommandError("tsconfig.json: does not exist."), "tsconfig.json: does not exist."],
  [new HttpError(500, "InvalidArguments", "A wrong value.", { cause: secret }), "A wrong value."],
  [new TypeError("x is not a function"), "Unexpected error: x is not a function\nSet DEBUG=1 to print the stack."],
])("C73 a command that fails with %s exits with 1 and prints the message without a stack", async (error, message) => {
  vi.stubEnv("DEBUG", "");
  expect(await fail(error)).toEqual([1, message]);
});

it("C73 prints the stack of an unexpected error if DEBUG is set", async () => {
  vi.stubEnv("DEBUG", "1");
  const error = new TypeError("x is not a function");
  expect(await fail(error)).toEqual([1, error]);
});

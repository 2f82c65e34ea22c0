import path from "node:path";
import { importModule } from "@servicekit/config-loader/internal";
import { StartError } from "@servicekit/core";

/** Runs a program of a project as it is in its sources, TypeScript too; what fails is told with its place, and ends with 1. */
export async function importProgram(entry: string, args: readonly string[]): Promise<void> {
  process.argv = [process.argv[0] ?? "node", path.resolve(entry), ...args];
  await importModule(entry).catch((error: unknown) => {
    console.error(error instanceof StartError ? wordsOf(error) : error);
    process.exit(1);
  });
}

/** A file that fails is one fault, with its place; a service that cannot start may have several. */
function wordsOf(error: StartError): string {
  return error.cause instanceof StartError ? error.cause.message : error.message;
}

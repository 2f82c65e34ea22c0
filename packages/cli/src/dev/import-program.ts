import path from "node:path";
import { importModule } from "@servicekit/config-loader/internal";
import { StartupError } from "@servicekit/core";

/**
 * Runs a program of a project from its sources, including TypeScript; prints errors with their place, and exits with 1.
 */
export async function importProgram(entry: string, args: readonly string[]): Promise<void> {
  process.argv = [process.argv[0] ?? "node", path.resolve(entry), ...args];
  await importModule(entry).catch((error: unknown) => {
    console.error(error instanceof StartupError ? wordsOf(error) : error);
    process.exit(1);
  });
}

/** A file that fails is one error; a service that cannot start may have several. */
function wordsOf(error: StartupError): string {
  return error.cause instanceof StartupError ? error.cause.message : error.message;
}

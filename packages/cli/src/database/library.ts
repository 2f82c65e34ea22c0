import { whenMissing } from "@servicekit/core/internal";

export type DatabaseLibrary = typeof import("@servicekit/dev-database");

/** Loaded where a command needs it. @throws {StartError} when it is not installed, with the command that installs it */
export function loadDatabaseLibrary(purpose: string): Promise<DatabaseLibrary> {
  return import("@servicekit/dev-database").catch(
    whenMissing(purpose, { names: ["@servicekit/dev-database"], purpose }),
  );
}

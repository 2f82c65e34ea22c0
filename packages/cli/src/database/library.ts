import { whenMissing } from "@servicekit/core/internal";

export type DatabaseLibrary = typeof import("@servicekit/dev-database");

/** Loaded on demand. @throws {StartupError} with the install command if it is not installed */
export function loadDatabaseLibrary(purpose: string): Promise<DatabaseLibrary> {
  return import("@servicekit/dev-database").catch(
    whenMissing(purpose, { names: ["@servicekit/dev-database"], purpose }),
  );
}

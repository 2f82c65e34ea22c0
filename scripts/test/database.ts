import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { findLocalPostgres, startDevDatabase } from "../../packages/dev-database/src/index.js";
import { generateFixtures } from "./generate-fixtures.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** Connects to a PostgreSQL server as a user who may create databases. */
    postgresUrl: string;
  }
}

/** Gives the database tests a PostgreSQL server: the local one, or one that lives as long as the tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await generateFixtures();
  const local = await findLocalPostgres();
  if (local !== undefined) {
    project.provide("postgresUrl", local);
    return async () => {};
  }
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-test-"));
  // Nobody misses these data after a power cut.
  const database = await startDevDatabase({ directory, flags: ["-c", "fsync=off", "-c", "full_page_writes=off"] });
  project.provide("postgresUrl", database.url);
  return async () => {
    await database.stop();
    fs.rmSync(directory, { recursive: true, force: true });
  };
}

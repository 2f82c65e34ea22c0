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
    /** The kinds of accounts of the example in this project: `npm test` uses the one, `npm run test:slow` the other. */
    accounts: readonly ("static" | "dynamic")[];
  }
}

interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

// The projects of one run share one server, and each loads this file separately.
const shared = globalThis as { servicekitTestServer?: Promise<TestServer> };

/** Provides the tests of a project with a PostgreSQL server: the local one, or one for the duration of the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.servicekitTestServer ??= generateFixtures().then(startServer);
  const { url, stop } = await shared.servicekitTestServer;
  project.provide("postgresUrl", url);
  return stop;
}

async function startServer(): Promise<TestServer> {
  const local = await findLocalPostgres();
  if (local !== undefined) return { url: local, stop: async () => {} };
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-test-"));
  // These data need not survive a power failure.
  const database = await startDevDatabase({ directory, flags: ["-c", "fsync=off", "-c", "full_page_writes=off"] });
  let stopped: Promise<void> | undefined;
  return {
    url: database.url,
    // Called by every project at the end of the run.
    stop: () => (stopped ??= database.stop().finally(() => fs.rmSync(directory, { recursive: true, force: true }))),
  };
}

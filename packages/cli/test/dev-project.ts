import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, vi } from "vitest";
import { createProject } from "../../create-servicekit/src/index.js";
import { createDatabase } from "../../dev-database/src/index.js";

const root = path.join(import.meta.dirname, "../../..");
/** The built command, which plain Node runs. */
export const bin = path.join(root, "packages/service/bin/service.js");

/** A new project with the packages of the example and an empty database. */
export interface DevProject {
  readonly folder: string;
  /** The variables of its commands. */
  readonly environment: NodeJS.ProcessEnv;
  /** Starts `service dev`. */
  startDev(): void;
  /** What `service dev` has printed. */
  printed(): string;
  /** Waits until `service dev` has printed a text. */
  isPrinted(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** @param serverUrl the PostgreSQL server */
export async function makeDevProject(serverUrl: string): Promise<DevProject> {
  const place = fs.mkdtempSync(path.join(root, "apps/example/.dev-"));
  const folder = path.join(place, "my-blog");
  const database = await createDatabase(serverUrl);
  createProject({ directory: folder, schema: "empty", authentication: "static", validation: "zod" });
  fs.symlinkSync(path.join(root, "apps/example/node_modules"), path.join(folder, "node_modules"));
  const { NODE_ENV: _, FORCE_COLOR: _colour, VITEST: _vitest, ...rest } = process.env;
  const environment = { ...rest, DATABASE_URL: database.url };
  let dev: ChildProcess | undefined;
  let printed = "";
  return {
    folder,
    environment,
    startDev: () => {
      const args = [bin, "dev", "--port", "0", "--no-type-check"];
      dev = spawn(process.execPath, args, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
      for (const stream of [dev.stdout, dev.stderr]) stream?.on("data", (chunk) => (printed += chunk));
    },
    printed: () => printed,
    isPrinted: (text) => vi.waitFor(() => expect(printed).toContain(text), { timeout: 60_000, interval: 50 }),
    remove: async () => {
      const running = dev;
      if (running !== undefined) {
        const ended = new Promise((resolve) => running.once("close", resolve));
        running.kill("SIGTERM");
        await ended;
      }
      await database.drop();
      fs.rmSync(place, { recursive: true, force: true });
    },
  };
}

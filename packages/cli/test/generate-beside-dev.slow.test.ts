import { type ChildProcess, execFile, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { isDrawnOnceIn } from "../../../scripts/test/slow-share.js";
import { createProject } from "../../create-servicekit/src/index.js";
import { type CreatedDatabase, createDatabase } from "../../dev-database/src/index.js";

// From the built files, in plain Node, in a project with the packages of the example.
const root = path.join(import.meta.dirname, "../../..");
const bin = path.join(root, "packages/service/bin/service.js");
let place: string;
let project: string;
let database: CreatedDatabase;
let dev: ChildProcess;
let printed = "";

const environment = (): NodeJS.ProcessEnv => {
  const { NODE_ENV: _, FORCE_COLOR: _colour, VITEST: _vitest, ...rest } = process.env;
  return { ...rest, DATABASE_URL: database.url };
};
const isPrinted = (text: string): Promise<void> =>
  vi.waitFor(() => expect(printed).toContain(text), { timeout: 60_000, interval: 50 });

describe.runIf(isDrawnOnceIn(8))("C73 a command beside service dev", () => {
  beforeAll(async () => {
    place = fs.mkdtempSync(path.join(root, "apps/example/.beside-"));
    project = path.join(place, "my-blog");
    database = await createDatabase(inject("postgresUrl"));
    createProject({ directory: project, schema: "empty", authentication: "static", validation: "zod" });
    fs.symlinkSync(path.join(root, "apps/example/node_modules"), path.join(project, "node_modules"));
    const args = [bin, "dev", "--port", "0", "--no-type-check"];
    dev = spawn(process.execPath, args, { cwd: project, env: environment(), stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [dev.stdout, dev.stderr]) stream?.on("data", (chunk) => (printed += chunk));
    await isPrinted("listening");
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => dev.once("close", resolve));
    dev.kill("SIGTERM");
    await ended;
    await database.drop();
    fs.rmSync(place, { recursive: true, force: true });
  });

  it("C73 service generate changes writes its migration while service dev runs, which applies it", async () => {
    const run = promisify(execFile)(process.execPath, [bin, "generate", "changes"], {
      cwd: project,
      env: environment(),
    });
    expect(await run).toMatchObject({ stderr: "", stdout: expect.stringContaining('CREATE TABLE "Change"') });
    const migrations = fs.readdirSync(path.join(project, "prisma/migrations"), { withFileTypes: true });
    const names = migrations.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(names).toEqual([expect.stringMatching(/_init$/), expect.stringMatching(/_add_changes$/)]);
    await isPrinted(`Applied the migration ${names[1]}.`);
    expect(printed).not.toContain("has an error");
  }, 90_000);
});

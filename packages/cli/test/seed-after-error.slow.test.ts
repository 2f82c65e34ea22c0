import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
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

const isPrinted = (text: string): Promise<void> =>
  vi.waitFor(() => expect(printed).toContain(text), { timeout: 60_000, interval: 50 });

describe.runIf(isDrawnOnceIn(8))("C73 service dev with a mistake in the configuration of a new project", () => {
  beforeAll(async () => {
    place = fs.mkdtempSync(path.join(root, "apps/example/.seed-"));
    project = path.join(place, "my-blog");
    database = await createDatabase(inject("postgresUrl"));
    createProject({ directory: project, schema: "empty", authentication: "static", validation: "zod" });
    fs.symlinkSync(path.join(root, "apps/example/node_modules"), path.join(project, "node_modules"));
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => dev.once("close", resolve));
    dev.kill("SIGTERM");
    await ended;
    await database.drop();
    fs.rmSync(place, { recursive: true, force: true });
  });

  it("C73 seeds the new database when the mistake is corrected", async () => {
    const file = path.join(project, "service.config.ts");
    const config = fs.readFileSync(file, "utf8");
    fs.writeFileSync(file, config.replace("validation:", "validaton:"));
    const { NODE_ENV: _, FORCE_COLOR: _colour, VITEST: _vitest, ...rest } = process.env;
    dev = spawn(process.execPath, [bin, "dev", "--port", "0", "--no-type-check"], {
      cwd: project,
      env: { ...rest, DATABASE_URL: database.url },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [dev.stdout, dev.stderr]) stream?.on("data", (chunk) => (printed += chunk));
    await isPrinted("src/seed.ts: failed");
    expect(printed).toContain("Did you mean validation?");
    fs.writeFileSync(file, config);
    await isPrinted("admin@example.com has full access.");
    await isPrinted("listening");
  }, 150_000);
});

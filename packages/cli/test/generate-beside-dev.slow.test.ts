import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { isDrawnOnceIn } from "../../../scripts/test/slow-share.js";
import { bin, type DevProject, makeDevProject } from "./dev-project.js";

let project: DevProject;

describe.runIf(isDrawnOnceIn(8))("C73 a command beside service dev", () => {
  beforeAll(async () => {
    project = await makeDevProject(inject("postgresUrl"));
    project.startDev();
    await project.isPrinted("listening");
  });
  afterAll(() => project?.remove());

  it("C73 service generate changes writes its migration while service dev runs, which applies it", async () => {
    const { folder, environment } = project;
    const run = promisify(execFile)(process.execPath, [bin, "generate", "changes"], { cwd: folder, env: environment });
    expect(await run).toMatchObject({ stderr: "", stdout: expect.stringContaining('CREATE TABLE "Change"') });
    const migrations = fs.readdirSync(path.join(folder, "prisma/migrations"), { withFileTypes: true });
    const names = migrations.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(names).toEqual([expect.stringMatching(/_init$/), expect.stringMatching(/_add_changes$/)]);
    await project.isPrinted(`Applied the migration ${names[1]}.`);
    expect(project.printed()).not.toContain("has an error");
  }, 90_000);
});

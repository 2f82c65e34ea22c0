import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { isDrawnOnceIn } from "../../../scripts/test/slow-share.js";
import { type DevProject, makeDevProject } from "./dev-project.js";

let project: DevProject;

describe.runIf(isDrawnOnceIn(8))("C73 service dev with a mistake in the configuration of a new project", () => {
  beforeAll(async () => {
    project = await makeDevProject(inject("postgresUrl"));
  });
  afterAll(() => project?.remove());

  it("C73 seeds the new database when the mistake is corrected", async () => {
    const file = path.join(project.folder, "service.config.ts");
    const config = fs.readFileSync(file, "utf8");
    fs.writeFileSync(file, config.replace("validation:", "validaton:"));
    project.startDev();
    await project.isPrinted("src/seed.ts: failed");
    expect(project.printed()).toContain("Did you mean validation?");
    fs.writeFileSync(file, config);
    await project.isPrinted("admin@example.com has full access.");
    await project.isPrinted("listening");
  }, 150_000);
});

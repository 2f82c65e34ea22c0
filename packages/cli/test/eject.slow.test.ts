import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createProject } from "../../create-servicekit/src/index.js";

// From the built files, in plain Node, in a project with the packages of the example.
const root = path.join(import.meta.dirname, "../../..");
const place = fs.mkdtempSync(path.join(root, "apps/example/.commands-"));
const project = path.join(place, "my-blog");

async function run(program: string, args: readonly string[]) {
  const { NODE_ENV: _, FORCE_COLOR: _colour, VITEST: _vitest, DATABASE_URL: _url, ...rest } = process.env;
  const env = { ...rest, NO_COLOR: "1", TEST_DATABASE_URL: inject("postgresUrl") };
  const child = spawn(process.execPath, [program, ...args], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  return { code: await new Promise<number | null>((resolve) => child.once("close", resolve)), text };
}

const eject = (what: string) => run(path.join(root, "packages/service/bin/service.js"), ["eject", what]);
const test = (...files: string[]) => run(path.join(root, "node_modules/vitest/vitest.mjs"), ["run", ...files]);
const read = (file: string): string => fs.readFileSync(path.join(project, file), "utf8");

beforeAll(async () => {
  createProject({ directory: project, schema: "blog", authentication: "static", validation: "zod" });
  const modules = path.join(project, "node_modules");
  fs.mkdirSync(modules);
  const link = (from: string, name: string): void => fs.symlinkSync(fs.realpathSync(from), path.join(modules, name));
  const example = path.join(root, "apps/example/node_modules");
  for (const name of [".bin", ...fs.readdirSync(example).filter((one) => !one.startsWith("."))])
    link(path.join(example, name), name);
  link(path.join(root, "node_modules/vitest"), "vitest");
  if (!fs.existsSync(path.join(modules, "supertest")))
    link(path.join(root, "packages/auth/node_modules/supertest"), "supertest");
  fs.writeFileSync(path.join(project, "vitest.config.mjs"), "export default {};\n");
  const made = await run(path.join(root, "packages/service/bin/service.js"), ["generate", "--force"]);
  expect(made, made.text).toMatchObject({ code: 0 });
});
afterAll(() => fs.rmSync(place, { recursive: true, force: true }));

describe("C73 service eject", () => {
  it.each([
    ["Post.findMany", /cannot be written as code: a row rule/],
    ["Comment.createOne", /cannot be written as code: a row rule/],
    ["Tag.createMany", /createMany cannot be written as code/],
    ["Tga.findMany", /Unknown model Tga\. Did you mean Tag\?/],
  ])("C73 rejects %s with the reason", async (what, why) => {
    const before = read("src/app.ts");
    const { code, text } = await eject(what);
    expect([code, text]).toEqual([1, expect.stringMatching(why)]);
    expect(text).not.toMatch(/\n\s+at /);
    expect([read("src/app.ts"), fs.readdirSync(path.join(project, "src/routes"))]).toEqual([before, ["summary.ts"]]);
  });

  it("C73 writes routes as code that respond like the generated ones, and a test that detects a difference", async () => {
    for (const operation of ["findMany", "updateOne"]) {
      const done = await eject(`Tag.${operation}`);
      expect(done.code, done.text).toBe(0);
    }
    const again = await eject("Tag.findMany");
    expect([again.code, again.text]).toEqual([1, expect.stringContaining("is disabled or already written as code")]);
    expect(read("src/modules/tag/tag.model.ts")).toContain("operations: { updateOne: false, findMany: false }");
    expect(read("src/app.ts")).toContain("use: [tagUpdateOne, tagFindMany, summary]");
    expect(read("src/routes/tag-update-one.ts")).toContain('rule: { roles: ["STAFF"] }');
    expect(read("src/routes/tag-find-many.ts")).toContain('authentication: "optional"');
    // Of the two tests, that of the list detects the inserted difference.
    const list = read("src/routes/tag-find-many.ts");
    fs.writeFileSync(
      path.join(project, "src/routes/tag-find-many.ts"),
      list.replace("data, meta }", "data, meta, more: 1 }"),
    );
    const { code, text } = await test("test/tag");
    expect([code, text], text).toEqual([1, expect.stringMatching(/Tests {2}2 failed \| 4 passed/)]);
    expect(text).toMatch(/✓ test\/tag-update-one\.test\.ts/);
  });
});

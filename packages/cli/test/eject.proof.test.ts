import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createProject } from "../../create-servicekit/src/index.js";

// From what was built, in plain Node, in a project with the packages of the example.
const root = path.join(import.meta.dirname, "../../..");
const place = fs.mkdtempSync(path.join(root, "apps/example/.commands-"));
const project = path.join(place, "my-blog");

async function run(program: string, args: readonly string[]) {
  const { NODE_ENV: _, FORCE_COLOR: _colour, VITEST: _vitest, DATABASE_URL: _url, ...rest } = process.env;
  const env = { ...rest, NO_COLOR: "1", TEST_DATABASE_URL: inject("postgresUrl") };
  const child = spawn(process.execPath, [program, ...args], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  return { code: await new Promise<number | null>((resolve) => child.once("close", resolve)), said };
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
  expect(made, made.said).toMatchObject({ code: 0 });
});
afterAll(() => fs.rmSync(place, { recursive: true, force: true }));

describe("C73 service eject", () => {
  it.each([
    ["Post.findMany", /stays generated: a row rule/],
    ["Comment.createOne", /may refer to rows of Post, whose row rule/],
    ["Tag.createMany", /createMany cannot be written as code/],
    ["Tga.findMany", /There is no model Tga\. Did you mean Tag\?/],
  ])("C73 leaves %s as it is, and says why", async (what, why) => {
    const before = read("src/app.ts");
    const { code, said } = await eject(what);
    expect([code, said]).toEqual([1, expect.stringMatching(why)]);
    expect(said).not.toMatch(/\n\s+at /);
    expect([read("src/app.ts"), fs.readdirSync(path.join(project, "src/routes"))]).toEqual([before, ["summary.ts"]]);
  });

  it("C73 writes routes as code that answers as the generated ones do, and a test that sees a difference", async () => {
    for (const operation of ["findMany", "updateOne"]) {
      const done = await eject(`Tag.${operation}`);
      expect(done.code, done.said).toBe(0);
    }
    const again = await eject("Tag.findMany");
    expect([again.code, again.said]).toEqual([1, expect.stringContaining("is closed, or code already")]);
    expect(read("src/modules/tag/tag.model.ts")).toContain("operations: { updateOne: false, findMany: false }");
    expect(read("src/app.ts")).toContain("use: [tagUpdateOne, tagFindMany, summary]");
    expect(read("src/routes/tag-update-one.ts")).toContain('rule: { roles: ["STAFF"] }');
    expect(read("src/routes/tag-find-many.ts")).toContain('authentication: "optional"');
    // Of the two tests the one of the list sees what was put into it.
    const list = read("src/routes/tag-find-many.ts");
    fs.writeFileSync(
      path.join(project, "src/routes/tag-find-many.ts"),
      list.replace("data, meta }", "data, meta, more: 1 }"),
    );
    const { code, said } = await test("test/tag");
    expect([code, said], said).toEqual([1, expect.stringMatching(/Tests {2}2 failed \| 4 passed/)]);
    expect(said).toMatch(/✓ test\/tag-update-one\.test\.ts/);
  });
});

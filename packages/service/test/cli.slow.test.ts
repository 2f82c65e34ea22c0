import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

// From the built files, in plain Node, as users run it.
const bin = path.join(import.meta.dirname, "..", "bin", "service.js");
const umbrella = path.join(import.meta.dirname, "..", "dist", "index.js");
/** A dependency of the package that writes it. */
const { parse } = createRequire(path.join(import.meta.dirname, "..", "..", "openapi", "package.json"))("yaml") as {
  parse(text: string): unknown;
};
let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-cli-"));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function run(args: readonly string[], files: Readonly<Record<string, string>> = {}, script = bin) {
  const cwd = fs.mkdtempSync(path.join(folder, "app-"));
  fs.writeFileSync(path.join(cwd, "package.json"), '{ "name": "app", "version": "2.1.0", "type": "module" }');
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(cwd, name), text);
  const { DATABASE_URL: _, NODE_ENV: _env, PORT: _port, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd, env, encoding: "utf8" });
  return { status, stdout, stderr, read: (name: string) => fs.readFileSync(path.join(cwd, name), "utf8") };
}
const config = 'export default { apidocs: { mode: "orm", options: { definition: { info: { title: "Mine" } } } } };';

describe("C47 C73 service openapi", () => {
  it("writes the document of service.config.* as JSON, the same each time, and exits with 0", () => {
    const made = run(["openapi", "--out", "openapi.json"], { "service.config.mjs": config });
    expect(made).toMatchObject({ status: 0, stderr: "", stdout: expect.stringContaining("openapi.json describes") });
    const text = made.read("openapi.json");
    expect(text.endsWith("}\n")).toBe(true);
    expect(JSON.parse(text)).toMatchObject({ openapi: "3.1.0", info: { title: "Mine", version: "2.1.0" } });
    const again = run(["openapi", "--out=openapi.json"], { "service.config.mjs": config });
    expect(again.read("openapi.json")).toBe(text);
  });

  it("writes YAML by the file extension, the same document", () => {
    const json = run(["openapi", "--out", "a.json"], { "service.config.mjs": config }).read("a.json");
    for (const name of ["a.yaml", "a.yml"]) {
      const yaml = run(["openapi", "--out", name], { "service.config.mjs": config }).read(name);
      expect(parse(yaml)).toEqual(JSON.parse(json));
    }
  });

  it("is a command of an application that calls service.init itself, with its routes, and exits", () => {
    const main = `
      import service, { ServiceRouter } from ${JSON.stringify(umbrella)};
      const router = ServiceRouter();
      router.get({ path: "/api/mine" }, (request, response) => response.end());
      await service.init({ use: [router] });
      console.log("it listens");`;
    const made = run(["openapi", "--out", "openapi.json"], { "main.js": main }, "main.js");
    expect(made).toMatchObject({ status: 0, stderr: "" });
    expect(made.stdout).not.toContain("it listens");
    expect(Object.keys(JSON.parse(made.read("openapi.json")).paths)).toContain("/api/mine");
  });

  it.each([
    ["no file of a configuration", ["openapi", "--out", "a.json"], {}, /has no service\.config\.\*/],
    ["no --out", ["openapi"], { "service.config.mjs": config }, /--out is missing/],
    ["an unknown option", ["openapi", "--oot", "a.json"], { "service.config.mjs": config }, /--oot/],
    ["another format", ["openapi", "--out", "a.txt"], { "service.config.mjs": config }, /\.json, \.yaml or \.yml/],
    [
      "a folder that does not exist",
      ["openapi", "--out", "no/a.json"],
      { "service.config.mjs": config },
      /does not exist/,
    ],
    [
      "a configuration that is wrong",
      ["openapi", "--out", "a.json"],
      { "service.config.mjs": "export default { prot: 1 };" },
      /prot.*Did you mean port\?/,
    ],
    ["another command", ["opennapi"], {}, /unknown command 'opennapi'\n\(Did you mean openapi\?\)/],
  ])("exits with 1 and prints the reason: %s", (_name, args, files, message) => {
    const { status, stdout, stderr } = run(args, files as Record<string, string>);
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stdout).toBe("");
  });

  it("prints its usage", () => {
    for (const args of [["--help"], []]) {
      expect(run(args)).toMatchObject({ status: 0, stdout: expect.stringMatching(/Usage: service .*[\s\S]*openapi/) });
    }
    const help = run(["openapi", "--help"]);
    expect(help).toMatchObject({ status: 0, stdout: expect.stringContaining("service openapi --out openapi.json") });
  });
});

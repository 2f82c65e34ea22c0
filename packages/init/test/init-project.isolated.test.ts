import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type InitProjectOptions, initProject } from "../src/index.js";

const { PATH } = process.env;
let root = "";
let printed = "";
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-init-"));
  fs.mkdirSync(path.join(root, "prisma"));
  fs.writeFileSync(path.join(root, "package.json"), '{ "type": "module" }');
  fs.writeFileSync(path.join(root, "prisma/schema.prisma"), 'datasource db {\n  provider = "postgresql"\n}\n');
  fs.writeFileSync(path.join(root, "pnpm-lock.yaml"), "");
  printed = "";
});
afterEach(() => {
  process.env.PATH = PATH;
  fs.rmSync(root, { recursive: true, force: true });
});

const init = (options: Partial<InitProjectOptions>): Promise<number> =>
  initProject({
    ...{ directory: root, yes: false, install: false, confirm: undefined },
    print: (text) => {
      printed += `${text}\n`;
    },
    ...options,
  });
const files = (): string[] => fs.readdirSync(root).sort();

/** A pnpm that records its arguments and ends with a code. */
function makeManager(code: number): void {
  const folder = path.join(root, "bin");
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, "pnpm"), `#!/bin/sh\necho "$@" >> "${root}/called"\nexit ${code}\n`, {
    mode: 0o755,
  });
  process.env.PATH = `${folder}${path.delimiter}${PATH}`;
}

describe("C73 initProject", () => {
  it("C73 prints the plan and exits with 1 without a terminal", async () => {
    expect(await init({})).toBe(1);
    expect(printed).toMatch(/Add src\/main\.ts \(\d+ lines\)/);
    expect(printed).toMatch(/Change prisma\/schema\.prisma\n {2}\+\n {2}\+ generator client \{/);
    expect(printed).toMatch(/Install\n {2}\+ @prisma\/client@7\.10\.0\n/);
    expect(printed).toContain("Nothing was written. Use --yes to write without confirmation.");
    expect(files()).toEqual(["package.json", "pnpm-lock.yaml", "prisma"]);
  });

  it("C73 writes nothing when the user declines", async () => {
    expect(await init({ confirm: async () => false })).toBe(1);
    expect(files()).toEqual(["package.json", "pnpm-lock.yaml", "prisma"]);
  });

  it("C73 writes the plan, prints the next steps, and has nothing to do the second time but the packages", async () => {
    expect(await init({ confirm: async () => true })).toBe(0);
    expect(files()).toEqual(["package.json", "pnpm-lock.yaml", "prisma", "service.config.ts", "src", "tsconfig.json"]);
    expect(printed).toMatch(
      /Now:\n\n {2}pnpm add @prisma\/client@\S+ .*\n {2}pnpm add -D .*\n {2}pnpm exec service generate\n/,
    );
    const names = [
      "@prisma/client",
      "@servicekit/dev-database",
      "@servicekit/service",
      "zod",
      "@types/node",
      "typescript",
    ];
    const dependencies = Object.fromEntries(names.map((name) => [name, name.startsWith("@prisma") ? "7.10.0" : "*"]));
    fs.writeFileSync(path.join(root, "package.json"), JSON.stringify({ type: "module", dependencies }));
    printed = "";
    expect(await init({})).toBe(0);
    expect(printed).toContain("There is nothing to do.");
  });

  it("C73 installs the packages with the manager of the lock file", async () => {
    makeManager(0);
    expect(await init({ yes: true, install: true })).toBe(0);
    const called = fs.readFileSync(path.join(root, "called"), "utf8");
    expect(called).toMatch(/^add @prisma\/client@7\.10\.0 .*\nadd -D @types\/node@\S+ typescript@\S+\n$/);
    expect(printed).toMatch(/Now:\n\n {2}pnpm exec service generate\n {2}pnpm exec service dev\n/);
  });

  it("C73 runs no command for packages that the project has", async () => {
    makeManager(0);
    const names = ["@prisma/client", "@servicekit/dev-database", "@servicekit/service", "zod"];
    const dependencies = Object.fromEntries(names.map((name) => [name, name.startsWith("@prisma") ? "7.10.0" : "*"]));
    fs.writeFileSync(path.join(root, "package.json"), JSON.stringify({ type: "module", dependencies }));
    expect(await init({ yes: true, install: true })).toBe(0);
    expect(fs.readFileSync(path.join(root, "called"), "utf8")).toMatch(/^add -D \S+ \S+\n$/);
  });

  it("C73 does not suggest service dev for a service that an Express application mounts", async () => {
    fs.mkdirSync(path.join(root, "src"));
    const application = 'import express from "express";\nconst app = express();\n';
    fs.writeFileSync(path.join(root, "src/app.ts"), application);
    expect(await init({ yes: true })).toBe(0);
    expect(printed).toMatch(/service generate\n\n$/);
    expect(fs.readFileSync(path.join(root, "src/app.ts"), "utf8")).toContain("app.use(api.app);\n");
  });

  it("C73 exits with 1 and prints the commands when the installation fails", async () => {
    makeManager(1);
    expect(await init({ yes: true, install: true })).toBe(1);
    expect(fs.existsSync(path.join(root, "src/main.ts"))).toBe(true);
    expect(printed).toMatch(
      /pnpm failed; its output is above\. The files are written\.\n\nNow:\n\n {2}pnpm add @prisma/,
    );
  });
});

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { packageManager } from "../../init/src/package-manager.js";
import { ask } from "../src/ask.js";
import { CreationError } from "../src/creation-error.js";

const prompts = vi.hoisted(() => ({ requested: [] as string[], responses: {} as Record<string, unknown> }));
vi.mock("@clack/prompts", () => {
  const prompt = async ({ message, initialValue, defaultValue }: Record<string, string>) => {
    prompts.requested.push(message ?? "");
    return Object.hasOwn(prompts.responses, message ?? "")
      ? prompts.responses[message ?? ""]
      : (initialValue ?? defaultValue);
  };
  const isCancel = (value: unknown) => typeof value === "symbol";
  return { intro: () => {}, cancel: () => {}, text: prompt, select: prompt, confirm: prompt, isCancel };
});

const before = { argv: process.argv, cwd: process.cwd(), exitCode: process.exitCode, PATH: process.env.PATH };
let place: string;
let printed: string;
beforeEach(() => {
  place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-create-")));
  process.chdir(place);
  process.env.npm_config_user_agent = "pnpm/9.0.0 node/v20";
  printed = "";
  const print = (text: unknown): void => {
    printed += `${text}\n`;
  };
  const write = (text: unknown): boolean => {
    printed += text;
    return true;
  };
  vi.spyOn(console, "log").mockImplementation(print);
  vi.spyOn(console, "error").mockImplementation(print);
  vi.spyOn(process.stdout, "write").mockImplementation(write);
  vi.spyOn(process.stderr, "write").mockImplementation(write);
  prompts.requested = [];
  prompts.responses = {};
});
afterEach(() => {
  vi.restoreAllMocks();
  process.chdir(before.cwd);
  process.argv = before.argv;
  process.env.PATH = before.PATH;
  process.exitCode = before.exitCode;
  fs.rmSync(place, { recursive: true, force: true });
});

/** Runs the program in this process; returns its exit code. */
async function run(args: readonly string[], isTerminal = false): Promise<unknown> {
  process.argv = [process.execPath, "create-servicekit", ...args];
  for (const stream of [process.stdin, process.stdout])
    Object.defineProperty(stream, "isTTY", { value: isTerminal, configurable: true });
  vi.resetModules();
  await import("../src/main.js");
  return process.exitCode;
}
const manifestOf = (name: string) => JSON.parse(fs.readFileSync(path.join(place, name, "package.json"), "utf8"));

/** A package manager that ends with a code. */
function makeManager(code: number): void {
  fs.mkdirSync("bin");
  fs.writeFileSync("bin/pnpm", `#!/bin/sh\necho "$@" > "${place}/called"\nexit ${code}\n`, { mode: 0o755 });
  process.env.PATH = `${path.join(place, "bin")}${path.delimiter}${before.PATH}`;
}

describe("C73 create-servicekit", () => {
  it("C73 accepts every choice as an option, and prints the next steps", async () => {
    expect(await run(["my-shop", "--schema", "shop", "--validation", "class-validator", "--no-install"])).toBe(0);
    expect(printed).toMatch(/my-shop: \d+ files in .*\n\nNow:\n\n {2}cd my-shop\n {2}pnpm install\n {2}pnpm run dev\n/);
    expect(manifestOf("my-shop")).toMatchObject({ name: "my-shop", private: true, type: "module" });
    expect(manifestOf("my-shop").dependencies).toHaveProperty("class-validator");
    expect(fs.readFileSync("my-shop/prisma/schema.prisma", "utf8")).toContain("model Order");
    expect(prompts.requested).toEqual([]);
  });

  it("C73 does not prompt with --yes, although there is a terminal", async () => {
    expect(await run(["--yes", "--no-install"], true)).toBe(0);
    expect(prompts.requested).toEqual([]);
    expect(manifestOf("my-api").name).toBe("my-api");
  });

  it("C73 prompts at a terminal", async () => {
    expect(await run(["asked", "--no-install"], true)).toBe(0);
    expect(prompts.requested).toHaveLength(4);
  });

  it("C73 installs with the package manager that runs it", async () => {
    makeManager(0);
    expect(await run(["installed"])).toBe(0);
    expect(fs.readFileSync("called", "utf8").trim()).toBe("install");
    expect(printed).toContain("Now:\n\n  cd installed\n  pnpm run dev\n");
    expect(fs.existsSync("installed/pnpm-workspace.yaml")).toBe(true);
  });

  it("C73 exits with 1 and keeps the files when the installation fails", async () => {
    makeManager(1);
    expect(await run(["failed", "--install"])).toBe(1);
    expect(manifestOf("failed").name).toBe("failed");
    expect(printed).toContain("  pnpm install\n");
  });

  it("C73 exits with 1 and a message for an invalid name or option, and with 0 after --help", async () => {
    expect(await run(["My API", "--no-install"])).toBe(1);
    expect(printed).toContain("my-api");
    expect(await run(["x", "--schema", "forum"])).toBe(1);
    expect(await run(["--help"])).toBe(0);
    expect(fs.readdirSync(place)).toEqual([]);
  });
});

describe("C73 create-servicekit in an existing project", () => {
  beforeEach(() => {
    fs.mkdirSync("prisma");
    fs.writeFileSync("package.json", '{ "type": "module" }');
    fs.writeFileSync("prisma/schema.prisma", 'datasource db {\n  provider = "postgresql"\n}\n');
  });

  it("C73 prints the plan and writes nothing without a terminal or after a no", async () => {
    expect(await run(["."])).toBe(1);
    expect(printed).toMatch(/Add src\/main\.ts[\s\S]*Use --yes to write without confirmation/);
    prompts.responses["Write these changes?"] = false;
    expect(await run(["."], true)).toBe(1);
    prompts.responses["Write these changes?"] = Symbol("cancel");
    expect(await run(["."], true)).toBe(1);
    expect(fs.readdirSync(place).sort()).toEqual(["package.json", "prisma"]);
  });

  it("C73 writes the files after a yes, and installs with the package manager that runs it", async () => {
    makeManager(0);
    prompts.responses["Write these changes?"] = true;
    expect(await run(["."], true)).toBe(0);
    expect(prompts.requested).toEqual(["Write these changes?"]);
    expect(fs.readFileSync("called", "utf8")).toMatch(/^add -D /);
    expect(fs.existsSync("src/main.ts")).toBe(true);
  });

  it("C73 rejects options of a new project, and reports a project that cannot be used", async () => {
    expect(await run([".", "--schema", "shop"])).toBe(1);
    expect(printed).toContain("--schema is an option of a new project, and . has a Prisma schema.");
    fs.writeFileSync("package.json", "{}");
    expect(await run([".", "--yes", "--no-install"])).toBe(1);
    expect(printed).toContain('Set "type": "module".');
  });
});

describe("C73 the questions of create-servicekit", () => {
  it("C73 are only those for missing options", async () => {
    prompts.responses["Install the packages now?"] = true;
    expect(await ask({ schema: "shop", directory: "given" })).toEqual({
      ...{ directory: "given", schema: "shop", validation: "zod", authentication: "static" },
      ...{ database: "embedded", install: true },
    });
    expect(prompts.requested).toHaveLength(4);
    prompts.requested = [];
    const complete = {
      directory: "a",
      schema: "blog",
      validation: "zod",
      authentication: "none",
      database: "server",
      install: false,
    } as const;
    expect(await ask(complete)).toEqual(complete);
    expect(prompts.requested).toEqual([]);
  });

  it("C73 write nothing when the user cancels", async () => {
    prompts.responses["Install the packages now?"] = Symbol("cancel");
    await expect(ask({})).rejects.toThrow(CreationError);
  });
});

it.each([
  ["npm/10.0.0 node/v20", "npm"],
  ["pnpm/9.1.0", "pnpm"],
  ["yarn/4.0.0", "yarn"],
  ["bun/1.0.0", "bun"],
  ["deno/2.0.0", "npm"],
  ["", "npm"],
])("C73 the package manager of %j is %s", (agent, expected) => {
  expect(packageManager(agent)).toBe(expected);
});

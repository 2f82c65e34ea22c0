import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "./test/free-port.js";
import { newUserEnvironment } from "./test/new-user-environment.js";
import { tarballsOf, withDependencies } from "./test/packed-packages.js";

/*
 * Follows docs/guides/existing-project.md in an empty folder with packed packages: its commands, its files, its requests.
 */
const run = promisify(execFile);
const root = path.join(import.meta.dirname, "..");
const page = fs.readFileSync(path.join(root, "docs/guides/existing-project.md"), "utf8");
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));
/** What is done before the service runs: commands and files, in the order of the page. */
const start = blocks.findIndex(({ text }) => text.trim() === "npx service dev");
const setup = blocks.slice(0, start);
const develop = blocks[start]?.text.trim() ?? "";
const requests = blocks[start + 1]?.text.trim().split("\n") ?? [];

const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-existing-project-"));
const project = path.join(place, "shop");
const tarballs = tarballsOf([...withDependencies("service"), "dev-database"]);
const environment = newUserEnvironment({ npm_config_audit: "false", npm_config_fund: "false" });

/** Packages of this repository from their tarballs, because they are not published yet. */
const ours = [...tarballs].map(([name, tarball]) => `@servicekit/${name}@file:${tarball}`).join(" ");
const initialize = "npm create servicekit@latest .";
const sh = (line: string) => run("bash", ["-c", line], { cwd: project, env: environment });
let initialized = "";

async function follow({ language, text }: (typeof blocks)[number]): Promise<void> {
  const [, file] = /^\/\/ (\S+\.\w+)\n/.exec(text) ?? [];
  if (file !== undefined) {
    fs.mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
    fs.writeFileSync(path.join(project, file), text);
  }
  for (const line of language === "sh" ? text.trim().split("\n") : []) {
    if (line !== initialize) await sh(line);
    else {
      await sh(`npm install ${ours}`);
      initialized = (await sh("npx service init --yes")).stdout;
    }
  }
}

beforeAll(async () => {
  // The account of the embedded database must be able to read its folder.
  fs.chmodSync(place, 0o755);
  fs.mkdirSync(project);
  for (const block of setup) await follow(block);
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  fs.writeFileSync(path.join(project, "portrait.png"), Buffer.from(pixel, "base64"));
}, 600_000);
afterAll(() => fs.rmSync(place, { recursive: true, force: true }));

describe("C73 an existing project", () => {
  it("has the commands and files of the guide", () => {
    expect(setup.filter(({ language }) => language === "sh")).toHaveLength(4);
    const files = ["tsconfig.json", "prisma/schema.prisma", "src/main.ts", "src/greetings.ts", "service.config.ts"];
    expect(files.filter((file) => !fs.existsSync(path.join(project, file)))).toEqual([]);
  });

  it("has only the lines that service init listed", async () => {
    expect(initialized).toMatch(/Add service\.config\.ts[\s\S]*Add src\/main\.ts[\s\S]*\+ generator service \{/);
    const [, before = ""] = /^```prisma\n(\/\/ prisma\/schema\.prisma\n[\s\S]*?)^```/m.exec(page) ?? [];
    const after = fs.readFileSync(path.join(project, "prisma/schema.prisma"), "utf8");
    expect(after.replace(/\n\ngenerator service \{[^}]*\}/, "")).toBe(before);
    expect((await sh("npx service init")).stdout).toContain("There is nothing to do.");
  });

  it("returns the status codes of the guide", async () => {
    const port = await freePort();
    const env = { ...environment, PORT: String(port) };
    const child = spawn("bash", ["-c", `exec ${develop}`], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
    let message = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (message += chunk));
    try {
      while ((await fetch(`http://localhost:${port}/api`).catch(() => undefined))?.ok !== true) {
        if (child.exitCode !== null || message.includes("✗")) throw new Error(message);
        await wait(100);
      }
      for (const line of requests) {
        if (!line.startsWith("curl ")) continue;
        const [, status] = /# (\d{3})\b/.exec(line) ?? [];
        const reported = line
          .replace(/^curl /, "curl --silent --output response.json --write-out '%{http_code}' ")
          .replaceAll("localhost:8000", `localhost:${port}`);
        const { stdout } = await run("bash", ["-c", reported], { cwd: project, env: environment });
        expect(stdout, `${line}\n${fs.readFileSync(path.join(project, "response.json"), "utf8")}`).toBe(status);
      }
    } finally {
      child.kill("SIGTERM");
    }
    await expect
      .poll(() =>
        fetch(`http://localhost:${port}/api`).then(
          () => true,
          () => false,
        ),
      )
      .toBe(false);
  });

  it("type-checks and builds", async () => {
    await run("npx", ["tsc"], { cwd: project, env: environment });
    await run("npx", ["service", "build"], { cwd: project, env: environment });
    expect(fs.existsSync(path.join(project, "dist/modules/review/review.model.js"))).toBe(true);
    const { stdout } = await run("node", ["dist/main.js", "openapi", "--out", "openapi.json"], {
      cwd: project,
      env: environment,
    });
    expect(stdout).toContain("openapi.json describes");
  });
});

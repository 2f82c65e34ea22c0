import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "./test/free-port.js";
import { installEachAlone } from "./test/install-packed.js";
import { folderOf, readManifest, tarballsOf, withDependencies } from "./test/packed-packages.js";
import { someOf } from "./test/slow-share.js";

/**
 * The packages whose first block needs no database and no generated client: each is packed, installed into an empty
 * project, type-checked and run there as in its README. See CONTRIBUTING.md for the others.
 */
const packages = someOf([
  "core",
  "client",
  "config-loader",
  "query-parser",
  "init",
  "mailer",
  "router",
  "idempotency",
  "server",
  "mcp",
  "studio",
  "telemetry",
  "discovery",
  "openapi",
  "uploads",
  "cli",
  "service",
]);

const root = path.join(import.meta.dirname, "..");
const tsc = path.join(root, "node_modules", ".bin", "tsc");
const run = promisify(execFile);
const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-consumers-"));

/** The first fenced block of a language. */
function readBlock(readme: string, language: string): string | undefined {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(readme)?.[1];
}

/** Imports of every entry of a package. */
function importsOf(name: string): string {
  // A single file is not a module: `package.json`, or a command.
  // Nor is an entry for a library that the README does not install.
  const entries = Object.entries(readManifest(folderOf(name)).exports).filter(
    ([entry, to]) => typeof to !== "string" && entry !== "./react-query",
  );
  const lines = entries.map(([entry], index) => {
    return `export * as entry${index} from "${path.posix.join(`@servicekit/${name}`, entry)}";\n`;
  });
  return lines.join("");
}

beforeAll(async () => {
  const tarballs = tarballsOf(new Set(packages.flatMap((name) => [...withDependencies(name)])));
  await installEachAlone(packages, tarballs, place);
}, 600_000);

afterAll(() => {
  fs.rmSync(place, { recursive: true, force: true });
}, 600_000);

describe.each(packages)("@servicekit/%s alone in an empty project", (name) => {
  const project = path.join(place, "projects", name);
  const text = fs.readFileSync(path.join(folderOf(name), "README.md"), "utf8");
  const installed = path.join(project, "node_modules", "@servicekit", name);

  it("installs from its tarball, with real versions of its dependencies", () => {
    expect(fs.readdirSync(installed).sort()).toEqual(expect.arrayContaining(["dist", "package.json", "src"]));
    expect(JSON.stringify(readManifest(installed).dependencies ?? {})).not.toMatch(/workspace:|catalog:/);
  });

  it("can be imported with all its exports", async () => {
    const code = importsOf(name);
    await run(process.execPath, ["--input-type=module", "-e", code], { cwd: project });
    // The packages in an entry's types are needed to compile against it, though not to import it.
    const lines = code.split("\n").filter((line) => !line.includes("/dev-database"));
    fs.writeFileSync(path.join(project, "types.mts"), lines.join("\n"));
  });

  it("runs the first snippet of its README, which prints the documented output", async () => {
    const snippet = readBlock(text, "ts");
    expect(snippet, "the README has a ts block that runs as written").toBeDefined();
    const code = (snippet ?? "").replace(/\b3000\b/g, String(await freePort()));
    fs.writeFileSync(path.join(project, "snippet.mjs"), code);
    const env = { ...process.env, NODE_ENV: "production" };
    const { stdout } = await run(process.execPath, ["snippet.mjs"], { cwd: project, env, timeout: 300_000 });
    const printed = stdout.split("\n").filter((line) => !line.startsWith('{"level":'));
    expect(printed.join("\n").trim()).toBe(readBlock(text, "text")?.trim());
  }, 60_000);
});

it("has types in each entry that need nothing that is not installed", { timeout: 300_000 }, async () => {
  const files = packages.map((name) => path.join("projects", name, "types.mts"));
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"];
  const typeRoots = path.join(root, "node_modules", "@types");
  const checked = run(tsc, [...options, "--typeRoots", typeRoots, "--pretty", "false", ...files], { cwd: place });
  // Errors in the types of other packages are not ours to fix.
  const { stdout } = await checked.catch((error: { stdout: string }) => error);
  expect(stdout.split("\n").filter((line) => line.includes("@servicekit") || line.includes("types.mts"))).toEqual([]);
});

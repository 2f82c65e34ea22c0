import { type ExecFileOptions, execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { versions } from "../packages/init/src/versions.js";
import { hasDatabase, megabytes, packagesIn, startScript } from "./test/created-project.js";
import { followDockerfile } from "./test/follow-dockerfile.js";
import { type LocalRegistry, startLocalRegistry } from "./test/local-registry.js";
import { emptyCache, newUserEnvironment } from "./test/new-user-environment.js";
import { readManifest } from "./test/packed-packages.js";
import { isDrawnOnceIn, slowShare } from "./test/slow-share.js";

const root = path.join(import.meta.dirname, "..");

/** Runs a program; its error contains the output, where package managers print the reason. */
async function run(
  file: string,
  args: readonly string[],
  options: ExecFileOptions,
): Promise<{ readonly stdout: string }> {
  const finished = promisify(execFile)(file, args, { ...options, encoding: "utf8" });
  return finished.catch((error: Error & { stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout?.slice(-3000)}`);
  });
}

const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-publish-"));
// The account of the embedded database must be able to read its folder.
fs.chmodSync(place, 0o755);

let registry: LocalRegistry;
beforeAll(async () => {
  const { stdout } = await run("npm", ["config", "get", "registry"], { env: newUserEnvironment({}) });
  registry = await startLocalRegistry(stdout.trim());
});
afterAll(() => {
  registry?.close();
  fs.rmSync(place, { recursive: true, force: true, maxRetries: 5 });
});

describe("C73 npm run release", () => {
  const release = async () => {
    const home = path.join(place, "publisher");
    fs.mkdirSync(home, { recursive: true });
    fs.writeFileSync(path.join(home, ".npmrc"), registry.npmrc);
    const env = newUserEnvironment({ HOME: home, ...emptyCache(home) });
    return run(process.execPath, [path.join(root, "scripts", "publish.mjs")], { cwd: root, env });
  };
  const names = fs.readdirSync(path.join(root, "packages"));

  it("C73 publishes each package once, with real ranges, and a beta with the tag beta", async () => {
    await release();
    expect(registry.published.size).toBe(names.length);
    for (const { name, version } of names.map((one) => readManifest(path.join(root, "packages", one)))) {
      const one = registry.published.get(name);
      expect(one?.tag, name).toBe(version.includes("-beta.") ? "beta" : "latest");
      const { dependencies = {}, peerDependencies = {} } = one?.versions[version] ?? {};
      expect(JSON.stringify({ dependencies, peerDependencies }), name).not.toMatch(/workspace:|catalog:/);
    }

    await release();
    expect(registry.writes()).toBe(names.length);
  }, 600_000);
});

/*
 * docs/start/quick-start.md from that registry, by each package manager on each Node version, as root and as an ordinary user. Yarn 1 creates
 * projects as well; their Dockerfile is for Yarn 4.
 */
const managers = {
  npm: { create: ["create", "servicekit@latest"], program: undefined },
  pnpm: { create: ["create", "servicekit@latest"], program: "pnpm/bin/pnpm.mjs" },
  yarn: { create: ["create", "servicekit@latest"], program: "@yarnpkg/cli-dist/bin/yarn.js" },
  yarn1: { create: ["create", "servicekit"], program: "yarn/bin/yarn.js" },
} as const;
const combinations = (["npm", "pnpm", "yarn", "yarn1"] as const).flatMap((manager, row) =>
  [20, 22, 24]
    // Yarn 1 rejects a package that requires another Node version, and pino-pretty has a dependency that requires Node 22.
    .filter((node) => manager !== "yarn1" || node > 20)
    .map((node, column) => ({ manager, node, isRoot: (row + column) % 2 === 0 })),
);
const chosen = slowShare < 1 ? [combinations[randomInt(combinations.length)]] : combinations;

/** The account without any rights on Linux. */
const ordinary = { uid: 65_534, gid: 65_534 };

describe.each(chosen.flatMap((one) => one ?? []))("C73 a project by $manager on Node $node, root: $isRoot", (one) => {
  const { manager, node, isRoot } = one;
  const isPrivileged = process.getuid?.() === 0;
  const command = manager === "yarn1" ? "yarn" : manager;
  const folder = path.join(place, `${manager}-${node}`);
  const project = path.join(folder, "my-blog");
  const home = path.join(folder, "home");
  const tools = path.join(place, "tools");

  it("C73 is created, installed, developed, tested, built and started", async (context) => {
    if (isRoot && !isPrivileged) {
      console.log(`skipped: ${manager} as root on Node ${node}, because the tests do not run as root`);
      return context.skip();
    }
    const { uid, gid } = isPrivileged && !isRoot ? ordinary : os.userInfo();
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    const programs = [`pnpm@${versions.pnpm}`, `@yarnpkg/cli-dist@${versions["@yarnpkg/cli-dist"]}`, "yarn@1"];
    const prefix = path.join(tools, String(node));
    await run("npm", ["install", ...quiet, "--prefix", prefix, `node@${node}`, ...programs], { cwd: place });
    const bin = path.join(folder, "bin");
    for (const each of [home, bin]) fs.mkdirSync(each, { recursive: true });
    const { create, program } = managers[manager];
    if (program !== undefined) {
      const script = `#!/bin/sh\nexec node ${path.join(prefix, "node_modules", program)} "$@"\n`;
      fs.writeFileSync(path.join(bin, command), script, { mode: 0o755 });
    }
    fs.writeFileSync(path.join(home, ".npmrc"), `${registry.npmrc}prefix=${home}/global\n`);
    fs.writeFileSync(path.join(home, ".yarnrc"), `registry "${registry.url}"\n`);
    // JSON is YAML.
    const settings = { npmRegistryServer: registry.url, unsafeHttpWhitelist: ["127.0.0.1"], enableTelemetry: false };
    fs.writeFileSync(path.join(home, ".yarnrc.yml"), JSON.stringify(settings));
    for (const each of [folder, home]) fs.chownSync(each, uid, gid);
    const nodeFolder = path.join(prefix, "node_modules", "node", "bin");
    const PATH = [bin, nodeFolder, path.dirname(process.execPath), "/usr/bin", "/bin"].join(path.delimiter);
    const env = newUserEnvironment({ HOME: home, PATH, ...emptyCache(home) });
    const inProject: ExecFileOptions = { cwd: project, env, uid, gid };

    const creating = Date.now();
    await run(command, [...create, "my-blog"], { ...inProject, cwd: folder });
    const created = seconds(creating);
    const modules = path.join(project, "node_modules");
    const size = `${megabytes(modules)} MB, ${packagesIn(modules)} packages`;
    const developing = Date.now();
    await serve(["run", "dev"]);
    const user = isRoot ? "root" : "an ordinary user";
    const answered = seconds(developing);
    console.log(`${manager}, Node ${node}, ${user}: created in ${created} (${size}), answered after ${answered}`);
    await run(command, ["run", "build"], inProject);
    await serve(["start"]);
    expect((await run(command, ["test"], inProject)).stdout).toMatch(/Tests\s+4 passed/);
    expect((await run("npx", ["service", "routes"], inProject)).stdout).toContain("/api/posts");
    // Other tests build the images of other projects.
    if (manager !== "yarn1" && isDrawnOnceIn(3)) await buildImage(env);
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

    /** Starts a script, and stops it with the database after the first response. */
    async function serve(args: readonly string[]): Promise<void> {
      const { child } = await startScript(command, args, { ...inProject, detached: true }, "/api/posts");
      process.kill(-(child.pid ?? 0), "SIGTERM");
      await expect.poll(() => hasDatabase(project)).toBe(false);
    }
  }, 900_000);

  /** Follows the Dockerfile, where the package manager is already installed. */
  async function buildImage(environment: NodeJS.ProcessEnv): Promise<void> {
    const { root: image, directory } = await followDockerfile(path.join(project, "Dockerfile"), {
      context: project,
      target: path.join(folder, "stages"),
      environment,
      // npm writes only the machine's own platform into a lockfile if the registry is a mirror.
      instead: (step) => (step.startsWith("npm install --global") ? "true" : step.replace(/^npm ci\b/, "npm install")),
    });
    const packages = megabytes(path.join(image, directory, "node_modules"));
    console.log(`${manager}, Node ${node}: the image has ${packages} MB of packages`);
    expect(packages).toBeLessThan(150);
  }
});

const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`;

import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** The packages that are used alone: each is packed, installed into an empty project and runs its README there. */
const packages = ["errors", "field-path", "query-parser", "config-loader", "mailer"];

const root = path.join(import.meta.dirname, "..");
const run = promisify(execFile);
const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-consumers-"));
const tarballs = new Map<string, string>();

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly packageManager?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;
const folderOf = (name: string): string => path.join(root, "packages", name);

/** The package and all of ours below it. */
function withDependencies(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const dependency of Object.keys(readManifest(folderOf(name)).dependencies ?? {})) {
    if (dependency.startsWith("@servicekit/")) withDependencies(dependency.slice("@servicekit/".length), found);
  }
  return found;
}

/** The pinned pnpm of this repository, or the one on PATH: it writes real ranges in place of `workspace:`. */
function findPnpm(): string {
  const version = readManifest(root).packageManager?.replace(/^pnpm@|\+.*$/g, "");
  const pinned = path.join(root, ".tools", `pnpm-${version}`, "node_modules", ".bin", "pnpm");
  return fs.existsSync(pinned) ? pinned : "pnpm";
}

/** The first fenced block of a language. */
function readBlock(readme: string, language: string): string | undefined {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(readme)?.[1];
}

beforeAll(async () => {
  const all = new Set(packages.flatMap((name) => [...withDependencies(name)]));
  const tsc = path.join(root, "node_modules", ".bin", "tsc");
  await run(tsc, ["-b", ...[...all].map(folderOf)], { cwd: root });
  const pnpm = findPnpm();
  await Promise.all(
    [...all].map(async (name) => {
      const target = path.join(place, "tarballs", name);
      await run(pnpm, ["pack", "--pack-destination", target], { cwd: folderOf(name) });
      const [tarball = ""] = fs.readdirSync(target);
      tarballs.set(name, path.join(target, tarball));
    }),
  );
}, 60_000);

afterAll(() => {
  fs.rmSync(place, { recursive: true, force: true });
});

describe.each(packages)("@servicekit/%s alone in an empty project", (name) => {
  const project = path.join(place, "projects", name);
  const readme = path.join(folderOf(name), "README.md");

  it("installs from its tarball and runs its README", { timeout: 60_000 }, async (context) => {
    const dependencies = Object.fromEntries(
      [...withDependencies(name)].map((each) => [`@servicekit/${each}`, `file:${tarballs.get(each)}`]),
    );
    fs.mkdirSync(project, { recursive: true });
    fs.writeFileSync(path.join(project, "package.json"), JSON.stringify({ private: true, dependencies }));
    const quiet = [
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      "--prefer-offline",
      "--fetch-retries=0",
      "--loglevel=error",
    ];
    await run("npm", ["install", ...quiet], { cwd: project, shell: process.platform === "win32" });
    const installed = path.join(project, "node_modules", "@servicekit", name);
    expect(fs.readdirSync(installed).sort()).toEqual(expect.arrayContaining(["dist", "package.json", "src"]));
    expect(fs.readdirSync(installed, { recursive: true }).filter((file) => /\.test/.test(String(file)))).toEqual([]);
    expect(JSON.stringify(readManifest(installed).dependencies ?? {})).not.toMatch(/workspace:|catalog:/);

    const entries = Object.keys(readManifest(installed).exports).filter((entry) => !entry.endsWith(".json"));
    const imports = entries.map((entry) => `import "${path.posix.join(`@servicekit/${name}`, entry)}";`).join("\n");
    await run(process.execPath, ["--input-type=module", "-e", imports], { cwd: project });

    if (!fs.existsSync(readme)) {
      context.skip("it has no README yet: installed and imported only");
      return;
    }
    const text = fs.readFileSync(readme, "utf8");
    const snippet = readBlock(text, "ts");
    expect(snippet, "the README has a ts block that runs as written").toBeDefined();
    fs.writeFileSync(path.join(project, "snippet.mjs"), snippet ?? "");
    const { stdout } = await run(process.execPath, ["snippet.mjs"], { cwd: project });
    expect(stdout.trim(), "what the snippet prints is the README's text block").toBe(readBlock(text, "text")?.trim());
  });
});

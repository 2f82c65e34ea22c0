import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, readManifest, tarballsOf } from "./test/packed-packages.js";

const root = path.join(import.meta.dirname, "..");
const names = fs.readdirSync(path.join(root, "packages"));
const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-packages-"));

/** Required files of a tarball that neither `exports` nor `bin` names. */
const needed: Readonly<Record<string, readonly string[]>> = {
  "config-loader": ["hooks/register.mjs", "hooks/typescript.mjs"],
  "create-servicekit": [
    "templates/all/env",
    "templates/all/gitignore",
    "templates/all/ci.yml",
    "templates/blog/model.ts",
  ],
  auth: ["workers/bcrypt.mjs"],
  studio: ["dist/page/manifest.json", "dist/page/LICENSES.md"],
  openapi: ["dist/scalar/standalone.js", "dist/scalar/NOTICE"],
};

/** The targets of the links in a Markdown text. */
const linksOf = (text: string): string[] => [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? "");

/** A link without its place in the file. */
const fileOf = (link: string): string => link.replace(/#.*$/, "");

const tarballs = tarballsOf(names);
afterAll(() => fs.rmSync(place, { recursive: true, force: true }));

/** The package that "npm create servicekit" runs; all others have the scope. */
const nameOf = (name: string): string => (name === "create-servicekit" ? name : `@servicekit/${name}`);

describe.each(names)("the tarball of %s", (name) => {
  const tar = (...args: string[]): string =>
    execFileSync("tar", [...args, tarballs.get(name) ?? ""], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const files = (): Set<string> =>
    new Set(
      tar("-tzf")
        .trim()
        .split("\n")
        .map((file) => file.replace(/^package\//, "")),
    );

  it("passes publint", async () => {
    const tarball = fs.readFileSync(tarballs.get(name) ?? "");
    const pack = { tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.length) };
    const { messages, pkg = {} } = await publint({ pack, strict: true, level: "warning" });
    expect(pkg).toMatchObject({ name: nameOf(name) });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it("C73 has types at each of its entries, which pass attw", async () => {
    const checked = await checkPackage(createPackageFromTarballData(fs.readFileSync(tarballs.get(name) ?? "")));
    if (checked.types === false) throw new Error(`${name} has no types.`);
    // ESM only, which `require` of every supported Node loads; TypeScript requires `module: node20` or `nodenext`
    // there.
    const old: ReadonlySet<string> = new Set(["node10", "node16-cjs"]);
    const { exports } = readManifest(folderOf(name));
    const isModule = (entry: string): boolean => typeof exports[entry] !== "string"; // otherwise a command, or package.json
    const wrong = checked.problems.filter((problem) => {
      if (!("entrypoint" in problem)) return true;
      return isModule(problem.entrypoint) && !old.has(problem.resolutionKind);
    });
    expect(wrong).toEqual([]);
    expect(Object.keys(checked.entrypoints).sort()).toEqual(Object.keys(exports).sort());
  });

  it("C56 has a version from 1.4.0-beta on", () => {
    expect(readManifest(folderOf(name)).version).toMatch(/^(1\.4\.0-beta\.\d+|1\.([4-9]|\d\d)\.\d+|[2-9]\.\d+\.\d+)/);
  });

  it("contains every file that its manifest names, and those that are loaded by path", () => {
    const { exports, bin = {} } = readManifest(folderOf(name));
    const targets = [...Object.values(exports), bin].flatMap((entry) =>
      typeof entry === "string" ? [entry] : Object.values(entry),
    );
    const packed = files();
    const expected = [...targets.map((file) => path.posix.normalize(file)), ...(needed[name] ?? [])];
    expect(expected.filter((file) => !packed.has(file))).toEqual([]);
    const documents = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
    expect(documents.filter((file) => !packed.has(file))).toEqual([]);
  });

  it("has a description, an author and a repository", () => {
    const page = "https://github.com/servicekit/servicekit";
    expect(readManifest(folderOf(name))).toMatchObject({
      description: expect.stringMatching(/^[A-Z].*\.$/),
      keywords: expect.arrayContaining(["servicekit"]),
      homepage: `${page}/tree/main/packages/${name}#readme`,
      bugs: { url: `${page}/issues` },
      repository: { type: "git", url: `git+${page}.git`, directory: `packages/${name}` },
      license: "MIT",
      author: "The servicekit authors",
    });
  });

  it("has a changelog of its own, which changesets extends", () => {
    expect(fs.readFileSync(path.join(folderOf(name), "CHANGELOG.md"), "utf8")).toMatch(
      new RegExp(`^# ${nameOf(name)}\\n`),
    );
  });

  it("links in its README only to its own files, or by full URLs", () => {
    const packed = files();
    const links = linksOf(fs.readFileSync(path.join(folderOf(name), "README.md"), "utf8"));
    const dead = links.filter((link) => !/^(https:|#)/.test(link) && !packed.has(path.posix.normalize(fileOf(link))));
    expect(dead).toEqual([]);
    // A full URL of this repository refers to a file of this tree.
    const own = links.flatMap((link) => {
      const [, file] = /^https:\/\/github\.com\/servicekit\/servicekit\/(?:blob|tree)\/main\/(.*)$/.exec(link) ?? [];
      return file === undefined ? [] : [fileOf(file)];
    });
    expect(own.filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([]);
  });

  it("contains no test, no generated fixture and no file of this machine", () => {
    const unwanted = /(^|\/)(test|node_modules|\.turbo|generated)\/|\.test(-d)?\.|\.env|tsbuildinfo|\.tgz$/;
    expect([...files()].filter((file) => unwanted.test(file))).toEqual([]);
  });

  it("runs its commands with Node, and has them executable", () => {
    const { bin = {} } = readManifest(folderOf(name));
    const modes = new Map(
      tar("-tvzf")
        .trim()
        .split("\n")
        .map((line) => [line.replace(/^.* package\//, ""), line.slice(0, 10)]),
    );
    for (const file of Object.values(bin)) {
      expect(fs.readFileSync(path.join(folderOf(name), file), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
      expect(modes.get(path.posix.normalize(file)), file).toBe("-rwxr-xr-x");
    }
  });
});

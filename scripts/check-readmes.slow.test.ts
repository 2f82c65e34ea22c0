import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { createProject } from "../packages/create-servicekit/src/index.js";
import { generateClient } from "./generate-client.js";

/*
 * Every `ts` block of a README, and of the pages below, is a file of a strict project. A first line such as `// src/main.ts` names the file. The Prisma
 * client is that of the example, or that of the shop of `npm create servicekit`, whose files the blocks replace or complete.
 */
const root = path.join(import.meta.dirname, "..");
const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-readmes-"));
const tsc = path.join(root, "node_modules", ".bin", "tsc");

/** Pages whose blocks are files of one project each, like those of a README. */
const pages = [
  ...fs
    .readdirSync(path.join(root, "docs", "guides"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `guides/${name}`),
  "explanation/access-rules.md",
  "explanation/requests.md",
  "reference/model-configuration.md",
  "reference/query-language.md",
  "start/what-is-servicekit.md",
].map((name) => `docs/${name}`);

/** The guides that are written for the shop of `npm create servicekit`. */
const shopGuides = [
  ...["background-jobs", "caching", "changes", "export-and-import", "live-updates", "search", "soft-delete", "testing"],
  "webhooks",
];

/** The output of `tsc --init`, with sources in place of build results. */
const compilerOptions = {
  module: "nodenext",
  target: "esnext",
  types: ["node"],
  strict: true,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noUncheckedSideEffectImports: true,
  moduleDetection: "force",
  skipLibCheck: true,
  // NestJS decorates parameters, which only legacy decorators support.
  experimentalDecorators: true,
  customConditions: ["servicekit-source"],
};

/** The folders of the root, the packages and the applications, relative to the root. */
function listFolders(): readonly string[] {
  const below = ["packages", "apps"].flatMap((parent) =>
    fs.readdirSync(path.join(root, parent)).map((name) => path.join(parent, name)),
  );
  return [".", ...below].filter((folder) => fs.existsSync(path.join(root, folder, "README.md")));
}

/** All dependencies of the packages, and the packages themselves, as if installed in one project. */
function linkPackages(folders: readonly string[]): void {
  const link = (name: string, target: string): void => {
    const from = path.join(place, "node_modules", name);
    if (fs.existsSync(from)) return;
    fs.mkdirSync(path.dirname(from), { recursive: true });
    fs.symlinkSync(fs.realpathSync(target), from);
  };
  for (const folder of folders) {
    if (folder !== ".") link(readName(folder), path.join(root, folder));
    const modules = path.join(root, folder, "node_modules");
    for (const name of fs.existsSync(modules) ? fs.readdirSync(modules) : []) {
      if (name.startsWith(".")) continue;
      const parts = name.startsWith("@")
        ? fs.readdirSync(path.join(modules, name)).map((part) => `${name}/${part}`)
        : [name];
      for (const part of parts) link(part, path.join(modules, part));
    }
  }
}

function readName(folder: string): string {
  return JSON.parse(fs.readFileSync(path.join(root, folder, "package.json"), "utf8")).name;
}

/** Creates the shop, and generates its client with the types of its API. */
async function createShop(): Promise<string> {
  const shop = path.join(place, "created", "shop");
  createProject({ directory: shop, schema: "shop" });
  const schema = path.join(shop, "prisma", "schema.prisma");
  const text = fs.readFileSync(schema, "utf8");
  fs.writeFileSync(schema, text.replace('"servicekit-prisma"', '$&\n  api      = "types"'));
  await generateClient({ schema });
  return shop;
}

/** Writes the blocks of one page at their line numbers in the page. Returns the number of blocks. */
function writeBlocks(page: string, shop: string): number {
  const text = fs.readFileSync(path.join(root, page), "utf8");
  const blocks = [...text.matchAll(/^( *)```ts\n([\s\S]*?)^ *```$/gm)];
  const project = path.join(place, page === "README.md" ? "root" : page.replace(/\/README\.md$|\.md$/, ""));
  const isOfShop = shopGuides.some((name) => page === `docs/guides/${name}.md`);
  if (isOfShop) fs.cpSync(shop, project, { recursive: true });
  for (const { index, 2: code = "" } of blocks) {
    const line = text.slice(0, index).split("\n").length;
    const file = path.join(
      project,
      /^\/\/ (src\/\S+|\S+\.ts)\n/.exec(code)?.[1] ?? path.join("src", `line-${line}.ts`),
    );
    fs.mkdirSync(path.dirname(file), { recursive: true });
    // So that an error has the line number of the page.
    fs.writeFileSync(file, "\n".repeat(line) + code);
  }
  fs.mkdirSync(path.join(project, "src"), { recursive: true });
  if (!isOfShop) {
    fs.symlinkSync(path.join(root, "apps", "example", "src", "generated"), path.join(project, "src", "generated"));
    fs.writeFileSync(path.join(project, "package.json"), '{ "type": "module" }');
  }
  return blocks.length;
}

afterAll(() => {
  fs.rmSync(place, { recursive: true, force: true });
});

it("compiles every ts block of the READMEs and the guides in strict mode", async () => {
  const folders = listFolders();
  linkPackages(folders);
  const readmes = folders.map((folder) => path.posix.join(folder, "README.md"));
  const shop = await createShop();
  const blocks = [...readmes, ...pages].map((page) => writeBlocks(page, shop)).reduce((sum, count) => sum + count, 0);
  expect(blocks).toBeGreaterThanOrEqual(30);
  fs.writeFileSync(
    path.join(place, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["root", "packages", "apps", "docs"] }),
  );
  const checked = promisify(execFile)(tsc, ["-p", place, "--pretty", "false"], { cwd: place });
  const { stdout } = await checked.catch((error: { stdout: string }) => error);
  expect(stdout.trim().split("\n")).toEqual([""]);
});

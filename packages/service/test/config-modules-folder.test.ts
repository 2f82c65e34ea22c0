import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readModulesDirectory } from "../src/config/modules-directory.js";
import type { RuntimeEnvironment } from "../src/config/settings.js";
import { type ServiceInitConfig, type ServiceSettings } from "../src/index.js";
import { loadSettings } from "./load-settings.js";
import { makeProjects } from "./project-folder.js";
import { alone } from "./start.js";

const { project, removeAll } = makeProjects();
afterEach(removeAll);

/** The settings of a service; their effects are tested where they are used. */
const settingsOf = (init: ServiceInitConfig, around: RuntimeEnvironment = {}): Promise<ServiceSettings> =>
  loadSettings(init, { ...alone, ...around });

describe("C44 C55 the folder of modules", () => {
  const folderOf = async (
    files: Readonly<Record<string, string>>,
    around: RuntimeEnvironment,
    init: ServiceInitConfig = {},
  ) => {
    const root = project(files);
    const directory = path.join(root, around.directory ?? "");
    const entry = around.entry === undefined ? {} : { entry: path.join(root, around.entry) };
    const { modulesDirectory } = await settingsOf(init, { ...around, directory, ...entry });
    return [path.relative(root, modulesDirectory.path), modulesDirectory.isConfigured];
  };
  const both = { "src/modules/": "", "dist/modules/": "", "dist/main.js": "", "src/main.ts": "" };

  it.each<[string, Readonly<Record<string, string>>, RuntimeEnvironment, ServiceInitConfig, readonly unknown[]]>([
    ["src/modules by default, there or not", {}, {}, {}, ["src/modules", false]],
    ["src/modules where src runs", both, { entry: "src/main.ts" }, {}, ["src/modules", false]],
    ["dist/modules where dist runs", both, { entry: "dist/main.js" }, {}, ["dist/modules", false]],
    ["dist/modules for a name without its ending", both, { entry: "dist/main" }, {}, ["dist/modules", false]],
    [
      "dist/modules for node .",
      { ...both, "package.json": '{"main":"dist/main.js"}' },
      { entry: "." },
      {},
      ["dist/modules", false],
    ],
    ["dist/modules where only dist was deployed", { "dist/modules/": "" }, {}, {}, ["dist/modules", false]],
    ["src/modules where another program runs", both, { entry: "node_modules/.bin/vitest" }, {}, ["src/modules", false]],
    [
      "src/modules where a folder only begins like dist",
      both,
      { entry: "distant/main.js" },
      {},
      ["src/modules", false],
    ],
    [
      "the package root's, from a folder in it",
      { ...both, "deep/x": "" },
      { directory: "deep" },
      {},
      ["src/modules", false],
    ],
    ["a configured one", { "own/": "" }, {}, { modulesDirectory: "own" }, ["own", true]],
    [
      "a configured one, below the package root, where dist runs",
      { ...both, "deep/x": "", "build/parts/": "" },
      { directory: "deep", entry: "dist/main.js" },
      { modulesDirectory: "./build/parts" },
      ["build/parts", true],
    ],
  ])("is %s", async (_title, files, around, init, expected) => {
    expect(await folderOf(files, around, init)).toEqual(expected);
  });

  it("is src/modules if no script runs, such as in a REPL", () => {
    const root = project(both);
    expect(readModulesDirectory(undefined, { root, entry: undefined })).toEqual({
      path: path.join(root, "src/modules"),
      isConfigured: false,
    });
  });

  it.each([
    ["does not exist", {}, "does not exist"],
    ["is a file", { own: "" }, "is not a folder"],
  ])("prevents startup if it was configured and %s", async (_title, files, reported) => {
    const directory = project(files);
    await expect(settingsOf({ modulesDirectory: "own" }, { directory })).rejects.toThrow(
      `modulesDirectory: The folder ${path.join(directory, "own")} ${reported}. The path is relative to ${directory}.`,
    );
  });
});

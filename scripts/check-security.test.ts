import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..");
const read = (name: string): string => fs.readFileSync(path.join(root, name), "utf8");
const text = read("docs/explanation/security.md");
const configuration = read("docs/reference/configuration.md") + read("docs/reference/authentication.md");

/** The rows below `## Defences`: the code in the columns of settings and tests. */
const defences = [
  ...(/## Defences\n([\s\S]*?)\n## /.exec(text)?.[1] ?? "").matchAll(/^\| ([^|]+) \| ([^|]*)\| ([^|]+) \|$/gm),
]
  .map(([, defence = "", settings = "", tests = ""]) => ({ defence, settings: quoted(settings), tests: quoted(tests) }))
  .filter(({ defence }) => defence !== "defence");

function quoted(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}

describe("docs/explanation/security.md", () => {
  it("refers to existing files and folders", () => {
    const paths = quoted(text).filter((word) => /^(apps|packages|scripts)\/\S+$/.test(word));
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((name) => !fs.existsSync(path.join(root, name)))).toEqual([]);
  });

  it("lists every file of the attack suite, except those that only search for longer", () => {
    const folder = "apps/example/test/hardening";
    const files = fs.readdirSync(path.join(root, folder)).filter((name) => /\.(e2e|slow)\.test\.ts$/.test(name));
    expect(files.filter((name) => !text.includes(`${folder}/${name}`))).toEqual([]);
  });

  it.each(defences)("$defence: has a test, and settings that docs/reference documents", ({ settings, tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((name) => !/\.test\.ts$/.test(name))).toEqual([]);
    const isDocumented = (setting: string): boolean => {
      const last = setting.slice(setting.lastIndexOf("."));
      return (
        configuration.includes(`\`${setting}\``) ||
        (configuration.includes(`\`${setting.slice(0, -last.length)}.`) && configuration.includes(`\`${last}\``))
      );
    };
    expect(settings.filter((setting) => !isDocumented(setting))).toEqual([]);
  });

  it("has defences", () => {
    expect(defences.length).toBeGreaterThan(15);
  });
});

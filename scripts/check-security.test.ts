import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..");
const read = (name: string): string => fs.readFileSync(path.join(root, name), "utf8");
const text = read("docs/explanation/security.md");
const known = read("docs/reference/configuration.md");

/** The rows below `## Defences`: what is in backticks in the columns of settings and of tests. */
const defences = [
  ...(/## Defences\n([\s\S]*?)\n## /.exec(text)?.[1] ?? "").matchAll(/^\| ([^|]+) \| ([^|]*)\| ([^|]+) \|$/gm),
]
  .map(([, defence = "", settings = "", tests = ""]) => ({ defence, settings: quoted(settings), tests: quoted(tests) }))
  .filter(({ defence }) => defence !== "defence");

function quoted(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}

describe("docs/explanation/security.md", () => {
  it("names files and folders that are there", () => {
    const paths = quoted(text).filter((word) => /^(apps|packages|scripts)\/\S+$/.test(word));
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((name) => !fs.existsSync(path.join(root, name)))).toEqual([]);
  });

  it("names every file of the suite of attacks, but what only searches for longer", () => {
    const folder = "apps/example/test/hardening";
    const files = fs.readdirSync(path.join(root, folder)).filter((name) => /\.(e2e|proof)\.test\.ts$/.test(name));
    expect(files.filter((name) => !text.includes(`${folder}/${name}`))).toEqual([]);
  });

  it.each(defences)(
    "$defence: has a test, and settings that docs/reference/configuration.md tells",
    ({ settings, tests }) => {
      expect(tests.length).toBeGreaterThan(0);
      expect(tests.filter((name) => !/\.test\.ts$/.test(name))).toEqual([]);
      const told = (setting: string): boolean => {
        const last = setting.slice(setting.lastIndexOf("."));
        return (
          known.includes(`\`${setting}\``) ||
          (known.includes(`\`${setting.slice(0, -last.length)}.`) && known.includes(`\`${last}\``))
        );
      };
      expect(settings.filter((setting) => !told(setting))).toEqual([]);
    },
  );

  it("has defences", () => {
    expect(defences.length).toBeGreaterThan(15);
  });
});

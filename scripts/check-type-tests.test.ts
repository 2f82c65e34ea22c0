import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const packages = path.join(import.meta.dirname, "..", "packages");
const declaration = /^export (?:async )?(?:function|const|interface|type|class) (\w+)(?:<| = (?:async )?<)/gm;

/** The hand-written TypeScript files below a folder. */
function filesBelow(folder: string): string[] {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return /^(node_modules|dist|generated)$/.test(entry.name) ? [] : filesBelow(file);
    return entry.name.endsWith(".ts") ? [file] : [];
  });
}

const read = (file: string): string => fs.readFileSync(file, "utf8");

it.each(fs.readdirSync(packages))("every public generic of %s has a type test", (name) => {
  const folder = path.join(packages, name);
  const { exports = {} } = JSON.parse(read(path.join(folder, "package.json"))) as { exports?: Record<string, unknown> };
  const entries = Object.values(exports).flatMap((entry) => {
    const { "servicekit-source": source } = Object(entry) as { "servicekit-source"?: string };
    return source === undefined ? [] : [read(path.join(folder, source))];
  });
  const files = filesBelow(folder);
  const sources = files.filter((file) => file.startsWith(path.join(folder, "src")) && !/\.test(-d)?\.ts$/.test(file));
  const isIn = (word: string, texts: readonly string[]) => texts.some((text) => new RegExp(`\\b${word}\\b`).test(text));
  const generics = sources
    .flatMap((file) => [...read(file).matchAll(declaration)].map(([, word = ""]) => word))
    .filter((word) => isIn(word, entries));
  const tests = files.filter((file) => file.endsWith(".test-d.ts")).map(read);
  expect(generics.filter((word) => !isIn(word, tests))).toEqual([]);
});

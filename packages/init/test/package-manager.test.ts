import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { addArguments, projectManager } from "../src/package-manager.js";

it.each([
  ["package-lock.json", "npm"],
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
])("C73 a project with %s uses %s, also below the folder of the file", (file, expected) => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-manager-"));
  onTestFinished(() => fs.rmSync(root, { recursive: true }));
  fs.mkdirSync(path.join(root, "packages/api"), { recursive: true });
  fs.writeFileSync(path.join(root, file), "");
  expect([projectManager(root), projectManager(path.join(root, "packages/api"))]).toEqual([expected, expected]);
});

it.each([
  ["npm", ["install", "zod"], ["install", "--save-dev", "zod"]],
  ["pnpm", ["add", "zod"], ["add", "-D", "zod"]],
  ["yarn", ["add", "zod"], ["add", "-D", "zod"]],
])("C73 %s adds packages", (manager, usual, forDevelopment) => {
  expect(addArguments(manager, ["zod"], false)).toEqual(usual);
  expect(addArguments(manager, ["zod"], true)).toEqual(forDevelopment);
});

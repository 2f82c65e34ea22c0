import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const folder = mkdtempSync(new URL("./.readme-", import.meta.url).pathname);
afterAll(() => rmSync(folder, { recursive: true }));

const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(readme)?.[1] ?? "";

it("the first block of the README prints what it says", async () => {
  const file = join(folder, "block.ts");
  writeFileSync(file, block("ts").replace('"@servicekit/load-shedding"', '"../../src/index.js"'));
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...words: unknown[]) => void printed.push(words.join(" ")));
  await import(/* @vite-ignore */ file);
  log.mockRestore();
  expect(printed.join("\n")).toBe(block("text").trim());
});

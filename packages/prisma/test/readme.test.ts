import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it, vi } from "vitest";

it("the first snippet of the README prints the documented output", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, snippet = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const [, output = ""] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
  const file = new URL("generated/readme.js", import.meta.url);
  mkdirSync(new URL(".", file), { recursive: true });
  writeFileSync(file, snippet.replace('"@servicekit/prisma"', '"../../src/index.js"'));
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...words: unknown[]) => void lines.push(words.join(" ")));
  await import(/* @vite-ignore */ file.pathname);
  log.mockRestore();
  expect(`${lines.join("\n")}\n`).toBe(output);
});

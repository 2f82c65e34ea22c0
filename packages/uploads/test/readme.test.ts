import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { freePort } from "../../../scripts/test/free-port.js";

const folder = mkdtempSync(new URL("./.readme-", import.meta.url).pathname);
afterAll(() => rmSync(folder, { recursive: true }));

it("the first snippet of the README prints the documented output", { timeout: 300_000 }, async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, snippet = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const [, output = ""] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
  const code = snippet
    .replace('"@servicekit/uploads"', '"../../src/index.js"')
    .replace("process.cwd()", JSON.stringify(folder))
    .replace(/\b3000\b/g, String(await freePort()));
  const file = join(folder, "snippet.ts");
  writeFileSync(file, code);
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...words: unknown[]) => void printed.push(words.join(" ")));
  await import(/* @vite-ignore */ file);
  log.mockRestore();
  expect(printed.join("\n")).toBe(output.trim());
});

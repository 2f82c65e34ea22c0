import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, vi } from "vitest";

it("the first snippet of the README prints what it says", async () => {
  const readme = readFileSync(path.join(import.meta.dirname, "../README.md"), "utf8");
  const [, snippet = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const [, output = ""] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = mkdtempSync(path.join(import.meta.dirname, ".readme-"));
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...parts) => void lines.push(parts.join(" ")));
  try {
    const file = path.join(folder, "snippet.ts");
    const code = snippet.replace('"@servicekit/resource-documentation"', '"../../src/index.js"');
    writeFileSync(file, code);
    await import(/* @vite-ignore */ file);
    expect(`${lines.join("\n")}\n`).toBe(output);
  } finally {
    log.mockRestore();
    rmSync(folder, { recursive: true });
  }
});

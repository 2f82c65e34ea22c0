import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { vi } from "vitest";

/** The output of the first `ts` block of a README, and the documented output in its first `text` block. */
export interface RunReadme {
  readonly printed: string;
  readonly documented: string;
}

/**
 * Runs the first `ts` block of the README of a package.
 *
 * @param test the folder of the package's tests; the block runs in a folder inside it
 * @param replaced texts of the block to replace, such as the package's own name
 */
export async function runReadme(
  test: string,
  replaced: (folder: string) => Readonly<Record<string, string>>,
): Promise<RunReadme> {
  const readme = readFileSync(path.join(test, "../README.md"), "utf8");
  const [, snippet = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const [, documented = ""] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = mkdtempSync(path.join(test, ".readme-"));
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...parts) => void lines.push(parts.join(" ")));
  try {
    const file = path.join(folder, "snippet.ts");
    const code = Object.entries(replaced(folder)).reduce((text, [from, to]) => text.replaceAll(from, to), snippet);
    writeFileSync(file, code);
    await import(/* @vite-ignore */ file);
  } finally {
    log.mockRestore();
    rmSync(folder, { recursive: true });
  }
  return { printed: `${lines.join("\n")}\n`, documented };
}

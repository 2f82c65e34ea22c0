import { execFile } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..", "..");
const cspell = fileURLToPath(import.meta.resolve("cspell/bin"));

it("finds no unknown word in sources and pages; words of the project are in scripts/words/dictionary.txt", async () => {
  const lint = promisify(execFile)(process.execPath, [cspell, "lint", "--no-progress", "--no-summary", "--no-color"], {
    cwd: root,
    maxBuffer: 10_000_000,
  });
  const { stdout } = await lint.catch((error: { stdout: string }) => error);
  expect(stdout.split("\n").filter(Boolean)).toEqual([]);
}, 240_000);

it("reports a misspelled word", async () => {
  const child = promisify(execFile)(process.execPath, [cspell, "lint", "--no-summary", "--no-color", "stdin"], {
    cwd: root,
  });
  child.child.stdin?.end("The databse is missing.\n");
  await expect(child).rejects.toMatchObject({ stdout: expect.stringContaining("databse") });
}, 60_000);

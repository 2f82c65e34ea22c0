import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";

// From the built files, in plain Node, as npm runs it.
const bin = path.join(import.meta.dirname, "..", "bin", "create-servicekit.js");
const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-create-command-"));
afterAll(() => fs.rmSync(place, { recursive: true, force: true }));

async function run(args: readonly string[]) {
  const child = spawn(process.execPath, [bin, ...args], { cwd: place, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, stdout, stderr };
}

describe("C73 the command create-servicekit", () => {
  it("does not prompt without a terminal, and accepts every option as a flag", async () => {
    const { code, stdout } = await run(["my-shop", "--schema", "shop", "--authentication=none", "--no-install"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/my-shop: 22 files in .*\n\nNow:\n\n {2}cd my-shop\n {2}npm install\n {2}npm run dev\n/);
    expect(fs.readFileSync(path.join(place, "my-shop/prisma/schema.prisma"), "utf8")).toContain("model Order");
    expect(stdout).not.toContain("\u001b");
  });

  it("prints its usage", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    for (const word of ["--schema", "--validation", "--authentication", "--yes", "--no-install", "Examples:"]) {
      expect(stdout).toContain(word);
    }
  });

  it.each([
    [["my-shop", "--no-install"], /The folder my-shop is not empty \(/],
    [["My Shop", "--no-install"], /cannot be the name of an npm package/],
    [["other", "--schema", "forum"], /Allowed choices are blog, shop, empty/],
    [["other", "--shcema", "shop"], /Did you mean --schema\?/],
  ])("exits with 1 and writes nothing for %j", async (args, reported) => {
    const { code, stderr } = await run(args);
    expect([code, fs.existsSync(path.join(place, "other"))]).toEqual([1, false]);
    expect(stderr).toMatch(reported);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

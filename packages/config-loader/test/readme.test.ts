import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const packageRoot = path.join(import.meta.dirname, "..");

it("the first block of the README runs as written and prints the documented output", async () => {
  const readme = await readFile(path.join(packageRoot, "README.md"), "utf8");
  const block = (language: string) =>
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(readme)?.[1] ?? "";
  // The package resolves itself by its name, and its own hooks load its sources.
  const register = path.join(packageRoot, "hooks", "register.mjs");
  const snippet = block("ts").replace("import.meta.dirname", JSON.stringify(import.meta.dirname));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=servicekit-source", `--import=${register}`, "--input-type=module", "--eval", snippet],
    { cwd: packageRoot },
  );
  expect(stdout.trim()).toBe(block("text").trim());
});

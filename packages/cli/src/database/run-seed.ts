import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { commandError } from "../command-error.js";
import { packageFolder } from "../package-folder.js";
import type { ProjectFolder, Variables } from "../project/project.js";

const runner = path.join(packageFolder, "dist", "dev", "run-program.js");

/** The seed program: that of the sources, or the built one. */
export function seedProgram({ root }: ProjectFolder): string | undefined {
  const places = ["src/seed.ts", "prisma/seed.ts", "src/seed.js", "prisma/seed.js", "dist/seed.js"];
  return places.map((place) => path.join(root, place)).find((file) => fs.existsSync(file));
}

/**
 * Runs the seed program.
 *
 * @returns its output
 * @throws {CommandError} with its output if it fails or does not exist
 */
export async function runSeed(project: ProjectFolder, environment: Variables): Promise<string> {
  const program = seedProgram(project);
  if (program === undefined) throw commandError("service seed", "src/seed.ts does not exist.");
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const child = spawn(process.execPath, [runner, program], { cwd: project.root, env: environment, stdio: [...stdio] });
  let text = "";
  let failed = "";
  child.stdout?.on("data", (chunk) => (text += chunk));
  child.stderr?.on("data", (chunk) => (failed += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code !== 0) throw commandError(path.relative(project.root, program), `failed:\n${(text + failed).trim()}`);
  return text;
}

import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fault } from "../command-error.js";
import { packageFolder } from "../package-folder.js";
import type { ProjectFolder, Variables } from "../project/project.js";

const runner = path.join(packageFolder, "dist", "dev", "run-program.js");

/** The program that writes the first rows: that of the sources, or where there are none the one that was built. */
export function seedProgram({ root }: ProjectFolder): string | undefined {
  const places = ["src/seed.ts", "prisma/seed.ts", "src/seed.js", "prisma/seed.js", "dist/seed.js"];
  return places.map((place) => path.join(root, place)).find((file) => fs.existsSync(file));
}

/**
 * Runs the program that writes the first rows.
 *
 * @returns what it said
 * @throws {CommandError} with what it said, when it fails or is not there
 */
export async function runSeed(project: ProjectFolder, environment: Variables): Promise<string> {
  const program = seedProgram(project);
  if (program === undefined) throw fault("service seed", "There is no src/seed.ts.");
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const child = spawn(process.execPath, [runner, program], { cwd: project.root, env: environment, stdio: [...stdio] });
  let said = "";
  let failed = "";
  child.stdout?.on("data", (chunk) => (said += chunk));
  child.stderr?.on("data", (chunk) => (failed += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code !== 0) throw fault(path.relative(project.root, program), `failed:\n${(said + failed).trim()}`);
  return said;
}

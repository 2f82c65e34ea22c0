import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { CommandError, commandError } from "../command-error.js";
import { generateClient } from "../generate/generate-client.js";
import type { Project } from "../project/project.js";

/**
 * Generates the client, and compiles `src` to `dist` with the project's own TypeScript and settings.
 *
 * @throws {CommandError} with the compiler's output
 */
export async function buildProject(project: Project): Promise<void> {
  const { root } = project;
  if (project.schema !== undefined) await generateClient(project);
  const base = path.join(root, "tsconfig.json");
  if (!fs.existsSync(base))
    throw commandError("tsconfig.json", `does not exist. It selects the files that service build compiles in ${root}.`);
  // Modules are found by their files, so output without a source must be deleted.
  fs.rmSync(path.join(root, "dist"), { recursive: true, force: true });
  const config = path.join(root, "node_modules", ".cache", "servicekit", "tsconfig.build.json");
  const compilerOptions = {
    ...{ rootDir: path.join(root, "src"), outDir: path.join(root, "dist") },
    ...{ noEmit: false, sourceMap: true, incremental: false, composite: false },
  };
  fs.mkdirSync(path.dirname(config), { recursive: true });
  fs.writeFileSync(config, JSON.stringify({ extends: base, compilerOptions, include: [path.join(root, "src")] }));
  await compile(root, config);
}

async function compile(root: string, config: string): Promise<void> {
  const pretty = process.stdout.isTTY === true ? "true" : "false";
  const args = [findCompiler(root), "-p", config, "--pretty", pretty];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code !== 0) throw new CommandError(text.trim());
}

/** @throws {CommandError} with the install command */
export function findCompiler(root: string): string {
  try {
    const manifest = createRequire(path.join(root, "package.json")).resolve("typescript/package.json");
    const { bin } = JSON.parse(fs.readFileSync(manifest, "utf8")) as { bin: { tsc: string } };
    return path.join(path.dirname(manifest), bin.tsc);
  } catch {
    throw commandError("typescript", "is not installed. It compiles the program: npm install --save-dev typescript");
  }
}

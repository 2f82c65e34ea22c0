import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/** The package manager that runs this program: npm, pnpm, yarn or bun. */
export function packageManager(agent = process.env.npm_config_user_agent): string {
  const [, name = "npm"] = /^(npm|pnpm|yarn|bun)\//.exec(agent ?? "") ?? [];
  return name;
}

const lockFiles = [
  ["package-lock.json", "npm"],
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
] as const;

/** The package manager of a project, by the lock file in its folder or one above it. */
export function projectManager(root: string): string {
  const found = lockFiles.find(([file]) => fs.existsSync(path.join(root, file)));
  if (found !== undefined) return found[1];
  const parent = path.dirname(root);
  return parent === root ? packageManager() : projectManager(parent);
}

/** The arguments that add packages to a project. */
export function addArguments(manager: string, names: readonly string[], isForDevelopment: boolean): string[] {
  const word = manager === "npm" ? "install" : "add";
  return [word, ...(isForDevelopment ? [manager === "npm" ? "--save-dev" : "-D"] : []), ...names];
}

/** Runs a package manager and returns whether it succeeded. Its output goes to the terminal. */
export function runManager(manager: string, args: readonly string[], directory: string): Promise<boolean> {
  const quiet = manager === "npm" ? ["--no-audit", "--no-fund", "--loglevel=error"] : [];
  return new Promise((resolve) => {
    const options = { cwd: directory, stdio: "inherit", shell: process.platform === "win32" } as const;
    const child = spawn(manager, [...args, ...quiet], options);
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
}

import { spawn } from "node:child_process";
import { type PackageManager, packageManagers } from "./answers.js";

/** The package manager that runs this program: npm, pnpm, yarn or bun. */
export function packageManager(agent = process.env.npm_config_user_agent): string {
  const [, name = "npm"] = /^(npm|pnpm|yarn|bun)\//.exec(agent ?? "") ?? [];
  return name;
}

/** The package manager that the files of a project use, if the given one installs it; npm for the unknown ones. */
export const managerOfFiles = (manager: string): PackageManager =>
  packageManagers.find((known) => known === manager) ?? "npm";

/** Installs the packages of a project and returns whether that succeeded. The output goes to the terminal. */
export function install(manager: string, directory: string): Promise<boolean> {
  const quiet = manager === "npm" ? ["--no-audit", "--no-fund", "--loglevel=error"] : [];
  return new Promise((resolve) => {
    const options = { cwd: directory, stdio: "inherit", shell: process.platform === "win32" } as const;
    const child = spawn(manager, ["install", ...quiet], options);
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
}

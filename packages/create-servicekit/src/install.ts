import { spawn } from "node:child_process";

/** The package manager that runs this program: npm, pnpm, yarn or bun. */
export function packageManager(agent = process.env.npm_config_user_agent): string {
  const [, name = "npm"] = /^(npm|pnpm|yarn|bun)\//.exec(agent ?? "") ?? [];
  return name;
}

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

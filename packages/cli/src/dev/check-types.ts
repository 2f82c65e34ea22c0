import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { findCompiler } from "../build/build-project.js";
import { CommandError } from "../command-error.js";

/** Checks the types of a project after each change. */
export interface TypeChecker {
  /** Starts a check; a running one is stopped, because its result is outdated. */
  check(): void;
  /** Stops a running check. */
  close(): void;
}

/**
 * Runs `tsc --noEmit` of the project. A run per change instead of `tsc --watch`: it ends by itself, so it cannot outlive
 * the command.
 *
 * @param report called with the errors of each check; with an empty text after a check without errors
 * @returns `undefined` without a `tsconfig.json` or without TypeScript
 */
export function makeTypeChecker(root: string, report: (errors: string) => void): TypeChecker | undefined {
  const compiler = fs.existsSync(path.join(root, "tsconfig.json")) ? compilerOf(root) : undefined;
  if (compiler === undefined) return undefined;
  const info = path.join(root, "node_modules", ".cache", "servicekit", "types.tsbuildinfo");
  const args = [compiler, "--noEmit", "--incremental", "--tsBuildInfoFile", info, "--pretty", "false"];
  let running: ChildProcess | undefined;
  const stop = (): void => {
    if (running?.pid === undefined) return;
    // The compiler may be a child of its launcher, so the whole group is stopped.
    try {
      process.kill(-running.pid, "SIGTERM");
    } catch {
      running.kill();
    }
    running = undefined;
  };
  return {
    check() {
      stop();
      const child = spawn(process.execPath, args, { cwd: root, detached: true, stdio: ["ignore", "pipe", "pipe"] });
      running = child;
      let text = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
      child.once("error", () => {});
      child.once("close", (code) => {
        if (running !== child) return;
        running = undefined;
        report(code === 0 ? "" : text.trim() || `tsc exited with ${code}.`);
      });
    },
    close: stop,
  };
}

function compilerOf(root: string): string | undefined {
  try {
    return findCompiler(root);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

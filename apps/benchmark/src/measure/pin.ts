import { execFileSync } from "node:child_process";
import os from "node:os";

/** Names the processor that a process of `processes/serve.ts` keeps to. */
const variable = "PINNED_TO";

/**
 * Keeps the clients, which are this process, to one processor while something is measured, and what serves to another: so that
 * neither takes time from the other (`taskset`: Linux, two processors at the least).
 *
 * @param work gets what the environment of what serves needs
 */
export async function withProcessors<T>(
  work: (environment: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  pinTo("0");
  try {
    return await work({ [variable]: "1" });
  } finally {
    pinTo(`0-${os.cpus().length - 1}`);
  }
}

/** Keeps this process, with whatever it starts, to the processor that its environment names, where it names one. */
export function pinProcess(): void {
  const asked = process.env[variable];
  if (asked) pinTo(asked);
}

const pinTo = (processors: string): void =>
  void execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", processors, String(process.pid)], {
    stdio: "ignore",
  });

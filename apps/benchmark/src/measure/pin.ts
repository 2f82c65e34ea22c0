import { execFileSync } from "node:child_process";
import os from "node:os";

/** The variable with the processor of a process of `processes/serve.ts`. */
const variable = "PINNED_TO";

/**
 * Pins the clients, which are this process, to one processor during a measurement, and the servers to another, so that
 * neither takes time from the other (`taskset`: Linux, at least two processors).
 *
 * @param work receives the environment of the servers
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

/** Pins this process and its children to the processor in its environment, if one is set. */
export function pinProcess(): void {
  const requested = process.env[variable];
  if (requested) pinTo(requested);
}

const pinTo = (processors: string): void =>
  void execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", processors, String(process.pid)], {
    stdio: "ignore",
  });

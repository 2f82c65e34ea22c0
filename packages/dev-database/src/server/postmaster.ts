import fs from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandOf } from "./process-record.js";

/** The main process of a server. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** True when it accepts connections. */
  readonly ready: boolean;
}

/** Where the main process of the cluster records that it runs. */
export function postmasterFile(cluster: string): string {
  return path.join(cluster, "postmaster.pid");
}

/**
 * The main process of the cluster, or `undefined`. It ignores the stale file of a killed server, even if another
 * process has its pid now.
 */
export function findPostmaster(cluster: string): Postmaster | undefined {
  let lines: string[];
  try {
    lines = fs.readFileSync(postmasterFile(cluster), "utf8").split("\n");
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  // The fourth line is the port, the eighth the state (PostgreSQL's miscinit.h).
  return pid > 0 && serves(pid, cluster)
    ? { pid, port: Number(lines[3]), ready: lines[7]?.trim() === "ready" }
    : undefined;
}

/**
 * Stops a server and waits for the exit of its process: first in fast mode, which closes every session properly, then,
 * if that hangs, in immediate mode, from which the next start recovers.
 */
export async function stopPostmaster(pid: number, cluster: string): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    if (!serves(pid, cluster)) return;
    process.kill(pid, signal);
    const deadline = Date.now() + 20_000;
    while (serves(pid, cluster) && Date.now() < deadline) await delay(5);
  }
}

/** The same while this process exits and cannot wait asynchronously: blocks for at most five seconds. */
export function stopPostmasterNow(pid: number, cluster: string): void {
  if (!serves(pid, cluster)) return;
  process.kill(pid, "SIGINT");
  const sleep = new Int32Array(new SharedArrayBuffer(4));
  const deadline = Date.now() + 5_000;
  while (serves(pid, cluster) && Date.now() < deadline) Atomics.wait(sleep, 0, 0, 5);
}

function serves(pid: number, cluster: string): boolean {
  return commandOf(pid).includes(` -D ${cluster} `);
}

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import os from "node:os";
import { freePort } from "./free-port.js";

/** Whether the program is installed; otherwise the log lists the skipped tests. */
export function hasRedisServer(): boolean {
  const isThere = spawnSync("redis-server", ["--version"]).status === 0;
  if (!isThere) console.warn("Skipped: these tests need the program redis-server (apt-get install redis-server).");
  return isThere;
}

/** A Redis for the caller. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  readonly process: ChildProcess;
  /** Kills it, also if it was paused. */
  kill(): void;
}

/** Starts a Redis without persistence unless `options` enable it, and waits until it responds. */
export async function startRedisServer(port?: number, ...options: string[]): Promise<RedisServer> {
  const at = port ?? (await freePort());
  const given = ["--port", String(at), "--bind", "127.0.0.1", "--dir", os.tmpdir(), "--save", "", ...options];
  const child = spawn("redis-server", given, { stdio: ["ignore", "pipe", "ignore"] });
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`redis-server did not start on port ${at}.`)));
    child.stdout.on("data", (chunk) => String(chunk).includes("Ready to accept") && resolve());
  });
  const kill = (): void => {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
  };
  return { port: at, url: `redis://127.0.0.1:${at}`, process: child, kill };
}

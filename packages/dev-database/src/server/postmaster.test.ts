import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findPostmaster, postmasterFile, stopPostmaster, stopPostmasterNow } from "./postmaster.js";

let cluster: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  cluster = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-cluster-"));
});
afterEach(() => {
  child?.kill("SIGKILL");
  fs.rmSync(cluster, { recursive: true, force: true });
});

/** A process that has the arguments of a server, and ends on the signal. */
async function start(signal = "SIGINT"): Promise<number> {
  const program = `process.on("SIGINT", () => ${signal === "SIGINT"} && process.exit(0));
process.on("SIGQUIT", () => process.exit(0)); setInterval(() => {}, 1000); console.log("ready");`;
  child = spawn(process.execPath, ["-e", program, "--", "-D", cluster, "-p", "1"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child.stdout as NodeJS.EventEmitter, "data");
  return child.pid as number;
}
const write = (pid: unknown, state: string): void =>
  fs.writeFileSync(postmasterFile(cluster), [pid, cluster, "time", 5433, "", "", "", state].join("\n"));

describe("the main process of a server", () => {
  it("is found with its port and its state", async () => {
    const pid = await start();
    write(pid, "ready   ");
    expect(findPostmaster(cluster)).toEqual({ pid, port: 5433, ready: true });
    write(pid, "starting");
    expect(findPostmaster(cluster)?.ready).toBe(false);
  });

  it("is not found without its file, nor when the process is another one or none", () => {
    expect(findPostmaster(cluster)).toBeUndefined();
    for (const pid of [process.pid, 2 ** 22 + 1, 0, -1, "none"]) {
      write(pid, "ready");
      expect(findPostmaster(cluster), String(pid)).toBeUndefined();
    }
  });

  it("is stopped, and waited for", async () => {
    const pid = await start();
    const exited = once(child as ChildProcess, "exit");
    await stopPostmaster(pid, cluster);
    expect(await exited).toEqual([0, null]);
    write(pid, "ready");
    expect(findPostmaster(cluster)).toBeUndefined();
  });

  it("is stopped without a wait for the event loop", async () => {
    const pid = await start();
    const exited = once(child as ChildProcess, "exit");
    stopPostmasterNow(pid, cluster);
    expect(await exited).toEqual([0, null]);
  });

  it("is left alone when it serves another folder", async () => {
    const pid = await start();
    stopPostmasterNow(pid, `${cluster}-other`);
    await stopPostmaster(pid, `${cluster}-other`);
    expect(child?.exitCode).toBeNull();
  });
});

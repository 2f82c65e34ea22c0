import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";

let running: ChildProcess | undefined;
afterEach(() => {
  running?.kill("SIGKILL");
});

/** Starts a service in a process of its own, from what was built. */
async function start(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "processes/service.mjs")], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running = child;
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      printed += chunk;
    });
  }
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`exit ${code}: ${printed}`)));
    child.stdout.on("data", (chunk: Buffer) => {
      const [, address] = /listening (\S+)/.exec(String(chunk)) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
  return { child, url, printed: () => printed };
}

describe("a process", () => {
  it("outlives a promise that is rejected after the answer, and logs it", async () => {
    const { child, url, printed } = await start();
    expect(await (await fetch(`${url}/detached`)).json()).toEqual({ data: "answered" });
    await wait(200);
    expect((await fetch(`${url}/api`)).status).toBe(200);
    expect(child.exitCode).toBeNull();
    expect(printed()).toContain("rejected after the answer");
  });

  it("C41 answers what it has accepted when SIGTERM comes, and exits with 0", async () => {
    const { child, url } = await start();
    const slow = Array.from({ length: 5 }, () => fetch(`${url}/slow`).then((response) => response.json()));
    await wait(100);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await Promise.all(slow)).toEqual(Array(5).fill({ data: "slow" }));
    expect(await exited).toEqual([0, null]);
    await expect(fetch(`${url}/api`)).rejects.toThrow();
  });

  it("C41 exits at once on a second signal", async () => {
    const { child, url } = await start();
    const slow = fetch(`${url}/slow`).catch(() => "cut");
    await wait(100);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await wait(50);
    child.kill("SIGTERM");
    expect(await exited).toEqual([1, null]);
    expect(await slow).toBe("cut");
  });
});

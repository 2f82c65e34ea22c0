import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { drawn } from "../../../scripts/test/proof-share.js";
import { Balancer } from "./cluster/balancer.js";
import { startInstance } from "./cluster/start-instance.js";
import { freePort } from "./run-built-shop.js";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

/** Starts one instance, and waits until it listens. */
async function start(port: number, delay: number): Promise<ChildProcess> {
  const environment = { NODE_ENV: "test", PORT: String(port), DELAY: String(delay) };
  const child = await startInstance("rolling.mjs", environment);
  cleanUp.push(() => child.kill("SIGKILL"));
  return child;
}

/** Clients that ask over and over, until told to stop; what did not go as it should is kept. */
function load(url: string, clients: number) {
  const failed: string[] = [];
  let answered = 0;
  let isOver = false;
  const ask = async (at: string, init?: RequestInit): Promise<void> => {
    try {
      const response = await fetch(`${url}${at}`, init);
      const text = await response.text();
      if (response.status === 200) answered++;
      else failed.push(`${at} ${response.status} ${text}`);
    } catch (error) {
      failed.push(`${at} ${error}`);
    }
  };
  const headers = { "content-type": "application/json" };
  const done = Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let turn = client; !isOver; turn++) {
        if (turn % 3 === 0) await ask("/slow");
        else if (turn % 3 === 1) await ask("/body", { method: "POST", headers, body: JSON.stringify({ turn }) });
        else await ask("/quick");
        await wait(5);
      }
    }),
  );
  return {
    end: async () => {
      isOver = true;
      await done;
      return { failed, answered };
    },
  };
}

/** Restarts each of three instances in turn, so many times, while requests come through a balancer. */
async function restartUnderLoad(rounds: number, delay: number) {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const instances = await Promise.all(ports.map((port) => start(port, delay)));
  const balancer = new Balancer(ports);
  const requests = load(await balancer.open(), 12);
  cleanUp.push(() => balancer.close());
  const exits: unknown[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [index, port] of ports.entries()) {
      const instance = instances[index] as ChildProcess;
      const exited = once(instance, "exit");
      instance.kill("SIGTERM");
      exits.push((await exited)[0]);
      instances[index] = await start(port, delay);
      await expect.poll(() => balancer.isReady(port)).toBe(true);
    }
  }
  return { ...(await requests.end()), exits };
}

const rounds = drawn(5);

describe("F16 C66 three instances behind a balancer", () => {
  it(`are restarted in turn, in ${rounds} rounds under load, and not one request fails`, async () => {
    const { failed, answered, exits } = await restartUnderLoad(rounds, 1_000);
    console.log(`${answered} requests answered, ${failed.length} failed, ${exits.length} restarts`);
    expect(failed).toEqual([]);
    expect(answered).toBeGreaterThan(200 * rounds);
    expect(exits).toEqual(Array(3 * rounds).fill(0));
  });

  it("lose requests without the delay: what the proof sees", async () => {
    // By chance: the balancer may look just in time.
    let lost = 0;
    for (let round = 0; round < 10 && lost === 0; round++) lost = (await restartUnderLoad(1, 0)).failed.length;
    expect(lost).toBeGreaterThan(0);
  });
});

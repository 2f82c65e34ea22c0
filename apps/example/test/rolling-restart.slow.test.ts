import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { drawn } from "../../../scripts/test/slow-share.js";
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

/** Clients that send requests until they are stopped; failures are collected. */
function load(url: string, clients: number) {
  const failed: string[] = [];
  let responded = 0;
  let isOver = false;
  const call = async (at: string, init?: RequestInit): Promise<void> => {
    try {
      const response = await fetch(`${url}${at}`, init);
      const text = await response.text();
      if (response.status === 200) responded++;
      else failed.push(`${at} ${response.status} ${text}`);
    } catch (error) {
      failed.push(`${at} ${error}`);
    }
  };
  const headers = { "content-type": "application/json" };
  const done = Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let turn = client; !isOver; turn++) {
        if (turn % 3 === 0) await call("/slow");
        else if (turn % 3 === 1) await call("/body", { method: "POST", headers, body: JSON.stringify({ turn }) });
        else await call("/quick");
        await wait(5);
      }
    }),
  );
  return {
    end: async () => {
      isOver = true;
      await done;
      return { failed, responded };
    },
  };
}

/** Restarts each of three instances in turn, in several rounds, while clients send requests through a load balancer. */
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

describe("C66 three instances behind a load balancer", () => {
  it(`are restarted in turn, in ${rounds} rounds under load, and no request fails`, async () => {
    const { failed, responded, exits } = await restartUnderLoad(rounds, 1_000);
    console.log(`${responded} responses, ${failed.length} failed, ${exits.length} restarts`);
    expect(failed).toEqual([]);
    expect(responded).toBeGreaterThan(200 * rounds);
    expect(exits).toEqual(Array(3 * rounds).fill(0));
  });

  it("lose requests without the delay", async () => {
    // Not always: the load balancer may probe just in time.
    let lost = 0;
    for (let round = 0; round < 10 && lost === 0; round++) lost = (await restartUnderLoad(1, 0)).failed.length;
    expect(lost).toBeGreaterThan(0);
  });
});

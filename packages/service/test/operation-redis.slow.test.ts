import { type ChildProcess } from "node:child_process";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../../scripts/test/free-port.js";
import { hasRedisServer, startRedisServer } from "../../../scripts/test/redis-server.js";
import { openRedis, type Redis } from "../src/redis/open-redis.js";
import { makeStarter } from "./start.js";

const hasRedis = hasRedisServer();

const { init, closeAll, logged } = makeStarter();
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  await closeAll();
  for (const act of cleanUp.splice(0).reverse()) await act();
});

async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function startRedis(port: number): Promise<ChildProcess> {
  const server = await startRedisServer(port);
  cleanUp.push(server.kill);
  return server.process;
}

/** Opens a client with a readable log. */
async function open(port: number, times = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = new PassThrough().on("data", (line) => lines.push(JSON.parse(String(line))));
  const redis: Redis = await openRedis(`redis://127.0.0.1:${port}`, pino(log), times);
  cleanUp.push(() => redis.close());
  const reported = (text: string) => lines.filter(({ msg }) => String(msg).includes(text)).length;
  return { redis, reported };
}

const until = async (check: () => unknown): Promise<void> => {
  for (let i = 0; i < 600; i++) {
    if (await check()) return;
    await wait(50);
  }
  throw new Error("It did not come.");
};
const responses = (redis: Redis) =>
  redis.send("PING").then(
    () => true,
    () => false,
  );

describe.skipIf(!hasRedis)("C67 a paused process", { timeout: 300_000 }, () => {
  it("does not log that Redis is unavailable", async () => {
    const port = await freePort();
    await startRedis(port);
    const { redis, reported } = await open(port);
    await until(() => responses(redis));
    for (let round = 0; round < 2; round++) {
      const requested = Promise.all(Array.from({ length: 200 }, () => redis.send("PING")));
      // The commands are sent before the process stops.
      await wait(1);
      const late = Promise.all(Array.from({ length: 200 }, () => redis.send("PING")));
      const end = performance.now() + 1_500;
      while (performance.now() < end);
      expect(new Set([...(await requested), ...(await late)])).toEqual(new Set(["PONG"]));
    }
    expect(reported("is unavailable:")).toBe(0);
  });
});

describe.skipIf(!hasRedis)("C43 a frozen Redis", { timeout: 300_000 }, () => {
  it("has a limited number of pending commands; the rest is rejected immediately, and it recovers by itself", async () => {
    const port = await freePort();
    const child = await startRedis(port);
    const { redis, reported } = await open(port);
    await until(() => responses(redis));
    child.kill("SIGSTOP");
    const reasons = new Map<string, number>();
    await Promise.all(
      Array.from({ length: 3_000 }, () =>
        redis.send("PING").catch((error: Error) => {
          reasons.set(error.message, (reasons.get(error.message) ?? 0) + 1);
        }),
      ),
    );
    expect(reasons.get("The queue is full")).toBe(2_000);
    expect(reasons.get("Redis did not respond within 500 ms.")).toBe(1_000);
    // While one is overdue no other waits.
    await expect(redis.send("PING")).rejects.toThrow("Redis is unavailable.");
    expect(reported("is unavailable:")).toBe(1);
    child.kill("SIGCONT");
    await until(() => responses(redis));
    expect(reported("is available again")).toBe(1);
  });

  it("costs the requests of a service at most one time limit, and shows in ready", async () => {
    const port = await freePort();
    const child = await startRedis(port);
    const { url } = await init({ redis: { url: `redis://127.0.0.1:${port}` } });
    const ready = async () => {
      const response = await fetch(`${url}/api/health/ready`);
      return [response.status, ((await response.json()) as { checks: { redis: string } }).checks.redis];
    };
    await until(async () => (await ready())[1] === "up");
    child.kill("SIGSTOP");
    expect((await fetch(`${url}/api`)).status).toBe(200);
    const statuses = await Promise.all(Array.from({ length: 200 }, async () => (await fetch(`${url}/api`)).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
    // Readiness is cached for a second.
    await until(async () => (await ready())[1] === "down");
    expect((await ready())[0]).toBe(200);
    expect(
      logged().filter(({ msg }) => String(msg).includes("Redis is unavailable: the service continues")),
    ).toHaveLength(1);
    child.kill("SIGCONT");
    await until(async () => (await ready())[1] === "up");
    await until(async () => (await fetch(`${url}/api`)).headers.get("ratelimit-remaining") !== null);
  });

  it("at the end of a link that swallows everything gets a new link", async () => {
    const port = await freePort();
    await startRedis(port);
    const swallowed = new Set<Socket>();
    let links = 0;
    let swallows = false;
    const proxy = createServer((client) => {
      links++;
      const upstream = connect(port, "127.0.0.1");
      swallowed.add(client).add(upstream);
      for (const socket of [client, upstream]) socket.on("error", () => undefined);
      const isFirst = links === 1;
      client.on("data", (chunk) => (isFirst && swallows) || upstream.write(chunk));
      upstream.on("data", (chunk) => (isFirst && swallows) || client.write(chunk));
    });
    const proxyPort = await listen(proxy);
    cleanUp.push(() => {
      for (const socket of swallowed) socket.destroy();
      proxy.close();
    });
    const { redis, reported } = await open(proxyPort, { command: 100, ping: 200, silence: 600 });
    await until(() => responses(redis));
    await wait(1_500);
    expect(links).toBe(1);
    swallows = true;
    expect(await responses(redis)).toBe(false);
    await until(() => responses(redis));
    expect(links).toBe(2);
    expect([reported("is unavailable:"), reported("is available again")]).toEqual([1, 1]);
  });
});

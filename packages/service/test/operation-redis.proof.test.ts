import { type ChildProcess } from "node:child_process";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import { freePort } from "../../../scripts/test/free-port.js";
import { hasRedisServer, startRedisServer } from "../../../scripts/test/redis-server.js";
import { openRedis, type Redis } from "../src/redis/open-redis.js";
import { makeStarter } from "./start.js";

const hasRedis = hasRedisServer();

const { init, closeAll, logged } = makeStarter();
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
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

/** Opens a client whose log can be read. */
async function open(port: number, times = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = new PassThrough().on("data", (line) => lines.push(JSON.parse(String(line))));
  const redis: Redis = await openRedis(`redis://127.0.0.1:${port}`, pino(log), times);
  cleanUp.push(() => redis.close());
  const told = (text: string) => lines.filter(({ msg }) => String(msg).includes(text)).length;
  return { redis, told };
}

const until = async (check: () => unknown): Promise<void> => {
  for (let i = 0; i < 600; i++) {
    if (await check()) return;
    await wait(50);
  }
  throw new Error("It did not come.");
};
const answers = (redis: Redis) =>
  redis.send("PING").then(
    () => true,
    () => false,
  );

describe("C43 a Redis that is away", { timeout: 300_000 }, () => {
  it("is told once a minute, and once that it is back", async () => {
    const port = await freePort();
    let now = 1_000_000;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const { redis, told } = await open(port);
    await until(() => told("away") === 1);
    await wait(400);
    expect(await answers(redis)).toBe(false);
    expect(told("away")).toBe(1);
    now += 60_001;
    await until(() => told("away") === 2);
    // What speaks as much of the protocol as a link needs.
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        for (const _ of String(chunk).match(/\*\d+\r\n/g) ?? []) socket.write("+OK\r\n");
      });
    });
    await listen(server, port);
    cleanUp.push(() => server.close());
    await until(() => answers(redis));
    expect([told("away"), told("is back")]).toEqual([2, 1]);
  });

  it("leaves no command waiting: they are refused at once", async () => {
    const { redis } = await open(await freePort());
    const results = await Promise.allSettled(Array.from({ length: 20_000 }, () => redis.send("PING")));
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
  });
});

describe.skipIf(!hasRedis)("F14 C67 a process that stands still", { timeout: 300_000 }, () => {
  it("does not say that Redis is away", async () => {
    const port = await freePort();
    await startRedis(port);
    const { redis, told } = await open(port);
    await until(() => answers(redis));
    for (let round = 0; round < 2; round++) {
      const asked = Promise.all(Array.from({ length: 200 }, () => redis.send("PING")));
      // The commands are on their way before the process stops.
      await wait(1);
      const late = Promise.all(Array.from({ length: 200 }, () => redis.send("PING")));
      const end = performance.now() + 1_500;
      while (performance.now() < end);
      expect(new Set([...(await asked), ...(await late)])).toEqual(new Set(["PONG"]));
    }
    expect(told("away")).toBe(0);
  });
});

describe.skipIf(!hasRedis)("C43 a Redis that stands still", { timeout: 300_000 }, () => {
  it("has only so many commands waiting for it; the rest is refused at once, and it recovers alone", async () => {
    const port = await freePort();
    const child = await startRedis(port);
    const { redis, told } = await open(port);
    await until(() => answers(redis));
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
    expect(reasons.get("Redis did not answer within 500 ms.")).toBe(1_000);
    // While one is overdue nobody waits for another.
    await expect(redis.send("PING")).rejects.toThrow("Redis does not answer at the moment.");
    expect(told("away")).toBe(1);
    child.kill("SIGCONT");
    await until(() => answers(redis));
    expect(told("is back")).toBe(1);
  });

  it("costs the requests of a service no more than one time limit, and shows in ready", async () => {
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
    // What readiness said before holds for a second.
    await until(async () => (await ready())[1] === "down");
    expect((await ready())[0]).toBe(200);
    expect(logged().filter(({ msg }) => String(msg).includes("Redis is away"))).toHaveLength(1);
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
    const { redis, told } = await open(proxyPort, { command: 100, ping: 200, silence: 600 });
    await until(() => answers(redis));
    await wait(1_500);
    expect(links).toBe(1);
    swallows = true;
    expect(await answers(redis)).toBe(false);
    await until(() => answers(redis));
    expect(links).toBe(2);
    expect([told("away"), told("is back")]).toEqual([1, 1]);
  });
});

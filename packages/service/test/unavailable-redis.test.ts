import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import { freePort } from "../../../scripts/test/free-port.js";
import { openRedis, type Redis } from "../src/redis/open-redis.js";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const act of cleanUp.splice(0).reverse()) await act();
});

/** Opens a client with a readable log. */
async function open(port: number, times = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = new PassThrough().on("data", (line) => lines.push(JSON.parse(String(line))));
  const redis: Redis = await openRedis(`redis://127.0.0.1:${port}`, pino(log), times);
  cleanUp.push(() => redis.close());
  const reported = (text: string) => lines.filter(({ msg }) => String(msg).includes(text)).length;
  return { redis, reported };
}

/** Starts a server with the necessary part of the protocol, which responds while it is open. */
async function startServer() {
  const sockets = new Set<Socket>();
  const state = { isOpen: true, isSilent: false, attempts: 0 };
  const server: Server = createServer((socket) => {
    state.attempts++;
    sockets.add(socket);
    socket.on("error", () => undefined);
    if (!state.isOpen) return void socket.destroy();
    socket.on("data", (chunk) => {
      if (state.isSilent) return;
      for (const _ of String(chunk).match(/\*\d+\r\n/g) ?? []) socket.write("+OK\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUp.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { state, port: (server.address() as AddressInfo).port };
}

const responds = (redis: Redis) =>
  redis.send("PING").then(
    () => true,
    () => false,
  );

describe("C43 an unavailable Redis", () => {
  it("is logged once a minute, and once that it is available again", async () => {
    const { state, port } = await startServer();
    state.isOpen = false;
    let now = 1_000_000;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const { redis, reported } = await open(port);
    await expect.poll(() => state.attempts).toBeGreaterThan(3);
    expect([await responds(redis), redis.isUp(), reported("is unavailable:")]).toEqual([false, false, 1]);
    now += 60_001;
    await expect.poll(() => reported("is unavailable:")).toBe(2);
    state.isOpen = true;
    await expect.poll(() => responds(redis)).toBe(true);
    expect([redis.isUp(), reported("is unavailable:"), reported("is available again")]).toEqual([true, 2, 1]);
  });

  it("that does not respond in time gets no further command until it does", async () => {
    const { state, port } = await startServer();
    const { redis, reported } = await open(port, { command: 20 });
    await expect.poll(() => redis.isUp()).toBe(true);
    state.isSilent = true;
    await expect(redis.send("PING")).rejects.toThrow("did not respond within 20 ms");
    await expect(redis.send("PING")).rejects.toThrow("Redis is unavailable.");
    expect([redis.isUp(), reported("is unavailable:")]).toEqual([false, 1]);
  });

  it("leaves no command pending: they are rejected immediately", async () => {
    const { redis } = await open(await freePort());
    const results = await Promise.allSettled(Array.from({ length: 2_000 }, () => redis.send("PING")));
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
  });
});

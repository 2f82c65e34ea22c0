import { PassThrough } from "node:stream";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../../scripts/test/free-port.js";
import { hasRedisServer, startRedisServer } from "../../../scripts/test/redis-server.js";
import { openRedis } from "../src/redis/open-redis.js";
import { warnOfLostRevocations } from "../src/redis/warn-of-lost-revocations.js";
import { makeHealthRouter, redisCheck } from "../src/routers/health-router.js";
import { makeStarter } from "./start.js";

const hasRedis = hasRedisServer();

const { init, closeAll } = makeStarter();
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  await closeAll();
  for (const act of cleanUp.splice(0).reverse()) await act();
});

async function startRedis(...options: string[]): Promise<number> {
  const server = await startRedisServer(undefined, ...options);
  cleanUp.push(server.kill);
  return server.port;
}

/** The warnings for a Redis, or without one. */
async function warnings(port?: number): Promise<string[]> {
  const lines: string[] = [];
  const log = pino(new PassThrough().on("data", (line) => lines.push(JSON.parse(String(line)).msg)));
  const redis = port === undefined ? undefined : await openRedis(`redis://127.0.0.1:${port}`, log);
  await warnOfLostRevocations(redis, log);
  await redis?.close();
  return lines;
}

describe.skipIf(!hasRedis)("C72 the store of revoked tokens", () => {
  it("is logged if it is memory, or a Redis that loses data", async () => {
    expect(await warnings()).toEqual([expect.stringContaining("stored in memory")]);
    expect(await warnings(await startRedis("--save", "", "--appendonly", "no"))).toEqual([
      expect.stringContaining("without persistence"),
    ]);
    const evicting = await startRedis("--save", "60 1", "--maxmemory-policy", "allkeys-lru");
    expect(await warnings(evicting)).toEqual([expect.stringContaining("noeviction")]);
  });

  it("is not logged if it is persistent, or if it hides its configuration", async () => {
    expect(await warnings(await startRedis("--save", "60 1"))).toEqual([]);
    expect(await warnings(await startRedis("--save", "", "--rename-command", "CONFIG", ""))).toEqual([]);
  });
});

it("C41 an unavailable Redis makes the service unready only if it stores revoked tokens", async () => {
  const { url: _, logger } = await init();
  const redis = await openRedis(`redis://127.0.0.1:${await freePort()}`, logger);
  cleanUp.push(() => redis.close());
  const statusWhen = async (isVital: boolean) => {
    const health = makeHealthRouter({ checks: [redisCheck(redis, isVital)], isDraining: () => false, logger });
    const { url } = await init({ routers: { replace: { health } } });
    const response = await fetch(`${url}/api/health/ready`);
    return [response.status, await response.json()];
  };
  expect(await statusWhen(false)).toEqual([200, { status: "ready", checks: { redis: "down" } }]);
  expect(await statusWhen(true)).toEqual([503, { status: "unavailable", checks: { redis: "down" } }]);
});

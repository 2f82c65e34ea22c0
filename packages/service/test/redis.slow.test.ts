import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../../scripts/test/free-port.js";
import { hasRedisServer, type RedisServer, startRedisServer } from "../../../scripts/test/redis-server.js";
import { ServiceRouter } from "../src/index.js";
import { makeStarter } from "./start.js";

const hasRedis = hasRedisServer();

const { init, closeAll, logged } = makeStarter();
let redis: RedisServer | undefined;
afterEach(async () => {
  await closeAll();
  redis?.kill();
});

async function startRedis(port: number): Promise<void> {
  redis = await startRedisServer(port);
}

const routes = () => {
  const router = ServiceRouter();
  router.get({ path: "/own", rateLimit: { windowMs: 60_000, max: 2 } }, (_req, res) => void res.json({}));
  return router;
};
const start = (port: number, limit = 3) =>
  init({ use: [routes()], redis: { url: `redis://127.0.0.1:${port}` }, middlewares: { rateLimit: { limit } } });
const status = async (url: string) => (await fetch(url)).status;
const ready = async (url: string) => {
  const response = await fetch(`${url}/api/health/ready`);
  return [response.status, ((await response.json()) as { checks: { redis: string } }).checks.redis];
};
const until = async (check: () => Promise<boolean>): Promise<void> => {
  for (let i = 0; i < 600; i++) {
    if (await check()) return;
    await wait(100);
  }
  throw new Error("It did not come.");
};

describe.skipIf(!hasRedis)("C43 rate limits shared through Redis", { timeout: 300_000 }, () => {
  it("are shared by two instances, the global one and a route's own", async () => {
    const port = await freePort();
    await startRedis(port);
    const [one, two] = [await start(port), await start(port)];
    await until(async () => (await ready(one.url))[1] === "up" && (await ready(two.url))[1] === "up");
    expect([await status(`${one.url}/api`), await status(`${two.url}/api`), await status(`${one.url}/api`)]).toEqual([
      200, 200, 200,
    ]);
    expect([await status(`${one.url}/api`), await status(`${two.url}/api`)]).toEqual([429, 429]);
    expect([await status(`${one.url}/own`), await status(`${two.url}/own`), await status(`${two.url}/own`)]).toEqual([
      200, 200, 429,
    ]);
  });

  it("count separately while Redis is unavailable at startup, and together when it is available", async () => {
    const port = await freePort();
    const { url } = await start(port, 5);
    for (let i = 0; i < 5; i++) expect(await status(`${url}/api`)).toBe(200);
    expect(await ready(url)).toEqual([200, "down"]);
    expect(
      logged().filter(({ msg }) => String(msg).includes("Redis is unavailable: the service continues")),
    ).toHaveLength(1);
    await startRedis(port);
    await until(async () => (await ready(url))[1] === "up");
    await until(async () => (await status(`${url}/api`)) === 429);
  });

  it("continue when Redis is killed or freezes, and recover by themselves", async () => {
    const port = await freePort();
    await startRedis(port);
    const { url } = await start(port, 1_000_000);
    await until(async () => (await ready(url))[1] === "up");
    redis?.process.kill("SIGSTOP");
    expect(await status(`${url}/api`)).toBe(200);
    await until(async () => (await ready(url))[1] === "down");
    expect(await ready(url)).toEqual([200, "down"]);
    redis?.process.kill("SIGCONT");
    await until(async () => (await ready(url))[1] === "up");
    redis?.kill();
    await wait(200);
    expect(await status(`${url}/api`)).toBe(200);
    await startRedis(port);
    await until(async () => (await ready(url))[1] === "up");
    const response = await fetch(`${url}/api`);
    expect(Number(response.headers.get("ratelimit-remaining"))).toBeLessThan(1_000_000);
  });
});

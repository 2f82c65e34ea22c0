import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { hasRedisServer, type RedisServer, startRedisServer } from "../../../scripts/test/redis-server.js";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { type RunningService, type ServiceInitConfig, ServiceRouter } from "../src/index.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, closeAll } = makeStarter();
let database: Awaited<ReturnType<typeof createPushedDatabase>>;
let redis: RedisServer | undefined;
let other: RunningService;
beforeAll(async () => {
  database = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/notes"));
  other = await init();
  if (hasRedisServer()) redis = await startRedisServer();
});
afterAll(async () => {
  await closeAll();
  await database?.drop();
  redis?.kill();
});

const fail = (): never => {
  throw new Error("It is broken.");
};
const wrong = ServiceRouter();
wrong.get({ path: "/a", rateLimt: {} } as never, () => undefined);

const phases: readonly (readonly [phase: string, message: string, config: ServiceInitConfig])[] = [
  ["a later resource", "Invalid pathname", { redis: { url: "redis://127.0.0.1:1/none" } }],
  ["configureApp", "It is broken.", { configureApp: fail }],
  ["the declared routes", "rateLimt", { use: [wrong] }],
  ["configureServer", "It is broken.", { configureServer: fail }],
  ["a port in use", "the port is in use", {}],
];

/** What keeps this process running: sockets, servers, timers. */
const running = (): string[] => process.getActiveResourcesInfo();

/** What runs beside the resources of an earlier time. */
function runningBeside(before: readonly string[]): readonly string[] {
  const left = [...before];
  return running().filter((name) => {
    const index = left.indexOf(name);
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  });
}

describe("C40 a startup that fails", () => {
  it.each(phases)("closes what it has opened: an error of %s", async (_phase, message, config) => {
    const before = running();
    let opened: readonly string[] = [];
    const failing: ServiceInitConfig = {
      database: {
        models,
        client: ({ adapter }) => {
          const client = new PrismaClient({ adapter });
          const $connect = async (): Promise<void> => {
            await client.note.count();
            opened = runningBeside(before);
          };
          return client.$extends({ client: { $connect } });
        },
      },
      ...(redis === undefined ? {} : { redis: { url: redis.url } }),
      metrics: { port: 0 },
      loadShedding: {},
      ...config,
    };
    const environment = { NODE_ENV: "test", DATABASE_URL: database.url };
    const start = init({ ...failing, port: Number(new URL(other.url).port) }, { environment });
    await expect(start).rejects.toThrow(message);
    expect(opened).toContain("TCPSocketWrap");
    // Redis would close a silent connection itself after 15 seconds.
    await expect.poll(() => runningBeside(before), { timeout: 10_000 }).toEqual([]);
  });
});

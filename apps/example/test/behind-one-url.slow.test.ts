import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createDatabase } from "@servicekit/service/dev-database";
import { afterAll, describe, expect, inject, it } from "vitest";
import { openS3 } from "../../../packages/uploads/test/storages.js";
import { hasPgBouncer, startPgBouncer } from "../../../scripts/test/pgbouncer.js";
import { hasRedisServer, startRedisServer } from "../../../scripts/test/redis-server.js";
import { drawn, slowShare, someOf } from "../../../scripts/test/slow-share.js";
import { createClient } from "../src/database.js";
import { seedAccounts } from "../src/seed/accounts.js";
import { seed } from "../src/seed.js";
import { Balancer } from "./cluster/balancer.js";
import { Shoppers } from "./cluster/shoppers.js";
import { startInstance } from "./cluster/start-instance.js";
import { freePort } from "./run-built-shop.js";

const example = path.join(import.meta.dirname, "..");
const bin = path.join(example, "../../packages/service/bin/service.js");
// ROUNDS=5 for measurements: a round takes about forty seconds of both processors.
const rounds = Number(process.env.ROUNDS ?? drawn(2));
// Without a pause the clients take the processors from the instances that start.
const pauseMs = slowShare < 1 ? 100 : 20;
const hasRedis = hasRedisServer();

const cleanUp: (() => unknown)[] = [];
afterAll(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

async function startRedis(): Promise<string> {
  const server = await startRedisServer();
  cleanUp.push(server.kill);
  return server.url;
}

/** A deployment step: three concurrent runs bring the new database to the last migration. */
async function migrate(databaseUrl: string): Promise<unknown[]> {
  const run = async (): Promise<unknown> => {
    const environment = { ...process.env, DATABASE_URL: databaseUrl };
    const child = spawn(process.execPath, [bin, "migrate", "deploy"], { cwd: example, env: environment });
    return (await once(child, "exit"))[0];
  };
  return Promise.all([run(), run(), run()]);
}

async function start(port: number, environment: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = await startInstance("instance.mjs", { ...environment, HOST: "127.0.0.1", PORT: String(port) });
  cleanUp.push(() => child.kill("SIGKILL"));
  return child;
}

describe.skipIf(!hasRedis || !hasPgBouncer())("C66 C67 C69 three instances behind one URL", () => {
  it.each(someOf(["transaction", "session"] as const))(
    "through PgBouncer by %s, restarted and killed under load",
    { timeout: 1_800_000 },
    async (mode) => {
      const database = await createDatabase(inject("postgresUrl"));
      cleanUp.push(() => database.drop());
      expect(await migrate(database.url)).toEqual([0, 0, 0]);
      const client = createClient(database.url);
      await seed(client);
      await seedAccounts(client);
      await client.$disconnect();
      // In session mode a connection of an instance is one of PostgreSQL; a new instance starts while an old one ends.
      const bouncer = await startPgBouncer(database.url, { mode, size: mode === "session" ? 40 : 8 });
      cleanUp.push(() => bouncer.stop());
      const store = await openS3();
      cleanUp.push(() => store.close());
      const { storage } = store.config as { storage: { endpoint: string } };
      const environment = {
        DATABASE_URL: bouncer.urlOf(database.url),
        DATABASE_POOL_SIZE: "6",
        REDIS_URL: await startRedis(),
        S3_ENDPOINT: storage.endpoint,
        JWT_SECRET: "Fpz0-qVt1wK9sUe3nYb7xRm5cLh2jGd8oAiT4vBk6Xw",
        DELAY: "5000",
      };
      const ports = [await freePort(), await freePort(), await freePort()];
      const instances = await Promise.all(ports.map((port) => start(port, environment)));
      const balancer = new Balancer(ports);
      const url = await balancer.open();
      cleanUp.push(() => balancer.close());
      const shoppers = new Shoppers(url, pauseMs);
      await shoppers.begin();
      const { seen } = shoppers;

      const restart = async (index: number, signal: NodeJS.Signals): Promise<unknown> => {
        const port = ports[index] as number;
        const instance = instances[index] as ChildProcess;
        const exited = once(instance, "exit");
        instance.kill(signal);
        const [code] = await exited;
        instances[index] = await start(port, environment);
        await expect.poll(() => balancer.isReady(port)).toBe(true);
        return code;
      };
      const lostInRestarts: string[] = [];
      for (let round = 1; round <= rounds; round++) {
        const before = seen.responded;
        const codes: unknown[] = [];
        for (const index of ports.keys()) codes.push(await restart(index, "SIGTERM"));
        const failedInRestarts = shoppers.takeFailed();
        lostInRestarts.push(...failedInRestarts);
        expect(codes).toEqual([0, 0, 0]);
        const between = seen.responded;
        await restart(round % 3, "SIGKILL");
        const failedByKill = shoppers.takeFailed();
        const found = {
          round,
          "responses during restarts": between - before,
          "failed in restarts": failedInRestarts.length,
          "responses around the kill": seen.responded - between,
          "failed by the kill": failedByKill.length,
        };
        console.log(`${mode}: ${JSON.stringify(found)} ${failedInRestarts.slice(0, 3).join(" ")}`);
      }
      await shoppers.end();

      // Acknowledged writes exist, and ended sessions are ended, on every instance.
      const reader = createClient(database.url);
      const rows = await reader.tag.findMany({ where: { name: { startsWith: "cluster-" } }, select: { name: true } });
      await reader.$disconnect();
      const stored = new Set(rows.map(({ name }) => name));
      const lostTags = seen.tags.filter((name) => !stored.has(name));
      const lostFiles: string[] = [];
      for (const { url: at, text } of seen.files) {
        const file = await fetch(`${url}${at}`);
        if (file.status !== 200 || (await file.text()) !== text) lostFiles.push(`${at} ${file.status}`);
      }
      const alive: string[] = [];
      for (const token of seen.ended) {
        for (const port of ports) {
          const headers = { authorization: `Bearer ${token}` };
          const { status } = await fetch(`http://127.0.0.1:${port}/api/users/me`, { headers });
          if (status !== 401) alive.push(`${port} ${status}`);
        }
      }
      const statuses: number[] = [];
      for (let i = 0; i < 60; i++) statuses.push((await fetch(`${url}/limited`)).status);
      console.log(
        `${mode}: ${seen.responded} responses; acknowledged and lost: tags ${seen.tags.length}, ${lostTags.length} lost;`,
        `files ${seen.files.length}, ${lostFiles.length} lost; logouts ${seen.ended.length}, ${alive.length} alive;`,
        `of 60 requests with a limit of 20 ${statuses.filter((status) => status === 200).length} passed`,
      );
      expect(lostInRestarts).toEqual([]);
      expect([lostTags, lostFiles, alive]).toEqual([[], [], []]);
      expect(seen.tags.length).toBeGreaterThan(50);
      expect(seen.files.length).toBeGreaterThan(10);
      expect(seen.ended.length).toBeGreaterThan(3);
      expect(statuses.filter((status) => status === 200)).toHaveLength(20);
      expect(statuses.filter((status) => status === 429)).toHaveLength(40);
    },
  );
});

import path from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import {
  type ClusterServer,
  findPostgresPrograms,
  type PostgresCluster,
  startPostgresCluster,
} from "../../../scripts/test/postgres-cluster.js";
import { drawn } from "../../../scripts/test/slow-share.js";
import { pushSchema } from "../../dev-database/src/index.js";
import type { RunningService } from "../src/init-service.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const programs = findPostgresPrograms();
const { init, closeAll } = makeStarter();
const requests = drawn(1_000);
const clients = 24;
/** Connections to each server, and how long a read occupies one: together they limit a server, whatever else the machine does. */
const poolSize = 3;
const readMs = 50;

let cluster: PostgresCluster;
beforeAll(async () => {
  if (programs === undefined) return;
  cluster = await startPostgresCluster(programs, async (primary) => {
    await primary.query("CREATE DATABASE shop");
    await pushSchema(primary.urlOf("shop"), { directory: path.join(import.meta.dirname, "fixtures/notes") });
    await primary.query(
      `ALTER TABLE "Note" RENAME TO "StoredNote";
       INSERT INTO "StoredNote" (text) VALUES ('one');
       CREATE VIEW "Note" AS SELECT "StoredNote".* FROM pg_sleep(${readMs / 1_000}), "StoredNote"`,
      "shop",
    );
  });
});
afterAll(async () => {
  await closeAll();
  await cluster?.stop();
});

function start(replicas: readonly ClusterServer[]): Promise<RunningService> {
  return init(
    {
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter }), poolSize },
      middlewares: { rateLimit: false },
      timeouts: { poolWait: 60_000 },
    },
    {
      environment: {
        NODE_ENV: "test",
        DATABASE_URL: cluster.primary.urlOf("shop"),
        DATABASE_REPLICA_URLS: replicas.map((replica) => replica.urlOf("shop")).join(),
      },
    },
  );
}

/** The number of reads of each server so far. */
const readsOf = (servers: readonly ClusterServer[]): Promise<number[]> =>
  Promise.all(
    servers.map(async (server) => {
      const sql = `SELECT seq_scan + coalesce(idx_scan, 0) AS reads FROM pg_stat_user_tables WHERE relname = 'StoredNote'`;
      return Number((await server.query(sql, "shop"))[0]?.reads);
    }),
  );

/** Reads a list so many times, and returns the rate per second. */
async function readAll(service: RunningService): Promise<number> {
  let left = requests;
  const begun = performance.now();
  const work = async (): Promise<void> => {
    while (left-- > 0) expect((await fetch(`${service.url}/api/notes?count=false`)).status).toBe(200);
  };
  await Promise.all(Array.from({ length: clients }, work));
  return requests / ((performance.now() - begun) / 1_000);
}

it.skipIf(programs === undefined)(
  "C121 two replicas share the reads equally, and leave none to the primary",
  async () => {
    const servers = [cluster.primary, ...cluster.replicas];
    const one = await start([]);
    const withOneServer = await readAll(one);
    await one.close();
    const three = await start(cluster.replicas);
    await vi.waitUntil(
      async () => {
        const { checks } = (await (await fetch(`${three.url}/api/health/ready`)).json()) as { checks: object };
        return Object.values(checks).every((state) => state === "up");
      },
      { timeout: 60_000 },
    );
    const before = await readsOf(servers);
    const withThreeServers = await readAll(three);
    // The statistics of a connection arrive later, at the latest when it ends.
    await three.close();
    const reads = (await readsOf(servers)).map((count, at) => count - (before[at] ?? 0));
    console.info({ requests, withOneServer, withThreeServers, reads });
    expect(reads[0]).toBe(0);
    expect((reads[1] ?? 0) + (reads[2] ?? 0)).toBe(requests);
    for (const count of reads.slice(1)) expect(count / requests).toBeGreaterThan(0.4);
  },
  120_000,
);

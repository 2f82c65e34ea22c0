import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  findPostgresPrograms,
  type PostgresCluster,
  startPostgresCluster,
} from "../../../scripts/test/postgres-cluster.js";
import { pushSchema } from "../../dev-database/src/index.js";
import { openReceiver, type Receiver } from "../../webhooks/test/receiver.js";
import type { RunningService } from "../src/init-service.js";
import { PrismaClient } from "./generated/workshop/client/client.js";
import { models } from "./generated/workshop/models.js";
import addOrder from "./projects/workshop/src/jobs/add-order.job.js";
import { makeStarter } from "./start.js";

const programs = findPostgresPrograms();
const { init, closeAll } = makeStarter();
const directory = path.join(import.meta.dirname, "projects/workshop");

let cluster: PostgresCluster;
let receiver: Receiver;
beforeAll(async () => {
  if (programs === undefined) return;
  cluster = await startPostgresCluster(programs, async (primary) => {
    await primary.query("CREATE DATABASE shop");
    await pushSchema(primary.urlOf("shop"), { directory: path.join(import.meta.dirname, "fixtures/workshop") });
  });
  receiver = await openReceiver();
});
afterAll(async () => {
  await closeAll();
  await receiver?.close();
  await cluster?.stop();
});

/** Only for tests that hang. */
const until = (check: () => boolean | Promise<boolean>) => vi.waitUntil(check, { timeout: 120_000, interval: 20 });

function start(): Promise<RunningService> {
  const hosts = [cluster.primary, ...cluster.replicas].map(({ host }) => host).join();
  return init(
    {
      middlewares: { rateLimit: false },
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
      models: { Order: { changes: true }, Note: {} },
      webhooks: {
        allow: ["127.0.0.1"],
        endpoints: [{ url: receiver.url, events: ["order.created"], secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }],
      },
    },
    {
      directory,
      environment: {
        NODE_ENV: "test",
        DATABASE_URL: `postgresql://postgres@${hosts}/shop?target_session_attrs=read-write`,
      },
    },
  );
}

// Most of its minute is the recovery of the jobs that ran during the failover.
describe.skipIf(programs === undefined)("C123 jobs, subscribers and webhooks of a service with several hosts", () => {
  it("continue on the promoted server, and lose nothing that was committed before", {
    timeout: 600_000,
  }, async () => {
    const service = await start();
    /** The titles of the orders whose job or write was confirmed. */
    const confirmed = new Set<string>();
    const failures = { jobs: 0, writes: 0 };
    let isOver = false;
    const send = async (kind: keyof typeof failures, act: (title: string) => Promise<unknown>): Promise<void> => {
      for (let count = 0; !isOver; count++) {
        const title = `${kind} ${count}`;
        await act(title).then(
          () => void confirmed.add(title),
          () => void failures[kind]++,
        );
      }
    };
    const load = [
      send("jobs", (title) => service.jobs.send(addOrder, { title })),
      send("writes", async (title) => {
        const response = await fetch(`${service.url}/api/orders`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ title }),
        });
        if (response.status !== 201) throw new Error(`status ${response.status}`);
      }),
    ];
    const stored = (sql: string) => async (): Promise<string[]> =>
      (await server.query(sql, "shop")).map(({ title }) => String(title));
    let server = cluster.primary;
    const orders = stored('SELECT title FROM "Order"');
    const noted = stored(`SELECT split_part(text, ' ', 3) || ' ' || split_part(text, ' ', 4) AS title FROM "Note"`);
    const sent = async () =>
      receiver.received.map(({ body }) => (JSON.parse(body) as { data: { title: string } }).data.title);
    /** The kinds of work: a job, a subscriber, and a webhook. */
    const works = { orders, noted, sent };
    const hasRun = async (done: () => Promise<string[]>, titles: Iterable<string>): Promise<boolean> => {
      const found = new Set(await done());
      return [...titles].every((title) => found.has(title));
    };

    await until(async () => (await sent()).length > 20);
    const durations: Record<string, number> = {};
    await cluster.primary.crash();
    server = await cluster.failOver();
    const promoted = performance.now();
    const jobsOf = () => [...confirmed].filter((title) => title.startsWith("jobs")).length;
    const before = jobsOf();
    const sizes = { confirmed: confirmed.size, sent: receiver.received.length };
    await Promise.all([
      until(() => jobsOf() > before + 5),
      ...Object.entries(works).map(async ([name, done]) => {
        const old = new Set(await done());
        await until(async () => (await done()).some((title) => !old.has(title)));
        durations[`first of ${name} after the promotion`] = Math.round(performance.now() - promoted);
      }),
    ]);
    isOver = true;
    await Promise.all(load);
    for (const [name, done] of Object.entries(works)) {
      await until(() => hasRun(done, confirmed));
      durations[`all of ${name} after the promotion`] = Math.round(performance.now() - promoted);
    }
    console.info({ ...sizes, total: confirmed.size, failures, durations });
    expect(await service.jobQueues?.failed("add-order", { limit: 100 })).toEqual([]);
  });
});

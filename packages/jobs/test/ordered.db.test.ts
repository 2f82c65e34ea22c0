import { randomInt, randomUUID } from "node:crypto";
import { PgBoss } from "pg-boss";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { QueueOptions, Queues, QueueTargets, RunningJob } from "../src/index.js";
import { orderedTables, quickStatement } from "../src/ordered/tables.js";
import { trimOrdered } from "../src/ordered/trim-ordered.js";
import { openShop, type Shop } from "./open-shop.js";

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(inject("postgresUrl"));
});
afterAll(() => shop?.close());

const deadline = { timeout: 120_000 };
const targets: QueueTargets = { max: 2, limitOf: () => 2, ownerOf: () => undefined, perOwner: 100 };

/** Queues with one ordered queue `messages`. */
function openQueues(schema: string, options: Partial<QueueOptions>): Queues {
  const queues = shop.queues({ schema });
  const handler = options.handler ?? (() => undefined);
  queues.define({ name: "messages", ordered: true, concurrency: 8, targets, ...options, handler });
  return queues;
}

/** Attempts that end when the test ends them. */
function openAttempts() {
  const ends = new Map<string, () => void>();
  const started: string[] = [];
  const handler = ({ target, key = "" }: RunningJob): Promise<void> =>
    new Promise((resolve) => {
      started.push(`${target?.name} ${key}`);
      ends.set(`${target?.name} ${key}`, resolve);
    });
  return { ends, started, handler };
}

const send = (queues: Queues, target: string, key: string, data: object = {}) =>
  queues.send("messages", { data, key, target });

describe("ordered queues", () => {
  it("C151 run a few jobs of a target at a time, so that other targets and other owners do not wait", async () => {
    const { ends, started, handler } = openAttempts();
    const ownerOf = (target: string) => target.slice(0, 1);
    const queues = openQueues("fair", { handler, targets: { ...targets, ownerOf, perOwner: 3 } });
    for (const target of ["a1", "a2", "a3"])
      for (let key = 0; key < 100; key++) await send(queues, target, String(key));
    await send(queues, "b1", "0");
    await queues.run();
    await vi.waitUntil(() => started.includes("b1 0"), deadline);
    const ofOwner = () => started.filter((one) => one.startsWith("a"));
    await vi.waitUntil(() => ofOwner().length === 3, deadline);
    const perTarget = ["a1", "a2", "a3"].map((target) => ofOwner().filter((one) => one.startsWith(target)).length);
    expect(Math.max(...perTarget)).toBeLessThanOrEqual(2);
    // The place of one that has ended is filled.
    ends.get(ofOwner()[0] as string)?.();
    await vi.waitUntil(() => ofOwner().length === 4, deadline);
    await queues.close(1);
  });

  it("C151 run no job of a target before the end of its pause, in any process", async () => {
    const ran: string[] = [];
    const handler = ({ target, key }: RunningJob): void => {
      ran.push(`${target?.name} ${key}`);
      if (ran.length === 1) target?.pause(3_600);
    };
    const first = openQueues("paused", { handler });
    await first.run();
    await send(first, "a", "0");
    await vi.waitUntil(() => ran.length === 1, deadline);
    await first.close();
    const second = openQueues("paused", { handler });
    await send(second, "a", "1");
    await second.run();
    await send(second, "b", "0");
    await vi.waitUntil(() => ran.length === 2, deadline);
    expect(ran).toEqual(["a 0", "b 0"]);
    await shop.sql("UPDATE paused.ordered_target SET paused_until = now()");
    await vi.waitUntil(() => ran.length === 3, deadline);
    await second.close();
  });

  it("C151 delete the waiting jobs of a target that is dropped, and no others", async () => {
    const ran: string[] = [];
    const queues = openQueues("dropped", {
      concurrency: 1,
      handler: ({ target, key }) => {
        ran.push(`${target?.name} ${key}`);
        if (target?.name === "a") target.drop();
      },
    });
    const jobs = Array.from({ length: 3_000 }, (_, n) => ({ data: { n }, key: String(n % 5), target: "a" }));
    await queues.sendAll("messages", jobs);
    await send(queues, "b", "0");
    await queues.run();
    await expect.poll(async () => (await queues.counts())[0]?.queued, deadline).toBe(0);
    expect(ran).toContain("b 0");
    expect(ran.length).toBeLessThan(100);
    await queues.close();
  });

  it("C109 run each job once and in the order of its key while transactions send others, and some are rolled back", async () => {
    const keys = ["a", "b", "c"];
    const ran = new Map(keys.map((key) => [key, [] as number[]]));
    const handler = ({ key = "", data }: RunningJob): void => {
      ran.get(key)?.push(Reflect.get(data, "n"));
    };
    const queues = openQueues("concurrent", { handler, targets });
    const others = openQueues("concurrent", { handler, targets });
    await Promise.all([queues.run(), others.run()]);
    const committed = new Map(keys.map((key) => [key, [] as number[]]));
    const sendAll = async (sender: number): Promise<void> => {
      for (let n = 0; n < 40; n++) {
        const key = keys[randomInt(keys.length)] as string;
        const number = sender * 1_000 + n;
        await shop.database
          .transaction(async (inside) => {
            await queues.send("messages", { data: { n: number }, key }, { transaction: inside.client });
            await inside.of("Customer").count({});
            if (n % 5 === 0) throw new Error("no");
            // The lock of the key lasts until the commit.
            committed.get(key)?.push(number);
          })
          .catch(() => undefined);
      }
    };
    await Promise.all([1, 2, 3, 4].map(sendAll));
    const total = [...committed.values()].flat().length;
    await vi.waitUntil(() => [...ran.values()].flat().length >= total, deadline);
    expect(Object.fromEntries(ran)).toEqual(Object.fromEntries(committed));
    const none = { name: "messages", queued: 0, active: 0, retrying: 0, failed: 0 };
    await expect.poll(async () => (await queues.counts())[0], deadline).toEqual(none);
    expect(await shop.sql("SELECT count(*)::int AS groups FROM concurrent.ordered_group")).toEqual([{ groups: 0 }]);
    await queues.close();
    await others.close();
  });

  it("C109 run the jobs of a key after one that starts later, and none without its time", async () => {
    const ran: object[] = [];
    const queues = openQueues("later", { handler: ({ data }) => void ran.push(data) });
    await queues.run();
    const startAfter = new Date(Date.now() + 3_600_000);
    await queues.send("messages", { data: { n: 1 }, key: "a", startAfter });
    await send(queues, "-", "a", { n: 2 });
    await send(queues, "-", "b", { n: 3 });
    await vi.waitUntil(() => ran.length === 1, deadline);
    expect(ran).toEqual([{ n: 3 }]);
    await shop.sql("UPDATE later.ordered_group SET due = now()");
    await vi.waitUntil(() => ran.length === 3, deadline);
    expect(ran).toEqual([{ n: 3 }, { n: 1 }, { n: 2 }]);
    await queues.close();
  });

  it("C109 count a lost process as an attempt, and fail the job when all of them are lost", async () => {
    let runs = 0;
    const queues = openQueues("lost", { retries: { limit: 1, delaySeconds: 0 }, handler: () => void runs++ });
    await send(queues, "-", "a");
    // As if two processes had been killed.
    await shop.sql("UPDATE lost.ordered_group SET holder = gen_random_uuid(), attempt = 1");
    await queues.run();
    await expect.poll(async () => (await queues.counts())[0]?.failed, deadline).toBe(1);
    expect(runs).toBe(0);
    expect(await queues.failed("messages", { limit: 1 })).toMatchObject([
      { key: "a", error: "The process ended during the last attempt." },
    ]);
    await queues.close();
  });
});

it("C109 C151 jobs that wait for more than thirty days are deleted, also those of queues that do not exist any more", async () => {
  const queues = openQueues("trimmed", {});
  for (const key of ["old", "later", "new"]) await send(queues, "-", key);
  await shop.sql("UPDATE trimmed.ordered_job SET created = now() - interval '31 days' WHERE key <> 'new'");
  await shop.sql("UPDATE trimmed.ordered_job SET queue = 'removed', data = NULL WHERE key = 'old'");
  await shop.sql("UPDATE trimmed.ordered_job SET start_after = now() + interval '1 day' WHERE key = 'later'");
  expect(await queues.firstNeededChange()).toBeTypeOf("bigint");
  await trimOrdered(shop.sql, orderedTables("trimmed"));
  expect(await shop.sql("SELECT key FROM trimmed.ordered_job ORDER BY key")).toEqual([
    { key: "later" },
    { key: "new" },
  ]);
  expect(await queues.firstNeededChange()).toBeUndefined();
  await queues.close();
});

it("C109 texts of statements stay texts on a server that reads backslashes in constants", async () => {
  const text = String.raw`it's \' OR 1=1; -- \\' "$1" \u0041`;
  await shop.sql("SET standard_conforming_strings = off; SET escape_string_warning = off");
  const results = await shop.sql(quickStatement("SELECT a FROM json_to_recordset($1) AS r(a text)", [{ a: text }]));
  await shop.sql("RESET ALL");
  expect([results].flat().at(-1)).toEqual({ a: text });
});

describe("jobs of an earlier version", () => {
  const options = { policy: "key_strict_fifo", deadLetter: "messages.failed", retryLimit: 3 } as const;
  /** The queue as earlier versions have created it, with these jobs. */
  async function openEarlier(schema: string): Promise<PgBoss> {
    const boss = await new PgBoss({ connectionString: shop.url, schema, schedule: false }).start();
    await boss.createQueue("messages.failed");
    await boss.createQueue("messages", options);
    return boss;
  }

  it("C152 run once, before the new ones of their keys, with their ids and targets", async () => {
    const schema = "moved";
    const boss = await openEarlier(schema);
    const ids: string[] = [randomUUID(), randomUUID(), randomUUID()];
    for (const [n, id] of ids.entries())
      await boss.send("messages", { n, endpoint: "id:1" }, { id, singletonKey: n < 2 ? "a" : "b" });
    await boss.send("messages.failed", { n: 9 });
    await boss.stop({ graceful: false });
    const ran: RunningJob[] = [];
    const ofStored = (data: object): string => Reflect.get(data, "endpoint") as string;
    const processes = [1, 2].map(() =>
      openQueues(schema, { handler: (job) => void ran.push(job), targets: { ...targets, ofStored } }),
    );
    const [queues] = processes as [Queues];
    await send(queues, "id:1", "a", { n: 3 });
    await Promise.all(processes.map((one) => one.run()));
    await vi.waitUntil(() => ran.length >= 4, deadline);
    const seen = (key: string) => ran.filter((job) => job.key === key).map(({ data }) => Reflect.get(data, "n"));
    expect([seen("a"), seen("b")]).toEqual([[0, 1, 3], [2]]);
    expect(ran.map(({ target }) => target?.name)).toEqual(ran.map(() => "id:1"));
    expect(ran.map(({ id }) => id).filter((id) => ids.includes(id))).toHaveLength(3);
    expect(await queues.failed("messages", { limit: 5 })).toMatchObject([{ data: { n: 9 } }]);
    for (const one of processes) await one.close();
    expect(ran).toHaveLength(4);
  });

  it("C152 that a process of that version runs delay the new ones until they have ended", async () => {
    const schema = "still_running";
    const boss = await openEarlier(schema);
    await boss.send("messages", { n: 0 }, { singletonKey: "a" });
    const [active] = await boss.fetch("messages");
    const ran: object[] = [];
    const queues = openQueues(schema, { handler: ({ data }) => void ran.push(data) });
    queues.define({ name: "others", ordered: true, handler: ({ data }) => void ran.push(data) });
    await queues.run();
    await send(queues, "-", "a", { n: 1 });
    await queues.send("others", { data: { other: true }, key: "a" });
    await vi.waitUntil(() => ran.length > 0, deadline);
    expect(ran).toEqual([{ other: true }]);
    await boss.complete("messages", active?.id as string);
    await boss.stop({ graceful: false });
    await vi.waitUntil(() => ran.length === 2, deadline);
    expect(ran[1]).toEqual({ n: 1 });
    await queues.close();
  });
});

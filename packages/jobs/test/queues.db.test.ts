import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { hasPgBouncer, startPgBouncer } from "../../../scripts/test/pgbouncer.js";
import { type JobRun, type RunningJob, UnrecoverableError } from "../src/index.js";
import { openShop, type Shop } from "./open-shop.js";

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(inject("postgresUrl"));
});
afterAll(() => shop?.close());

const deadline = { timeout: 120_000 };

describe("queues", () => {
  it("C109 run a job that was sent, with its data, id and key", async () => {
    const queues = shop.queues();
    const ran: RunningJob[] = [];
    queues.define({ name: "mail", handler: (job) => void ran.push(job) });
    await queues.run();
    const id = randomUUID();
    expect(
      await queues.send("mail", { data: { to: "ann", text: "Zoë \u{1F600} '; DROP TABLE" }, id, key: "a b/c'" }),
    ).toBe(id);
    await vi.waitUntil(() => ran.length > 0, deadline);
    const { data, key, attempt, isLastAttempt } = ran[0] as RunningJob;
    expect({ id: ran[0]?.id, data, key, attempt, isLastAttempt }).toEqual({
      ...{ id, key: "a b/c'", attempt: 1, isLastAttempt: false },
      data: { to: "ann", text: "Zoë \u{1F600} '; DROP TABLE" },
    });
    await queues.close();
  });

  it("C141 send the job of each occurrence once for all processes, with its data", async () => {
    const schema = "schedules";
    const instances = [1, 2, 3].map(() => shop.queues({ schema }));
    const ran: RunningJob[] = [];
    for (const queues of instances) {
      queues.define({ name: "minutely", handler: (job) => void ran.push(job) });
      await queues.setSchedules(new Map([["minutely", { cron: "* * * * *", data: { report: "all" } }]]));
      await queues.run();
    }
    // The occurrence of the last minute is sent at the start.
    await vi.waitUntil(() => ran.length > 0, deadline);
    const restarted = shop.queues({ schema });
    restarted.define({ name: "minutely", handler: (job) => void ran.push(job) });
    await restarted.setSchedules(new Map([["minutely", { cron: "* * * * *", data: { report: "all" } }]]));
    await vi.waitUntil(() => ran.length > 1, deadline);
    for (const queues of [...instances, restarted]) await queues.close();
    expect(ran.map(({ data }) => data)).toEqual(ran.map(() => ({ report: "all" })));
    const ids = ran.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const minutes = ids.map((id) => Number.parseInt(id.replaceAll("-", "").replace(/^(.{12})8(.{3}).*/, "$1$2"), 16));
    expect(minutes.map((at) => at % 60_000)).toEqual(minutes.map(() => 0));
    expect(Math.max(...minutes) - Math.min(...minutes)).toBe((ids.length - 1) * 60_000);
  });

  it("C141 delete the schedules that an earlier version stored, whose jobs pg-boss would send", async () => {
    const schema = "stored_schedules";
    const first = shop.queues({ schema });
    for (const name of ["nightly", "deleted"]) first.define({ name, handler: () => undefined });
    await first.open();
    for (const name of ["nightly", "deleted"])
      await shop.sql(`INSERT INTO ${schema}.schedule (name, key, kind, cron, timezone, data, options)
        VALUES ('${name}', '', 'cron', '* * * * *', 'UTC', '{}', '{}')`);
    await first.close();
    const queues = shop.queues({ schema });
    const ran: RunningJob[] = [];
    for (const name of ["nightly", "marker"]) queues.define({ name, handler: (job) => void ran.push(job) });
    await queues.setSchedules(new Map());
    expect(await shop.sql(`SELECT name FROM ${schema}.schedule`)).toEqual([]);
    await queues.run();
    await queues.send("marker", { data: {} });
    await vi.waitUntil(() => ran.length > 0, deadline);
    expect(ran.map(({ queue }) => queue)).toEqual(["marker"]);
    await queues.close();
  });

  it("C141 reject a schedule with an invalid cron expression or another queue", async () => {
    const queues = shop.queues();
    queues.define({ name: "hourly", handler: () => undefined });
    await expect(queues.setSchedules(new Map([["hourly", { cron: "0 0 * * * *" }]]))).rejects.toThrow("has 6 fields");
    await expect(queues.setSchedules(new Map([["daily", { cron: "0 0 * * *" }]]))).rejects.toThrow(
      'There is no job queue "daily".',
    );
    await queues.close();
  });

  it("C109 ignore a job with an id that exists", async () => {
    const queues = shop.queues();
    queues.define({ name: "once", handler: () => undefined });
    const id = randomUUID();
    expect(await queues.send("once", { data: {}, id })).toBe(id);
    expect(await queues.send("once", { data: {}, id })).toBeUndefined();
    expect(await queues.counts()).toEqual([{ name: "once", queued: 1, active: 0, retrying: 0, failed: 0 }]);
    await queues.close();
  });

  it("C109 store a job in the transaction of the caller: a rollback leaves none", async () => {
    const queues = shop.queues();
    queues.define({ name: "orders", handler: () => undefined });
    const send = (database: Shop["database"], fails: boolean) =>
      database.transaction(async (inside) => {
        await inside.of("Customer").create({ data: { name: "Ann" }, select: { id: true } });
        await queues.send("orders", { data: { fails } }, { transaction: inside.client });
        if (fails) throw new Error("no");
      });
    await expect(send(shop.database, true)).rejects.toThrow("no");
    expect((await queues.counts())[0]?.queued).toBe(0);
    await send(shop.database, false);
    expect((await queues.counts())[0]?.queued).toBe(1);
    // A transaction of the Prisma client itself.
    await expect(
      shop.client.$transaction(async (transaction) => {
        await queues.send("orders", { data: {} }, { transaction });
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect((await queues.counts())[0]?.queued).toBe(1);
    await queues.close();
  });

  it("C109 run a failed job again, and list it with its error when its retries are exhausted", async () => {
    const queues = shop.queues();
    const attempts: RunningJob[] = [];
    let isFixed = false;
    queues.define({
      name: "unstable",
      retries: { limit: 2, delaySeconds: 0, backoff: false },
      handler: (job) => {
        attempts.push(job);
        if (!isFixed) throw new Error(`no ${job.attempt}`);
      },
    });
    await queues.run();
    const id = await queues.send("unstable", { data: { n: 1 }, key: "k" });
    await expect.poll(async () => (await queues.counts())[0]?.failed).toBe(1);
    expect(attempts.map(({ attempt, isLastAttempt }) => [attempt, isLastAttempt])).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
    const [failed] = await queues.failed("unstable", { limit: 10 });
    expect(failed).toMatchObject({ jobId: id, queue: "unstable", data: { n: 1 }, attempts: 3, error: "no 3" });
    isFixed = true;
    expect(await queues.retryFailed("unstable", [failed?.id as string])).toBe(1);
    await vi.waitUntil(() => attempts.length === 4, deadline);
    expect(attempts.map((job) => job.id)).toEqual([id, id, id, id]);
    expect((await queues.counts())[0]?.failed).toBe(0);
    await queues.close();
  });

  it("C109 fail a job without retries for an UnrecoverableError, and delete or retry failed jobs", async () => {
    const queues = shop.queues();
    const ran: object[] = [];
    let isFixed = false;
    queues.define({
      name: "hopeless",
      handler: ({ data }) => {
        ran.push(data);
        if (!isFixed) throw new UnrecoverableError("never");
      },
    });
    await queues.run();
    for (const n of [1, 2, 3]) await queues.send("hopeless", { data: { n } });
    await expect.poll(async () => (await queues.counts())[0]?.failed).toBe(3);
    expect(ran).toHaveLength(3);
    const [first, second] = await queues.failed("hopeless", { limit: 2 });
    const rest = await queues.failed("hopeless", { limit: 2, after: second?.id });
    expect(rest).toHaveLength(1);
    expect(await queues.deleteFailed("hopeless", first?.id as string)).toBe(true);
    expect(await queues.deleteFailed("hopeless", first?.id as string)).toBe(false);
    expect(await queues.retryFailed("hopeless", [randomUUID()])).toBe(0);
    isFixed = true;
    expect(await queues.retryFailed("hopeless")).toBe(2);
    await vi.waitUntil(() => ran.length === 5, deadline);
    expect(await queues.failed("hopeless", { limit: 10 })).toEqual([]);
    await queues.close();
  });

  it("C109 run the jobs of a key in the order in which they were sent, across retries and failures", async () => {
    const queues = shop.queues();
    const done: string[] = [];
    const running = new Set<string>();
    queues.define<{ n: number }>({
      name: "ordered",
      ordered: true,
      concurrency: 4,
      retries: { limit: 1, delaySeconds: 0, backoff: false },
      handler: async ({ key = "", data: { n }, attempt }) => {
        expect(running.has(key)).toBe(false);
        running.add(key);
        await shop.database.of("Customer").count({});
        running.delete(key);
        if (key === "b" && n === 1 && attempt === 1) throw new Error("again");
        if (key === "c" && n === 1) throw new Error("never");
        done.push(`${key}${n}`);
      },
    });
    await queues.run();
    await expect(queues.send("ordered", { data: {} })).rejects.toThrow("Jobs of the ordered queue ordered need a key.");
    for (let n = 0; n < 5; n++) for (const key of ["a", "b", "c"]) await queues.send("ordered", { data: { n }, key });
    await vi.waitUntil(() => done.length === 14, deadline);
    const of = (key: string) => done.filter((one) => one.startsWith(key)).join(" ");
    expect([of("a"), of("b"), of("c")]).toEqual(["a0 a1 a2 a3 a4", "b0 b1 b2 b3 b4", "c0 c2 c3 c4"]);
    expect(await queues.failed("ordered", { limit: 5 })).toMatchObject([{ key: "c", data: { n: 1 }, error: "never" }]);
    await queues.close();
  });

  it("C142 run the next job of a key after a handler that ignores its timeout has ended", async () => {
    const queues = shop.queues();
    const running = new Map<string, number>();
    const ends: (() => void)[] = [];
    const started: string[] = [];
    const overlaps: string[] = [];
    queues.define<{ n: number }>({
      ...{
        name: "stubborn",
        ordered: true,
        concurrency: 4,
        timeoutSeconds: 1,
        retries: { limit: 1, delaySeconds: 0, backoff: false },
      },
      handler: async ({ key = "", data: { n }, attempt }) => {
        if ((running.get(key) ?? 0) > 0) overlaps.push(`${key}${n}`);
        running.set(key, (running.get(key) ?? 0) + 1);
        started.push(`${key}${n}`);
        if (n === 0 && attempt === 1) await new Promise<void>((resolve) => void ends.push(resolve));
        running.set(key, (running.get(key) ?? 0) - 1);
      },
    });
    await queues.run();
    for (const n of [0, 1]) await queues.send("stubborn", { data: { n }, key: "a" });
    await vi.waitUntil(() => ends.length === 1, deadline);
    const isExpired = () =>
      shop.log.lines.some(({ fields, message }) => /its timeout|exceeding/.test(message) && fields.key === "a");
    await vi.waitUntil(isExpired, deadline);
    // Further jobs run meanwhile: the workers looked for the next job of the key too.
    for (const n of [1, 2, 3]) await queues.send("stubborn", { data: { n }, key: `other ${n}` });
    await vi.waitUntil(() => started.length === 4, deadline);
    expect(started.filter((one) => one.startsWith("a"))).toEqual(["a0"]);
    ends[0]?.();
    await vi.waitUntil(() => started.includes("a1"), deadline);
    expect(overlaps).toEqual([]);
    expect(started.filter((one) => one.startsWith("a"))).toEqual(["a0", "a0", "a1"]);
    expect(shop.log.lines.map(({ fields }) => String(fields.err))).toContain(
      "Error: The job exceeded its timeout of 1 seconds.",
    );
    await queues.close();
  });

  it("C142 run a job again after its handler has ended, if the database has returned it to its queue", async () => {
    const queues = shop.queues();
    const ends: (() => void)[] = [];
    let isRunning = false;
    const attempts: number[] = [];
    queues.define({
      ...{ name: "lost", ordered: true, concurrency: 3, retries: { delaySeconds: 0, backoff: false } },
      handler: async ({ attempt }) => {
        expect(isRunning).toBe(false);
        isRunning = true;
        attempts.push(attempt);
        if (attempt === 1) await new Promise<void>((resolve) => void ends.push(resolve));
        isRunning = false;
      },
    });
    await queues.run();
    await queues.send("lost", { data: {}, key: "a" });
    await vi.waitUntil(() => ends.length === 1, deadline);
    // As after an outage of the database that lasts longer than the job may be without a sign of its process.
    await shop.sql(
      "UPDATE servicekit_jobs.ordered_group SET holder = gen_random_uuid(), due = now() WHERE queue = 'lost'",
    );
    await expect.poll(async () => (await queues.counts())[0]?.active, deadline).toBe(1);
    expect(attempts).toEqual([1]);
    ends[0]?.();
    await vi.waitUntil(() => attempts.length === 2, deadline);
    expect(attempts).toEqual([1, 2]);
    await queues.close();
  });

  it("C109 run at most as many jobs at the same time as their concurrency, by default one", async () => {
    const queues = shop.queues();
    const ends: (() => void)[] = [];
    const handler = () => new Promise<void>((resolve) => void ends.push(resolve));
    queues.define({ name: "pairs", concurrency: 2, handler });
    queues.define({ name: "single", handler });
    let others = 0;
    queues.define({ name: "others", handler: () => void others++ });
    await queues.run();
    for (const name of ["pairs", "single"]) await queues.sendAll(name, [{ data: {} }, { data: {} }, { data: {} }]);
    await vi.waitUntil(() => ends.length === 3, deadline);
    await queues.send("others", { data: {} });
    await vi.waitUntil(() => others === 1, deadline);
    expect(await queues.counts()).toMatchObject([
      { name: "pairs", queued: 1, active: 2 },
      { name: "single", queued: 2, active: 1 },
      { name: "others", queued: 0 },
    ]);
    for (let ended = 0; ended < 6; ended++) {
      await vi.waitUntil(() => ends.length > ended, deadline);
      ends[ended]?.();
    }
    await queues.close();
  });

  it("C109 report the outcome and the duration of each attempt", async () => {
    const runs: JobRun[] = [];
    const queues = shop.queues({ onRun: (run) => void runs.push(run) });
    const retries = { limit: 1, delaySeconds: 0, backoff: false };
    queues.define<{ fails: boolean }>({
      ...{ name: "reported", retries },
      handler: async ({ data }) => {
        await shop.database.of("Customer").count({});
        if (data.fails) throw new Error("no");
      },
    });
    await queues.run();
    await queues.send("reported", { data: { fails: false } });
    await vi.waitUntil(() => runs.length === 1, deadline);
    await queues.send("reported", { data: { fails: true } });
    await vi.waitUntil(() => runs.length === 3, deadline);
    expect(runs.map(({ queue, outcome }) => [queue, outcome])).toEqual([
      ["reported", "completed"],
      ["reported", "retried"],
      ["reported", "failed"],
    ]);
    expect(runs.filter(({ seconds }) => !(seconds > 0 && seconds < 60))).toEqual([]);
    await queues.close();
  });

  it("C109 finish a running job before they close, and return one that takes longer to its queue", async () => {
    const queues = shop.queues();
    let end: (() => void) | undefined;
    const signals: AbortSignal[] = [];
    const handler = ({ signal }: RunningJob) =>
      new Promise<void>((resolve) => {
        signals.push(signal);
        end = resolve;
      });
    queues.define({ name: "slow", handler });
    await queues.run();
    await queues.send("slow", { data: {} });
    await vi.waitUntil(() => signals.length === 1, deadline);
    const closed = queues.close(120_000);
    end?.();
    await closed;
    const next = shop.queues();
    next.define({ name: "slow", handler, retries: { delaySeconds: 0 } });
    expect(await next.counts()).toEqual([{ name: "slow", queued: 0, active: 0, retrying: 0, failed: 0 }]);
    await next.run();
    await next.send("slow", { data: {} });
    await vi.waitUntil(() => signals.length === 2, deadline);
    await next.close(1);
    expect(signals[1]?.aborted).toBe(true);
    const last = shop.queues();
    const ran: RunningJob[] = [];
    last.define({ name: "slow", handler: (job) => void ran.push(job) });
    expect((await last.counts())[0]).toMatchObject({ active: 0, retrying: 1 });
    await last.run();
    await vi.waitUntil(() => ran.length === 1, deadline);
    expect(ran[0]?.attempt).toBe(2);
    await last.close();
  });

  it("C109 reject names and queues that do not exist or are defined twice", async () => {
    const queues = shop.queues();
    queues.define({ name: "one", handler: () => undefined });
    expect(() => queues.define({ name: "one", handler: () => undefined })).toThrow(
      "The job queue one is defined twice.",
    );
    expect(() => queues.define({ name: "a b", handler: () => undefined })).toThrow('Invalid queue name "a b".');
    await expect(queues.send("two", { data: {} })).rejects.toThrow('There is no job queue "two".');
    await queues.close();
    await expect(queues.send("one", { data: {} })).rejects.toThrow("The job queues are closed.");
  });

  it("C109 reject another order of a queue that exists, and apply its other options", async () => {
    const open = async (ordered: boolean, limit: number) => {
      const queues = shop.queues();
      queues.define({ name: "kept", ordered, retries: { limit, backoff: false }, handler: () => undefined });
      await queues.open().finally(() => queues.close());
    };
    await open(false, 1);
    await open(false, 3);
    const limits = await shop.sql("SELECT retry_limit FROM servicekit_jobs.queue WHERE name = 'kept'");
    expect(limits).toEqual([{ retry_limit: 3 }]);
    await expect(open(true, 3)).rejects.toThrow(
      `queue kept: is not ordered in the database, but here. Rename it, or delete it with its jobs: SELECT "servicekit_jobs".delete_queue('kept');`,
    );
    await shop.sql("SELECT servicekit_jobs.delete_queue('kept')");
    await open(true, 3);
  });

  it("C109 state what to run if the database user may not create their tables", async () => {
    const role = `jobs_${randomUUID().slice(0, 8)}`;
    await shop.sql(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    const url = new URL(shop.url);
    url.username = role;
    url.password = "secret";
    const queues = shop.queues({ url: url.href, schema: "other_jobs" });
    queues.define({ name: "one", handler: () => undefined });
    const command = `CREATE SCHEMA "other_jobs" AUTHORIZATION "${role}";`;
    await expect(queues.open()).rejects.toThrow(`Run as an administrator: ${command}`);
    await shop.sql(command);
    await queues.open();
    await queues.close();
    await shop.sql(`DROP OWNED BY ${role} CASCADE`);
    await shop.sql(`DROP ROLE ${role}`);
  });

  it.skipIf(!hasPgBouncer())("C109 work through PgBouncer in transaction mode", async () => {
    const bouncer = await startPgBouncer(shop.url, { mode: "transaction", size: 3 });
    const queues = shop.queues({ url: bouncer.urlOf(shop.url), schema: "pooled_jobs" });
    const ran: RunningJob[] = [];
    queues.define({ name: "pooled", concurrency: 3, handler: (job) => void ran.push(job) });
    await queues.run();
    await shop.database.transaction((inside) =>
      queues.sendAll("pooled", [{ data: { n: 1 } }, { data: { n: 2 } }], { transaction: inside.client }),
    );
    await queues.send("pooled", { data: { n: 3 } });
    await vi.waitUntil(() => ran.length === 3, deadline);
    await queues.close();
    await bouncer.stop();
    expect(shop.log.lines.filter(({ fields }) => String(fields.err).includes("pgbouncer"))).toEqual([]);
  });
});

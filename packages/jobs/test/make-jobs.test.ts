import { StartupError } from "@servicekit/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { makeJobs } from "../src/jobs/make-jobs.js";
import type { QueueOptions, Queues, RunningJob } from "../src/queues.js";
import { type JobDefinition, toJob, UnrecoverableError } from "../src/settings.js";

/** Jobs with queues that only record what they receive. */
function open<Schema extends z.ZodType>(definition: Partial<JobDefinition<Schema, object>> & { payload: Schema }) {
  const handled: unknown[] = [];
  const job = toJob<Schema, object>({
    name: "welcome",
    handler: (payload, context) => void handled.push([payload, context]),
    ...definition,
  });
  const defined: QueueOptions[] = [];
  const sent: unknown[][] = [];
  const committed: (() => void)[] = [];
  const woken: string[] = [];
  const queues = {
    wake: (names: readonly string[]) => void woken.push(...names),
    define: (queue: QueueOptions) => void defined.push(queue),
    send: async (...args: unknown[]) => {
      sent.push(args);
      return "an id";
    },
  } as unknown as Queues;
  const jobs = makeJobs({
    queues,
    jobs: [job as never],
    run: (_running, handle) => handle({ name: "the context" }),
    transaction: () => "the open transaction" as never,
    afterCommit: (listener) => void committed.push(listener),
  });
  const run = (data: unknown) => defined[0]?.handler({ data } as RunningJob);
  return { job, jobs, defined, sent, handled, run, committed, woken };
}

const payload = z.strictObject({ userId: z.int(), since: z.string().transform(Number).default(7) });

describe("the queue of a job", () => {
  it("C109 has the options of the job", () => {
    const options = { concurrency: 3, retries: { limit: 1 }, ordered: true, timeoutSeconds: 60 };
    expect(open({ payload, ...options }).defined).toEqual([
      { name: "welcome", ...options, handler: expect.any(Function) },
    ]);
  });

  it("C109 has the defaults of queues for missing options", () => {
    expect(Object.keys(open({ payload }).defined[0] ?? {})).toEqual(["name", "handler"]);
  });

  it("C109 passes the validated payload and the context to the handler", async () => {
    const { run, handled } = open({ payload });
    await run({ payload: { userId: 1, since: "30" } });
    expect(handled).toEqual([[{ userId: 1, since: 30 }, { name: "the context" }]]);
  });

  it("C109 fails a job for good if its payload is invalid, without running the handler", async () => {
    const { run, handled } = open({ payload });
    const ended = run({ payload: { userId: "1" } });
    await expect(ended).rejects.toThrow(UnrecoverableError);
    await expect(ended).rejects.toThrow(/^The payload of the job welcome is invalid: userId: Invalid input/);
    expect(handled).toEqual([]);
  });

  it("C109 runs a job without data, if the payload is optional", async () => {
    const { run, handled } = open({ payload: z.string().optional() });
    await run(null);
    expect(handled).toEqual([[undefined, { name: "the context" }]]);
  });
});

describe("sending a job", () => {
  it("C109 stores the payload as it was given, in the open transaction", async () => {
    const { job, jobs, sent } = open({ payload });
    expect(await jobs.send(job, { userId: 1, since: "30" }, { key: "a" })).toBe("an id");
    const data = { payload: { userId: 1, since: "30" } };
    expect(sent).toEqual([["welcome", { data, key: "a" }, { transaction: "the open transaction" }]]);
  });

  it("C109 uses a given transaction", async () => {
    const { job, jobs, sent } = open({ payload });
    await jobs.send(job, { userId: 1 }, { transaction: "another one" as never });
    expect(sent).toEqual([["welcome", { data: { payload: { userId: 1 } } }, { transaction: "another one" }]]);
  });

  it("C109 stores nothing for a payload that is undefined", async () => {
    const { job, jobs, sent } = open({ payload: z.string().optional() });
    await jobs.send(job, undefined);
    expect(sent).toStrictEqual([["welcome", { data: {} }, { transaction: "the open transaction" }]]);
  });

  it.each<readonly [string, z.ZodType, unknown, string | RegExp]>([
    ["violates the schema in a field", payload, { userId: "1" }, /: userId: Invalid input: expected number/],
    ["violates the schema as a whole", z.string(), 1, /: Invalid input: expected string/],
    ["cannot be JSON", z.any(), 1n, /: Do not know how to serialize a BigInt/],
    ["contains U+0000", z.any(), { text: "a\0" }, /: A text contains the character U\+0000/],
    ["has U+0000 in a key", z.any(), { "a\0": 1 }, /: A text contains the character U\+0000/],
    ["contains an unpaired surrogate", z.any(), ["\ud800"], /: A text contains .* an unpaired surrogate/],
  ])("C109 rejects a payload that %s", async (_, schema, given, message) => {
    const { job, jobs, sent } = open({ payload: schema });
    const sending = jobs.send(job, given);
    await expect(sending).rejects.toThrow(TypeError);
    await expect(sending).rejects.toThrow(message);
    expect(sent).toEqual([]);
  });

  it("C109 rejects a job of another service", async () => {
    const { job, jobs } = open({ payload });
    const other = toJob({ ...job, name: "goodbye" });
    await expect(jobs.send(other, { userId: 1 })).rejects.toThrow(
      "The job goodbye is not one of this service. Move it to src/jobs/goodbye.job.ts.",
    );
  });
});

describe("the schedules of jobs", () => {
  it("C109 have the stored payload", async () => {
    const schedule = { cron: "0 3 * * *", timeZone: "Europe/Berlin", payload: { userId: 1 } };
    expect(await open({ payload, schedule }).jobs.schedules()).toEqual(
      new Map([["welcome", { cron: "0 3 * * *", timeZone: "Europe/Berlin", data: { payload: { userId: 1 } } }]]),
    );
  });

  it("C109 do not exist for jobs without one", async () => {
    expect(await open({ payload }).jobs.schedules()).toEqual(new Map());
  });
});

describe("an invalid schedule", () => {
  it.each([
    ["* * * *", "has 4 fields. Use five: minute, hour, day of the month, month, day of the week."],
    ["0 0 3 * * *", "has 6 fields. Use five:"],
    ["0 3 L * *", "has an invalid day of the month: L."],
    ["0 3 31 2 *", "never occurs."],
  ])("C141 prevents startup: %s", (cron, message) => {
    expect(() => open({ payload: z.undefined(), schedule: { cron } })).toThrow(StartupError);
    expect(() => open({ payload: z.undefined(), schedule: { cron } })).toThrow(
      `jobs/welcome.job: schedule.cron: The cron expression ${JSON.stringify(cron)} ${message}`,
    );
  });

  it("C141 prevents startup in an ordered job, which needs keys", () => {
    const schedule = { cron: "0 3 * * *" };
    expect(() => open({ payload: z.undefined(), schedule, ordered: true })).toThrow(
      "jobs/welcome.job: schedule and ordered cannot be combined: jobs of a schedule have no key.",
    );
  });
});

describe("a job that is sent in the open transaction", () => {
  it("C109 wakes its queue after the commit, and not before", async () => {
    const { job, jobs, committed, woken } = open({ payload });
    await jobs.send(job, { userId: 1 });
    expect([committed.length, woken]).toEqual([1, []]);
    committed[0]?.();
    expect(woken).toEqual(["welcome"]);
    await jobs.send(job, { userId: 1 }, { transaction: "a given one" as never });
    expect(committed).toHaveLength(1);
  });
});

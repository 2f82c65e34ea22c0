import { randomBytes } from "node:crypto";
import type { Change } from "@servicekit/changes";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { ChangeConsumer, Queues, RunningJob } from "../src/index.js";
import { dispatcherParts, openDatabase, openShop, type Shop } from "./open-shop.js";

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(inject("postgresUrl"));
});
afterAll(() => shop?.close());

const deadline = { timeout: 120_000 };
const jobsOf: ChangeConsumer["jobsOf"] = ({ id, key, after }) => [
  { queue: "seen", key, data: { change: String(id), name: after?.name } },
];
const addCustomer = async (name: string): Promise<number> => {
  const { id } = await shop.database.of("Customer").create({ data: { name }, select: { id: true } });
  return id as number;
};
/** Transactions of other databases of the same server delay the reader. */
const dispatchAll = async (dispatcher: { dispatch(): Promise<number> }, changes: number): Promise<void> => {
  let passed = 0;
  await vi.waitUntil(async () => {
    passed += await dispatcher.dispatch();
    return passed >= changes;
  }, deadline);
};

describe("the hand-over of changes", () => {
  it("C110 makes jobs of each committed change, once for each consumer, and of none that was rolled back", async () => {
    const queues = shop.queues({ schema: "hand_over" });
    const ran: RunningJob[] = [];
    queues.define({ name: "seen", ordered: true, handler: (job) => void ran.push(job) });
    const consumers = ["first", "second"].map((consumer) => ({
      name: consumer,
      jobsOf: ({ key, after }: Change) => [{ queue: "seen", key, data: { consumer, name: after?.name } }],
    }));
    await addCustomer("before the first start");
    const dispatcher = shop.dispatcher(queues, consumers, { intervalMs: 50 });
    await dispatcher.start();
    await queues.run();
    const id = await addCustomer("Ann");
    for (const name of ["Anna", "Hanna"])
      await shop.database.of("Customer").update({ where: { id }, data: { name }, select: { id: true } });
    await shop.database
      .transaction(async (inside) => {
        await inside.of("Customer").create({ data: { name: "rolled back" }, select: { id: true } });
        throw new Error("no");
      })
      .catch(() => undefined);
    const other = await addCustomer("Bo");
    await vi.waitUntil(() => ran.length >= 8, deadline);
    for (const consumer of ["first", "second"]) {
      const seen = ran.filter(({ data }) => Reflect.get(data, "consumer") === consumer);
      const names = (key: number) =>
        seen.filter((job) => job.key === String(key)).map(({ data }) => Reflect.get(data, "name"));
      expect([names(id), names(other), seen.length]).toEqual([["Ann", "Anna", "Hanna"], ["Bo"], 4]);
    }
    expect(new Set(ran.map((job) => job.id)).size).toBe(8);
    expect((await dispatcher.lag()).toSorted((a, b) => a.consumer.localeCompare(b.consumer))).toEqual([
      { consumer: "first", changes: 0, seconds: 0 },
      { consumer: "second", changes: 0, seconds: 0 },
    ]);
    await dispatcher.stop();
    await queues.close();
  });

  it("C110 C115 passes each change once while several processes hand over", async () => {
    const others = [1, 2, 3].map(() => ({
      ...openDatabase(shop.url),
      queues: shop.queues({ schema: "hand_over_many" }),
    }));
    const dispatchers = others.map(({ database, client, queues }) => {
      queues.define({ name: "seen", handler: () => undefined });
      const parts = { ...dispatcherParts(database, client), intervalMs: 1 };
      return shop.dispatcher(queues, [{ name: "many", jobsOf }], parts);
    });
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.start()));
    for (let n = 0; n < 40; n++) {
      await addCustomer(`n${n}`);
      // The next one takes over.
      if (n === 20) await dispatchers[0]?.stop();
    }
    await expect.poll(async () => (await dispatchers[1]?.lag())?.[0]?.changes, deadline).toBe(0);
    expect((await others[0]?.queues.counts())?.[0]?.queued).toBe(40);
    for (const dispatcher of dispatchers) await dispatcher.stop();
    for (const { database, queues } of others) {
      await queues.close();
      await database.disconnect();
    }
  });

  it("C110 repeats changes whose jobs could not be stored, and stores none twice", async () => {
    const queues = shop.queues({ schema: "hand_over_again" });
    queues.define({ name: "seen", handler: () => undefined });
    let failures = 2;
    const dispatcher = shop.dispatcher(queues, [{ name: "again", jobsOf }], {
      queues: {
        ...queues,
        sendForChanges: async (...given: Parameters<Queues["sendForChanges"]>) => {
          await queues.sendForChanges(...given);
          if (failures-- > 0) throw new Error("lost");
        },
      },
    });
    await dispatcher.start();
    await addCustomer("Cy");
    await addCustomer("Di");
    await vi.waitUntil(async () => (await dispatcher.lag())[0]?.changes === 0, deadline);
    expect((await queues.counts())[0]?.queued).toBe(2);
    expect(failures).toBeLessThan(0);
    expect(shop.log.lines).toContainEqual(
      expect.objectContaining({ level: "error", message: "changes could not be handed over; this is repeated" }),
    );
    await dispatcher.stop();
    await queues.close();
  });

  it("C150 sets a change aside for which a consumer throws, hands over all others, and tries it again", async () => {
    const queues = shop.queues({ schema: "hand_over_beside" });
    queues.define({ name: "seen", handler: () => undefined });
    const passed: string[] = [];
    let isBroken = true;
    const dispatcher = shop.dispatcher(queues, [
      {
        name: "picky",
        jobsOf: (change) => {
          if (isBroken && change.after?.name === "Fay") throw new Error("broken");
          passed.push(`picky ${change.after?.name}`);
          return jobsOf(change);
        },
      },
      {
        name: "beside",
        jobsOf: (change) => {
          passed.push(`beside ${change.after?.name}`);
          return jobsOf(change);
        },
      },
    ]);
    await dispatcher.start();
    await queues.run();
    for (const name of ["Eve", "Fay", "Gil"]) await addCustomer(name);
    await vi.waitUntil(async () => (await dispatcher.lag()).every(({ changes }) => changes === 0), deadline);
    const setAside = await queues.failed("changes.set-aside", { limit: 10 });
    expect(setAside).toMatchObject([{ key: expect.stringMatching(/^Customer \d+$/), error: "broken" }]);
    expect(shop.log.lines.map(({ message }) => message)).toContain(
      "a change could not be handed over and was set aside; service jobs lists it, and can try it again",
    );
    expect(passed.toSorted()).toEqual(["beside Eve", "beside Fay", "beside Gil", "picky Eve", "picky Gil"]);
    // Retention deletes no change that is set aside.
    expect(await queues.firstNeededChange()).toBe(BigInt(Reflect.get(setAside[0]?.data ?? {}, "changeId")));
    isBroken = false;
    expect(await queues.retryFailed("changes.set-aside")).toBe(1);
    await vi.waitUntil(() => passed.includes("picky Fay"), deadline);
    await expect.poll(() => queues.firstNeededChange(), deadline).toBeUndefined();
    await dispatcher.stop();
    await queues.close();
  });

  it("C110 makes jobs of rows with long keys, in their order", async () => {
    const queues = shop.queues({ schema: "hand_over_long" });
    const ran: unknown[] = [];
    queues.define({ name: "seen", ordered: true, handler: ({ changeId }) => void ran.push(changeId) });
    const long = randomBytes(2_010).toString("base64");
    const dispatcher = shop.dispatcher(queues, [{ name: "long", jobsOf: () => [{ queue: "seen", key: long }] }]);
    await dispatcher.start();
    await queues.run();
    for (const name of ["Kim", "Lou"]) await addCustomer(name);
    await vi.waitUntil(() => ran.length === 2, deadline);
    expect(ran).toEqual([...ran].sort());
    await dispatcher.stop();
    await queues.close();
  });

  it("C150 repeats a batch while a consumer cannot be prepared", async () => {
    const queues = shop.queues({ schema: "hand_over_throws" });
    queues.define({ name: "seen", handler: () => undefined });
    let isBroken = true;
    const passed: Change[] = [];
    const dispatcher = shop.dispatcher(queues, [
      {
        name: "throws",
        prepare: async () => {
          if (isBroken) throw new Error("unavailable");
        },
        jobsOf: (change) => {
          passed.push(change);
          return jobsOf(change);
        },
      },
    ]);
    // Its position.
    await dispatcher.start();
    await dispatcher.stop();
    const id = await addCustomer("Ed");
    await vi.waitUntil(
      () =>
        dispatcher.dispatch().then(
          () => false,
          (error: Error) => error.message === "unavailable",
        ),
      deadline,
    );
    expect((await queues.counts())[0]?.queued).toBe(0);
    isBroken = false;
    await dispatchAll(dispatcher, 1);
    expect(passed).toMatchObject([{ model: "Customer", key: String(id), operation: "create", after: { name: "Ed" } }]);
    await queues.close();
  });

  it("C150 sets a single change aside that could not be stored five times", async () => {
    const queues = shop.queues({ schema: "hand_over_unstorable" });
    queues.define({ name: "seen", handler: () => undefined });
    const dispatcher = shop.dispatcher(queues, [{ name: "unstorable", jobsOf }], {
      intervalMs: 1,
      queues: {
        ...queues,
        sendForChanges: async (jobs: Parameters<Queues["sendForChanges"]>[0], options) => {
          if (jobs.some(({ data }) => Reflect.get(data ?? {}, "name") === "Bad")) throw new Error("cannot be stored");
          await queues.sendForChanges(jobs, options);
        },
      },
    });
    await dispatcher.start();
    await dispatcher.stop();
    for (const name of ["Ann", "Bad", "Cid"]) await addCustomer(name);
    await vi.waitUntil(async () => {
      await dispatcher.dispatch().catch(() => undefined);
      return (await dispatcher.lag())[0]?.changes === 0;
    }, deadline);
    expect((await queues.counts())[0]?.queued).toBe(2);
    expect(await queues.failed("changes.set-aside", { limit: 10 })).toMatchObject([{ error: "cannot be stored" }]);
    await queues.close();
  });

  it("C110 reports how far each consumer is behind, and none before its first start", async () => {
    const queues = shop.queues({ schema: "hand_over_lag" });
    queues.define({ name: "seen", handler: () => undefined });
    const [fast, slow] = ["fast", "slow"].map((name) => ({ name, jobsOf }));
    if (fast === undefined || slow === undefined) throw new Error("Two consumers were made.");
    const others = shop.queues({ schema: "hand_over_lag" });
    others.define({ name: "seen", handler: () => undefined });
    const both = shop.dispatcher(queues, [fast, slow]);
    const one = shop.dispatcher(others, [fast]);
    await addCustomer("Gil");
    expect(await both.lag()).toEqual([]);
    // Their positions.
    await both.start();
    await both.stop();
    for (const name of ["Hal", "Ida"]) await addCustomer(name);
    await dispatchAll(one, 2);
    await one.stop();
    const lagOf = async (consumer: string) => (await both.lag()).find((lag) => lag.consumer === consumer);
    const lag = await lagOf("slow");
    expect(lag?.changes).toBe(2);
    expect(lag?.seconds).toSatisfy((seconds: number) => seconds > 0 && seconds < 300);
    const none = { changes: 0, seconds: 0 };
    expect(await lagOf("fast")).toEqual({ consumer: "fast", ...none });
    await dispatchAll(both, 2);
    expect(await lagOf("slow")).toEqual({ consumer: "slow", ...none });
    await queues.close();
  });

  it.each([
    ["that has handed over earlier ones", true],
    ["that starts with the stored position", false],
  ])("C131 hands over new changes after TRUNCATE … RESTART IDENTITY, in a process %s", async (_name, isSame) => {
    const queues = shop.queues({ schema: isSame ? "hand_over_truncated" : "hand_over_truncated_start" });
    const names: unknown[] = [];
    queues.define({ name: "seen", ordered: true, handler: ({ data }) => void names.push(Reflect.get(data, "name")) });
    const consumer = { name: isSame ? "truncated" : "truncated start", jobsOf };
    const dispatcher = shop.dispatcher(queues, [consumer]);
    // Its position.
    await dispatcher.start();
    await dispatcher.stop();
    const count = 5;
    for (let index = 0; index < count; index++) await addCustomer(`before ${index}`);
    await dispatchAll(dispatcher, count);
    await shop.sql(`TRUNCATE "Change" RESTART IDENTITY`);
    const [row] = await shop.sql(`SELECT "lastId" FROM "ChangePosition" WHERE name = '${consumer.name}'`);
    // In a process that remembers the change of its position, also more than were lost.
    const added = isSame ? Number(row?.lastId) + 3 : 2;
    for (let index = 0; index < added; index++) await addCustomer(`after ${index}`);
    const others = shop.queues({ schema: isSame ? "hand_over_truncated" : "hand_over_truncated_start" });
    others.define({ name: "seen", ordered: true, handler: () => undefined });
    // The other one has the leadership.
    if (!isSame) await dispatcher.stop();
    await dispatchAll(isSame ? dispatcher : shop.dispatcher(others, [consumer]), added);
    await queues.run();
    await vi.waitUntil(() => names.length >= count + added, deadline);
    expect(names.filter((one) => String(one).startsWith("after")).sort()).toEqual(
      Array.from({ length: added }, (_, index) => `after ${index}`).sort(),
    );
    expect(names).toHaveLength(count + added);
    await dispatcher.stop();
    await queues.close();
  });

  it("C110 looks for changes when it is signalled", async () => {
    const queues = shop.queues({ schema: "hand_over_signal" });
    const ran: RunningJob[] = [];
    queues.define({ name: "seen", handler: (job) => void ran.push(job) });
    const listeners = new Set<() => void>();
    const dispatcher = shop.dispatcher(queues, [{ name: "signal", jobsOf }], {
      intervalMs: 2 ** 40,
      onSignal: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    await dispatcher.start();
    await queues.run();
    await addCustomer("Flo");
    await vi.waitUntil(() => {
      for (const listener of listeners) listener();
      return ran.length > 0;
    }, deadline);
    await dispatcher.stop();
    expect(listeners.size).toBe(0);
    await queues.close();
  });
});

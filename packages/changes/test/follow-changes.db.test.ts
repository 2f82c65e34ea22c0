import { randomInt } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, inject, it, vi } from "vitest";
import {
  type Change,
  type ChangeFollower,
  type ChangeFollowerOptions,
  type ChangeSignal,
  type LogPosition,
  makeChangeFollower,
  makeChangeSignal,
  readChangeModel,
} from "../src/index.js";
import { type OpenOrders, type Orders, openOrders } from "./open-orders.js";

let orders: Orders;
let open: OpenOrders;
let signal: ChangeSignal | undefined;
beforeAll(async () => {
  orders = await openOrders(inject("postgresUrl"), () => ({ actor: "system" }));
  open = await orders.open("auto", { poolSize: 24, onCommit: () => signal?.committed() });
});
afterAll(() => orders?.close());

const patience = 120_000;
const customer = () => orders.models.get("Customer") as never;
const followers: ChangeFollower[] = [];
const endings: AbortController[] = [];
afterEach(async () => {
  for (const ending of endings.splice(0)) ending.abort();
  await Promise.all(followers.splice(0).map((follower) => follower.close()));
  await signal?.close();
});

function start(buffer: ChangeFollowerOptions["buffer"] = {}) {
  const { client, connections, database } = open;
  signal = makeChangeSignal({ client, connections, warn: () => undefined });
  const reader = open.reader();
  const read = vi.spyOn(reader, "read");
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const model = readChangeModel(orders.models);
  if (model === undefined) throw new Error("The schema has the model Change.");
  const follower = makeChangeFollower({ database, model, reader, signal, onError, buffer });
  followers.push(follower);
  return { follower, read, errors };
}

/** Follows until it is aborted. */
function subscribe(
  follower: ChangeFollower,
  after?: LogPosition,
  onBatch: () => Promise<void> = async () => undefined,
) {
  const ending = new AbortController();
  endings.push(ending);
  const part: Change[] = [];
  const received: Change[] = [];
  const positions: LogPosition[] = [];
  const resets: LogPosition[] = [];
  const done = (async () => {
    const subscription = follower.follow({ model: customer(), signal: ending.signal });
    for (let position = after; ; ) {
      const batch = await subscription.next(position);
      if (batch === undefined) return;
      // A subscriber that leaves in the middle of a summary receives its parts again.
      part.push(...batch.changes.filter(({ model }) => model === "Customer"));
      position = batch.last ?? position;
      if (batch.last !== undefined) {
        received.push(...part.splice(0));
        positions.push(batch.last);
      }
      if (batch.isReset && batch.last !== undefined) resets.push(batch.last);
      await onBatch();
    }
  })();
  return { received, positions, resets, done, stop: () => ending.abort() };
}

const create = (name: string) => open.database.of("Customer").create({ data: { name }, select: { id: true } });
const stored = (after: bigint) =>
  open.database.of("Change").findMany({
    where: { id: { gt: after }, model: "Customer" },
    orderBy: [{ id: "asc" }],
    select: { id: true },
  });
const idsOf = (changes: readonly { readonly id?: unknown }[]) => changes.map(({ id }) => id);

it("C111 subscribers of a follower receive each committed change once and in order, while 20 clients write and subscribers come and go", async () => {
  await create("before");
  const { follower, errors } = start({ changes: 10 });
  const first = subscribe(follower);
  await vi.waitUntil(() => first.positions.length > 0, patience);
  const begin = first.positions[0] as LogPosition;
  let isWriting = true;
  const writer = async (name: number): Promise<void> => {
    for (let round = 0; round < 8; round++) {
      await open.database
        .transaction(
          async (inside) => {
            await inside.of("Customer").create({ data: { name: `${name}.${round}` } });
            for (let pause = randomInt(8); pause > 0; pause--) await inside.of("Customer").count({});
            await inside.of("Customer").create({ data: { name: `${name}.${round}.` } });
            if (randomInt(4) === 0) throw new Error("rolled back");
          },
          { timeoutMs: patience },
        )
        .catch((error: Error) => expect(error.message).toBe("rolled back"));
    }
  };
  /** Leaves after a few batches, and continues where it was. */
  const resuming: { readonly received: Change[]; last: LogPosition } = { received: [], last: begin };
  const resume = async (): Promise<void> => {
    while (isWriting) {
      let left = 1 + randomInt(3);
      const part = subscribe(follower, resuming.last, async () => {
        if (left-- === 0) part.stop();
      });
      await Promise.race([part.done, vi.waitUntil(() => !isWriting, { timeout: patience, interval: 10 })]);
      part.stop();
      await part.done;
      resuming.received.push(...part.received);
      resuming.last = part.positions.at(-1) ?? resuming.last;
    }
  };
  const slow = subscribe(follower, undefined, async () => void (await open.database.of("Customer").count({})));
  await vi.waitUntil(() => slow.positions.length > 0, patience);
  const slowBegin = slow.positions[0] as LogPosition;
  const coming = resume();
  await Promise.all(Array.from({ length: 20 }, (_, name) => writer(name)));
  const expected = await stored(begin.id);
  expect(expected.length).toBeGreaterThan(100);
  isWriting = false;
  await coming;
  const rest = subscribe(follower, resuming.last);
  const all = [
    [expected, () => first.received],
    [expected.filter(({ id }) => (id as bigint) > slowBegin.id), () => slow.received],
    [expected, () => [...resuming.received, ...rest.received]],
  ] as const;
  for (const [changes, received] of all) {
    await vi.waitUntil(() => received().length >= changes.length, patience);
    expect(idsOf(received())).toEqual(idsOf(changes));
  }
  expect(errors).toEqual([]);
});

it("C111 a follower reads each change once for all of its subscribers, and returns them the same batch", async () => {
  const { follower, read } = start();
  const batches = new Set<object>();
  const received: number[] = [];
  const endings = Array.from({ length: 50 }, () => new AbortController());
  const all = endings.map(async ({ signal }, index) => {
    received[index] = 0;
    const subscription = follower.follow({ model: customer(), signal });
    let position: LogPosition | undefined;
    for (let batch = await subscription.next(); batch !== undefined; batch = await subscription.next(position)) {
      position = batch.last;
      if (batch.changes.length === 0) received[index] = 1;
      else {
        batches.add(batch);
        received[index] = (received[index] ?? 0) + batch.changes.length;
      }
    }
  });
  await vi.waitUntil(() => received.every((count) => count === 1), patience);
  for (const name of ["a", "b", "c"]) await create(name);
  await vi.waitUntil(() => received.every((count) => count === 4), patience);
  const found = await Promise.all(read.mock.results.map(({ value }) => value as Promise<readonly Change[]>));
  expect(found.flat()).toHaveLength(3);
  expect(batches.size).toBe(found.filter(({ length }) => length > 0).length);
  for (const ending of endings) ending.abort();
  await Promise.all(all);
});

/** The position after the newest change. */
const newest = async (): Promise<LogPosition> => {
  const select = { id: true, transaction: true, time: true };
  const [row] = await open.database.of("Change").findMany({ orderBy: [{ id: "desc" }], take: 1, select });
  return row as unknown as LogPosition;
};
const statesOf = (changes: readonly Change[]) =>
  changes.map(({ before, after }) => [before, after].map((state) => state?.name ?? null));

it("C130 a follower resets subscribers whose position is not a change of the log", async () => {
  const { follower } = start();
  await create("a");
  const last = await newest();
  const positions: readonly LogPosition[] = [
    { ...last, id: last.id + 1_000n },
    { ...last, id: 0n },
    { ...last, transaction: last.transaction + 1n },
    { ...last, time: new Date(last.time.getTime() + 1) },
  ];
  for (const position of positions) {
    const one = subscribe(follower, position);
    await vi.waitUntil(() => one.positions.length > 0, patience);
    expect([one.resets, one.received]).toEqual([[last], []]);
  }
  const known = subscribe(follower, last);
  await create("b");
  await vi.waitUntil(() => known.received.length === 1, patience);
  expect(known.resets).toEqual([]);
});

it("C130 a follower summarizes the changes that were committed before the subscription", async () => {
  const { follower } = start();
  const customers = open.database.of("Customer");
  const { id } = await create("old");
  const position = await newest();
  const where = { id: id as never };
  await customers.update({ where, data: { name: "overwritten" } });
  await customers.update({ where, data: { name: "new" } });
  const removed = await create("created and deleted");
  await customers.delete({ where: { id: removed.id as never } });
  await create("created");
  const resumed = subscribe(follower, position);
  await vi.waitUntil(() => resumed.positions.length > 0, patience);
  expect(statesOf(resumed.received)).toEqual([
    ["old", "new"],
    [null, null],
    [null, "created"],
  ]);
  // Afterwards it receives each change.
  await customers.update({ where, data: { name: "newer" } });
  await customers.update({ where, data: { name: "newest" } });
  await vi.waitUntil(() => resumed.received.length === 5, patience);
  expect(statesOf(resumed.received.slice(3))).toEqual([
    ["new", "newer"],
    ["newer", "newest"],
  ]);
});

it("C130 a new subscriber receives no state that was overwritten before it, while an older transaction delays the changes", async () => {
  const { follower } = start();
  const other = subscribe(follower);
  await vi.waitUntil(() => other.positions.length > 0, patience);
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const customers = open.database.of("Customer");
  const { id } = await create("first");
  await vi.waitUntil(() => other.received.length === 1, patience);
  let isOpen = false;
  const delaying = open.database.transaction(
    async (inside) => {
      await inside.of("Customer").create({ data: { name: "delaying" } });
      isOpen = true;
      await ended;
    },
    { timeoutMs: patience },
  );
  await vi.waitUntil(() => isOpen, patience);
  const where = { id: id as never };
  await customers.update({ where, data: { name: "secret" } });
  await customers.update({ where, data: { name: "public" } });
  const late = subscribe(follower);
  await vi.waitUntil(() => late.positions.length > 0, patience);
  end();
  await delaying;
  await create("after");
  await vi.waitUntil(() => late.received.length === 2 && other.received.length === 5, patience);
  // The others are in a list that is read after its first batch.
  expect(statesOf(late.received)).toEqual([
    [null, "delaying"],
    [null, "after"],
  ]);
  expect(statesOf(other.received)).toContainEqual(["first", "secret"]);
});

it("C130 a follower resets a subscriber whose gap contains a row with another key, or too many changes", async () => {
  const { follower } = start();
  const { id } = await create("a");
  const position = await newest();
  await open.database.of("Customer").update({ where: { id: id as never }, data: { id: (id as number) + 100_000 } });
  const moved = subscribe(follower, position);
  await vi.waitUntil(() => moved.positions.length > 0, patience);
  expect([moved.resets.length, moved.received]).toEqual([1, []]);
  const from = await newest();
  await open.client.$executeRawUnsafe(
    `INSERT INTO "Change" (model, key, operation, actor, after) SELECT 'Customer', n::text, 'create', 'system', '{}' FROM generate_series(1, 10001) AS n`,
  );
  signal?.committed();
  const many = subscribe(follower, from);
  await vi.waitUntil(() => many.positions.length > 0, patience);
  expect([many.resets.length, many.received]).toEqual([1, []]);
});

it.each([
  [
    "TRUNCATE … RESTART IDENTITY",
    async (): Promise<void> => void (await open.client.$executeRawUnsafe(`TRUNCATE "Change" RESTART IDENTITY`)),
    4,
  ],
  [
    "a failover that lost the last changes",
    async (): Promise<void> => {
      const { id } = await newest();
      await open.client.$executeRawUnsafe(`DELETE FROM "Change" WHERE id > ${id - 3n}`);
      await open.client.$executeRawUnsafe(`SELECT setval(pg_get_serial_sequence('"Change"', 'id'), ${id - 3n})::text`);
    },
    6,
  ],
] as const)(
  "C131 a follower resets its subscribers after %s, and returns the changes after it",
  async (_name, lose, changes) => {
    const { follower, errors } = start();
    const one = subscribe(follower);
    await vi.waitUntil(() => one.positions.length > 0, patience);
    for (const name of ["a", "b", "c", "d"]) await create(name);
    await vi.waitUntil(() => one.received.length === 4, patience);
    await lose();
    // As many as were lost, and more: one of them gets the id of the position.
    for (let count = 0; count < changes; count++) await create(`lost ${count}`);
    await vi.waitUntil(() => one.resets.length === 1, patience);
    await create("after");
    await vi.waitUntil(() => one.received.at(-1)?.after?.name === "after", patience);
    expect([one.resets.length, errors]).toEqual([1, []]);
  },
);

it("C111 a follower returns each of two changes as soon as an older transaction has ended", async () => {
  const { follower, read } = start();
  const one = subscribe(follower);
  await vi.waitUntil(() => one.positions.length > 0, patience);
  const other = await orders.open("auto");
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let isOpen = false;
  const older = other.database.transaction(
    async (inside) => {
      await (inside.client as typeof open.client).$queryRawUnsafe("SELECT pg_current_xact_id()::text");
      isOpen = true;
      await ended;
    },
    { timeoutMs: patience },
  );
  await vi.waitUntil(() => isOpen, patience);
  /** Waits until the log was read again, and the changes wait for the transaction. */
  const readAgain = async (): Promise<void> => {
    const reads = read.mock.settledResults.length;
    await vi.waitUntil(() => read.mock.settledResults.length > reads + 1, patience);
  };
  await create("a");
  await readAgain();
  await create("b");
  await readAgain();
  end();
  await older;
  await vi.waitUntil(() => one.received.length === 1, patience);
  await vi.waitUntil(() => one.received.length === 2, { timeout: 5_000, interval: 20 });
});

it("C111 a follower ends its subscribers when it is closed", async () => {
  const { follower, errors } = start();
  const one = subscribe(follower);
  await vi.waitUntil(() => one.positions.length > 0, patience);
  await follower.close();
  await one.done;
  await subscribe(follower).done;
  expect(errors).toEqual([]);
});

it("C111 a follower reports failed reads and continues after them", async () => {
  const { follower, read, errors } = start();
  const one = subscribe(follower);
  await vi.waitUntil(() => one.positions.length > 0, patience);
  read.mockRejectedValueOnce(new Error("no connection"));
  await create("a");
  await vi.waitUntil(() => one.received.length === 1, patience);
  expect(errors).toEqual([new Error("no connection")]);
});

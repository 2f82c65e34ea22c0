import { randomInt } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, inject, it, vi } from "vitest";
import {
  type Change,
  type ChangeFollower,
  type ChangeFollowerOptions,
  type ChangeSignal,
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
function subscribe(follower: ChangeFollower, after?: bigint, onBatch: () => Promise<void> = async () => undefined) {
  const ending = new AbortController();
  endings.push(ending);
  const received: Change[] = [];
  const positions: bigint[] = [];
  const done = (async () => {
    for await (const { changes, last } of follower.follow({ model: customer(), after, signal: ending.signal })) {
      received.push(...changes.filter(({ model }) => model === "Customer"));
      positions.push(last);
      await onBatch();
    }
  })();
  return { received, positions, done, stop: () => ending.abort() };
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
  const [begin = 0n] = first.positions;
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
  const resuming: { readonly received: Change[]; last: bigint } = { received: [], last: begin };
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
  const [slowBegin = 0n] = slow.positions;
  const coming = resume();
  await Promise.all(Array.from({ length: 20 }, (_, name) => writer(name)));
  const expected = await stored(begin);
  expect(expected.length).toBeGreaterThan(100);
  isWriting = false;
  await coming;
  const rest = subscribe(follower, resuming.last);
  const all = [
    [expected, () => first.received],
    [expected.filter(({ id }) => (id as bigint) > slowBegin), () => slow.received],
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
    for await (const batch of follower.follow({ model: customer(), signal })) {
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

it("C111 a follower knows which positions the log contains", async () => {
  const { follower } = start();
  await create("a");
  const last = (await stored(0n)).at(-1)?.id as bigint;
  expect(await follower.contains(last)).toBe(true);
  expect(await follower.contains(last + 1000n)).toBe(false);
  expect(await follower.contains(0n)).toBe(false);
  expect(await follower.contains(last, new Date(0))).toBe(true);
  expect(await follower.contains(last, new Date(Date.now() + 3_600_000))).toBe(false);
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

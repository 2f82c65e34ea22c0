import { expect, it } from "vitest";
import { makeMessageSource, type RecordedChange } from "../src/index.js";

const change = (id: bigint, transaction: bigint, title = ""): RecordedChange => ({
  ...{ id, transaction, time: new Date(4), model: "Order", key: "1", operation: "create", before: null },
  after: { title },
});

function sourceOf(changes: Map<bigint, RecordedChange>) {
  const reads: bigint[] = [];
  const source = makeMessageSource(async (id) => {
    reads.push(id);
    return changes.get(id);
  });
  return { source, reads };
}

it("C112 endpoints share the message about a change", async () => {
  const { source, reads } = sourceOf(new Map([[7n, change(7n, 1n)]]));
  const messages = await Promise.all([1, 2, 3].map(() => source.find(7n, () => true)));
  expect(new Set(messages).size).toBe(1);
  expect(messages[0]?.event).toBe("evt_7_1_4");
  expect(reads).toEqual([7n]);
});

it("C112 messages that are not used any more leave the memory", async () => {
  const title = "x".repeat(8_000_000);
  const { source, reads } = sourceOf(new Map([1n, 2n, 3n].map((id) => [id, change(id, id, title)])));
  for (const id of [1n, 2n, 3n, 3n, 1n]) await source.find(id, () => true);
  expect(reads).toEqual([1n, 2n, 3n, 1n]);
});

it("C131 no endpoint receives another change whose id the log has assigned again", async () => {
  const changes = new Map([[7n, change(7n, 1n)]]);
  const { source } = sourceOf(changes);
  const ofTransaction = (transaction: bigint) => source.find(7n, (found) => found.transaction === transaction);
  expect((await ofTransaction(1n))?.event).toBe("evt_7_1_4");
  changes.set(7n, change(7n, 2n));
  expect((await ofTransaction(2n))?.event).toBe("evt_7_2_4");
  expect(await ofTransaction(1n)).toBeUndefined();
  expect((await ofTransaction(2n))?.event).toBe("evt_7_2_4");
});

it("C112 a failed read is repeated by the next attempt", async () => {
  let isBroken = true;
  const source = makeMessageSource(async (id) => {
    if (isBroken) throw new Error("unavailable");
    return change(id, 1n);
  });
  await expect(source.find(7n, () => true)).rejects.toThrow("unavailable");
  isBroken = false;
  expect((await source.find(7n, () => true))?.event).toBe("evt_7_1_4");
});

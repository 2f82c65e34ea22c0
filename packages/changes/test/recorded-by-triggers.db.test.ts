import fs from "node:fs";
import path from "node:path";
import type { Model } from "@servicekit/prisma";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Change, type LogPosition, makeChangeFollower, makeRowHistory } from "../src/index.js";
import { kindValues } from "./kind-values.js";
import { type OpenOrders, type Orders, openOrders } from "./open-orders.js";

let orders: Orders;
let open: OpenOrders;
beforeAll(async () => {
  orders = await openOrders(inject("postgresUrl"), () => ({ actor: "system" }));
  open = await orders.open("auto");
  // A position before the changes of each test.
  await open.database.of("Customer").create({ data: { name: "first" } });
});
afterAll(() => orders?.close());

/** Replaces the recorded states of existing rows by what a trigger records with `to_jsonb`. */
const recordByTrigger = () =>
  open.client.$executeRawUnsafe(
    `UPDATE "Change" AS c SET after = to_jsonb(k) FROM "Kind" AS k WHERE c.model = 'Kind' AND c.key = k.id::text`,
  );

describe("C106 a state that a trigger has recorded with to_jsonb", () => {
  it.each(kindValues)("is read in the form of a response: %s", async (_name, data) => {
    const { database } = open;
    const model = orders.models.get("Change") as Model;
    const kind = orders.models.get("Kind") as Model;
    const { id } = await database.of("Kind").create({ data, select: { id: true } });
    const history = makeRowHistory({ database, model });
    const [made] = (await history.read(kind, String(id), { limit: 1 })).changes;
    const { id: position, after } = made as Change;
    expect(after).not.toBeNull();
    expect(await recordByTrigger()).toBeGreaterThan(0);

    expect((await history.read(kind, String(id), { limit: 1 })).changes[0]?.after).toEqual(after);
    const reader = open.reader();
    // Transactions of other tests delay it.
    await expect.poll(async () => (await reader.read(position - 1n, 1))[0]?.after).toEqual(after);
    const ending = new AbortController();
    const signal = { onSignal: () => () => undefined };
    const follower = makeChangeFollower({
      database,
      model,
      reader,
      signal,
      onError: (error) => expect.fail(`${error}`),
    });
    try {
      const previous = await database.of(model).findMany({
        ...{ where: { id: { lt: position } }, orderBy: [{ id: "desc" }], take: 1 },
        select: { id: true, transaction: true, time: true },
      });
      const [from] = previous as unknown as readonly LogPosition[];
      const batch = await follower.follow({ model: kind, signal: ending.signal }).next(from);
      expect([batch?.isReset, batch?.changes[0]?.after]).toEqual([false, after]);
    } finally {
      ending.abort();
      await follower.close();
    }
  });
});

it("C106 the trigger of the guide records the writes of other programs", async () => {
  const guide = fs.readFileSync(path.join(import.meta.dirname, "../../../docs/guides/changes.md"), "utf8");
  const [, trigger = ""] = /```sql\n(CREATE FUNCTION record_order[^`]*)```/.exec(guide) ?? [];
  const { client, database } = open;
  for (const statement of trigger.split(/(?=^CREATE TRIGGER)/m)) await client.$executeRawUnsafe(statement);
  const { id: customerId } = await database.of("Customer").create({ data: { name: "Ann" }, select: { id: true } });
  const created = { total: "1.50", customerId: customerId as number };
  const { id } = await client.order.create({ data: created });
  await client.order.update({ where: { id }, data: { status: "PAID", tags: ["a"] } });
  await client.order.delete({ where: { id } });
  const history = makeRowHistory({ database, model: orders.models.get("Change") as Model });
  const { changes } = await history.read(orders.models.get("Order") as Model, String(id), { limit: 10 });
  const first = { id, ...created, status: "OPEN", weight: "9007199254740993", tags: [] };
  const second = { ...first, status: "PAID", tags: ["a"] };
  const updatedAt = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/);
  expect(changes.map(({ operation, before, after }) => [operation, before, after])).toEqual([
    ["delete", expect.objectContaining(second), null],
    ["update", expect.objectContaining(first), expect.objectContaining({ ...second, updatedAt })],
    ["create", null, expect.objectContaining({ ...first, updatedAt })],
  ]);
});

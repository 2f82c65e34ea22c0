import type { Database } from "@servicekit/prisma";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { makeChangeRetention, readChangeModel } from "../src/index.js";
import { type OpenOrders, type Orders, openOrders } from "./open-orders.js";

let orders: Orders;
let one: OpenOrders;

beforeAll(async () => {
  orders = await openOrders(inject("postgresUrl"), () => ({ actor: "user:1" }));
  one = await orders.open("auto");
  // 20,000 orders with 10 changes each, of 200 days.
  await one.client.$executeRawUnsafe(`INSERT INTO "Change" (time, model, key, operation, actor)
SELECT now() - (200000 - n) * interval '1 day' / 1000, CASE WHEN n % 4 = 0 THEN 'Line' ELSE 'Order' END, (n % 20000)::text, 'update', 'system'
FROM generate_series(1, 200000) AS n`);
  await one.client.$executeRawUnsafe(`ANALYZE "Change"`);
}, 600_000);
afterAll(() => orders?.close());

it("C108 deletes old changes of 200,000 with statements that use the indexes", { timeout: 600_000 }, async () => {
  const model = readChangeModel(orders.models);
  if (model === undefined) throw new Error("The schema has the model Change.");
  const plans = new Set<string>();
  const { database, client } = one;
  const explain = async (sql: string, values: readonly unknown[]): Promise<void> => {
    const rows = await client.$queryRawUnsafe<readonly Record<string, string>[]>(`EXPLAIN ${sql}`, ...values);
    for (const row of rows) for (const line of Object.values(row)) if (/ Scan /.test(line)) plans.add(line.trim());
  };
  /** The database, which explains each deletion before it. */
  const explaining = {
    transaction: (work: (inside: unknown) => Promise<unknown>) =>
      database.transaction(async (inside) => {
        const query = async (sql: string, ...values: unknown[]): Promise<unknown> => {
          if (sql.startsWith("WITH")) await explain(sql, values);
          return (inside.client as typeof client).$queryRawUnsafe(sql, ...values);
        };
        return work({ client: { $queryRawUnsafe: query } });
      }),
  } as unknown as Database;
  const rules = [{ model: "Order", days: 190, perRow: 8 }];
  const retention = makeChangeRetention({ database: explaining, model, rules, pauseMs: 0 });
  // 10 of 200 days, then the changes of each of the 15,000 orders that are left beyond the latest 8.
  const left = (age: number): string =>
    `SELECT count(*)::int AS n FROM "Change" WHERE model = 'Order' AND time < now() - ${age} * interval '1 day'`;
  expect(await retention.run()).toBeGreaterThan(7_000 + 15_000);
  expect(await client.$queryRawUnsafe(left(190))).toEqual([{ n: 0 }]);
  expect(
    await client.$queryRawUnsafe(
      `SELECT max(n)::int AS n FROM (SELECT count(*) AS n FROM "Change" WHERE model = 'Order' GROUP BY key) AS counts`,
    ),
  ).toEqual([{ n: 8 }]);
  expect([...plans].filter((line) => /Seq Scan on "Change"/.test(line))).toEqual([]);
  const text = [...plans].join("\n");
  expect(text).toContain("Change_model_time_idx");
  expect(text).toContain("Change_model_key_id_idx");
  expect(text).toContain("Change_pkey");
});

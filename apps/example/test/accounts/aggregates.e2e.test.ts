import { makeClient } from "@servicekit/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Api } from "../../src/generated/service/api.js";
import type { Row } from "../api.js";
import { connectAgent } from "../call-mcp.js";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  startAccounts,
} from "./account-shop.js";

describe.each(["static", "dynamic"] as const)("C98 aggregates of orders with %s accounts", (accounts) => {
  let database: AccountDatabase;
  let shop: AccountShop;
  beforeAll(async () => {
    database = await createAccountDatabase();
    shop = await startAccounts({ database, accounts, config: { mcp: {} } });
  });
  afterAll(async () => {
    await shop?.close();
    await database?.drop();
  });

  const aggregate = (who: string | undefined, query: string) =>
    shop.as<{ data: Row[]; errors?: { message: string }[] }>(who, "GET", `/api/orders/aggregate?${query}`);

  it("equal those of PostgreSQL for a superuser", async () => {
    const { status, body } = await aggregate(
      "root",
      "groupBy=status,placedAt:month&count=true&sum=total&timeZone=Europe/Zurich&limit=1000",
    );
    const expected = await database.client.$queryRawUnsafe<Row[]>(`SELECT json_build_object(
        'group', json_build_object('status', replace(upper(status::text), 'SENT-BACK', 'RETURNED'),
          'placedAt:month', to_char(placed_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Zurich', 'YYYY-MM-01')),
        'count', count(*), 'sum', json_build_object('total', sum(total)::text)) AS row
      FROM orders GROUP BY status, to_char(placed_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Zurich', 'YYYY-MM-01')
      ORDER BY status, 1::text`);
    const texts = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(status).toBe(200);
    expect(texts(body.data)).toEqual(texts(expected.map(({ row }) => row)));
  });

  it("count the caller's own rows, and have no fields that the caller may not see", async () => {
    expect((await aggregate(undefined, "count=true")).status).toBe(401);
    const { customerId } = await database.own("ada");
    const own = await database.client.order.aggregate({
      where: { customerId },
      _count: { _all: true },
      _sum: { total: true },
    });
    const { body } = await aggregate("ada", "count=true&sum=total&groupBy=customerId");
    expect(body.data).toEqual([
      { group: { customerId }, count: own._count._all, sum: { total: own._sum.total?.toFixed(2) } },
    ]);
    for (const query of [
      "groupBy=clientIp",
      "countDistinct=clientIp",
      "having[max][clientIp][gt]=10.0.0.1&count=true",
    ]) {
      const rejected = await aggregate("ada", query);
      expect(rejected.status, query).toBe(400);
      expect(rejected.body.errors?.[0]?.message).toBe("Order has no field clientIp.");
    }
  });

  it("are available to the typed client and to AI agents", async () => {
    const authorization = bearer(await shop.tokenOf("ada"));
    const client = makeClient<Api>({ baseUrl: shop.url, headers: authorization });
    const { data, meta } = await client.orders.aggregate({
      groupBy: ["customer.name", "placedAt:year"],
      count: true,
      max: ["total"],
      having: { count: { gte: 1 } },
      sort: ["-placedAt:year"],
    });
    const years = data.map(({ group }) => group["placedAt:year"]);
    expect(years).toEqual([...years].sort().reverse());
    expect(new Set(data.map(({ group }) => group["customer.name"])).size).toBe(1);
    expect([typeof data[0]?.count, data[0]?.max.total, meta.hasMore]).toEqual([
      "number",
      expect.stringMatching(/^\d+\.\d\d$/),
      false,
    ]);
    const agent = await connectAgent(shop.url, authorization);
    const given = { resource: "orders", groupBy: ["placedAt:year"], count: true };
    const total = (await agent.call("aggregate", given)).json().data.reduce((sum, { count }) => sum + Number(count), 0);
    expect(total).toBe(data.reduce((sum, { count }) => sum + count, 0));
  });

  it("are listed with the other operations", async () => {
    const { body } = await shop.as<{ data: Row[] }>("root", "GET", "/api/available-resources");
    const operations = body.data.find(({ name }) => name === "order")?.operations as Row[];
    expect(operations.find(({ name }) => name === "aggregate")).toMatchObject({
      method: "GET",
      path: "/api/orders/aggregate",
      allowed: true,
    });
  });
});

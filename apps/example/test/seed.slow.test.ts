import path from "node:path";
import { PassThrough } from "node:stream";
import { applyMigrations, createDatabase } from "@servicekit/service/dev-database";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createClient } from "../src/database.js";
import type { PrismaClient } from "../src/generated/prisma/client.js";
import { seedAccounts } from "../src/seed/accounts.js";
import { makeShopRows } from "../src/seed/shop-rows.js";
import { seed } from "../src/seed.js";

describe("the seed", () => {
  let database: { readonly url: string; drop(): Promise<void> };
  let client: PrismaClient;
  beforeAll(async () => {
    database = await createDatabase(inject("postgresUrl"));
    await applyMigrations(database.url, path.join(import.meta.dirname, "..", "prisma", "migrations"));
    client = createClient(database.url);
  });
  afterAll(async () => {
    await client?.$disconnect();
    await database?.drop();
  });

  const sql = async (statement: string) =>
    Object.values((await client.$queryRawUnsafe<object[]>(statement))[0] ?? {})[0];
  const empty = () =>
    client.$executeRawUnsafe(
      "TRUNCATE settings, suppliers, categories, tags, customers, coupons, products, orders RESTART IDENTITY CASCADE",
    );
  const read = (stream: PassThrough) => String(stream.read() ?? "");

  it("is the same on every run", () => {
    expect(makeShopRows(2025)).toEqual(makeShopRows(2025));
    expect(makeShopRows(1).customers[0]?.id).not.toBe(makeShopRows(2).customers[0]?.id);
  });

  it("leaves nothing behind if it fails", async () => {
    await client.$executeRawUnsafe("ALTER TABLE stock_movements RENAME TO gone");
    await expect(seed(client, new PassThrough())).rejects.toThrow();
    await client.$executeRawUnsafe("ALTER TABLE gone RENAME TO stock_movements");
    expect(await sql("SELECT count(*)::int FROM products")).toBe(0);
  });

  it("seeds once if two start concurrently", async () => {
    const written = await Promise.all([seed(client, new PassThrough()), seed(client, new PassThrough())]);
    expect(Math.min(...written)).toBe(0);
    expect(Math.max(...written)).toBeGreaterThan(3000);
    await empty();
  });

  it("fills every table, reports its progress, and does nothing the second time", async () => {
    const terminal = new PassThrough();
    const written = await seed(client, terminal);
    expect(written).toBeGreaterThan(3000);
    const last = written.toLocaleString("en-US");
    expect(read(terminal)).toMatch(
      new RegExp(`^(seeding… [\\d,]+ of ${last} rows\\n)*seeding… ${last} of ${last} rows\\n$`),
    );
    const emptyTables = async () => {
      const tables = await client.$queryRaw<{ name: string }[]>`
        SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`;
      const counts = await Promise.all(tables.map(({ name }) => sql(`SELECT count(*)::int FROM "${name}"`)));
      return tables.flatMap(({ name }, at) => (Number(counts[at]) === 0 ? [name] : []));
    };
    // Users exist only in shops with accounts; sessions, idempotency keys, changes and webhooks are created by requests.
    const ofRequests = [
      ...["auth_keys", "auth_sessions", "change_positions", "changes", "idempotency_keys"],
      ...["webhook_deliveries", "webhooks"],
    ];
    const ofAccounts = ["_AuthRoleToUser", "auth_permissions", "auth_roles", "users"];
    expect(new Set(await emptyTables())).toEqual(new Set([...ofRequests, ...ofAccounts]));
    expect(await seedAccounts(client)).toEqual(["ada", "ben", "edda", "will", "root"]);
    expect(await emptyTables()).toEqual(ofRequests);
    expect(await seedAccounts(client)).toEqual([]);
    expect(await seed(client, terminal)).toBe(0);
    expect(read(terminal)).toBe("");
  });

  it("updates one line on a terminal", async () => {
    await empty();
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    await seed(client, terminal);
    const text = read(terminal);
    expect(text).toMatch(/^(\rseeding… [\d,]+ of [\d,]+ rows)+\n$/);
  });

  it("is consistent: totals, payments, stock and points", async () => {
    expect(
      await sql(`SELECT count(*)::int FROM orders o LEFT JOIN coupons c ON c.code = o.coupon_code WHERE o.total <>
        (SELECT round(sum(quantity * unit_price) * (100 - coalesce(c.percent, 0)) / 100, 2) FROM order_items WHERE order_id = o.id)`),
    ).toBe(0);
    expect(
      await sql(
        "SELECT count(*)::int FROM payments p JOIN orders o ON o.id = p.order_id WHERE p.amount_cents <> o.total * 100",
      ),
    ).toBe(0);
    expect(
      await sql(
        "SELECT count(*)::int FROM products p WHERE stock <> (SELECT sum(quantity) FROM stock_movements WHERE product_id = p.id) OR stock < 0",
      ),
    ).toBe(0);
    expect(
      await sql(`SELECT count(*)::int FROM customers c WHERE loyalty_points <>
        (SELECT coalesce(sum(floor(total)), 0) FROM orders WHERE customer_id = c.id AND status = 'DELIVERED')`),
    ).toBe(0);
  });

  it("advances the sequences of ids to the next row", async () => {
    const { id } = await client.tag.create({ data: { name: "the next one" } });
    expect(id).toBe(25);
  });
});

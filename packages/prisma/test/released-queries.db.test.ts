import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import pg from "pg";
import { expect, inject, it, vi } from "vitest";
import { makePostgresAdapter } from "../src/postgres/index.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

// Queries refer to one another when they are old (decision 0017), so one that refers to its rows retains those of many.
it("C71 a query that is done refers neither to its receiver nor to its rows, while other objects refer to it", async () => {
  // The calls of a spy retain their arguments.
  const sent = vi.spyOn(pg.Client.prototype, "query");
  const adapter = makePostgresAdapter({ url: inject("postgresUrl") });
  try {
    const { link } = adapter;
    const read = async () => {
      const rows: unknown[] = [];
      await link.queryEach?.("SELECT 'a' FROM generate_series(1, 3)", [], (row) => rows.push(row));
      return { count: rows.length, rows: new WeakRef(rows) };
    };
    // Prisma's first query opens the pool.
    await (await adapter.connect()).executeScript("SELECT 1");
    const { count, rows } = await read();
    await setImmediate();
    collect();
    expect([count, rows.deref()]).toEqual([3, undefined]);
    expect(sent.mock.calls.map(([query]) => (query as unknown as { text?: string }).text)).toContain(
      "SELECT 'a' FROM generate_series(1, 3)",
    );
  } finally {
    await adapter.connections.end();
    sent.mockRestore();
  }
});

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type LargeWorld, openLarge, partitionSql, sensorsSql } from "./large-world.js";
import type { Served } from "./serve-models.js";

let world: LargeWorld;
const days = 365;
beforeAll(async () => {
  world = await openLarge(inject("postgresUrl"));
  for (const statement of partitionSql) await world.sql(statement);
  await world.sql(sensorsSql);
  await world.sql(
    `INSERT INTO "Reading" ("sensorId", day, value)
     SELECT s, date '2026-01-01' + d, s * d FROM generate_series(1, 9) AS s, generate_series(0, ${days - 1}) AS d`,
  );
  await world.sql('ANALYZE "Reading"');
});
afterAll(() => world?.close());

describe.each(["sql", "prisma"])("C125 a partitioned table with the engine %s", (engine) => {
  let served: Served;
  beforeAll(async () => {
    served = await (engine === "sql" ? world.serve() : world.serveByPrisma());
  });
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await served.call(method, path, body);
    return { status: response.status, ...response.body };
  };

  it("has single and bulk writes", async () => {
    const row = { sensorId: 10, day: "2026-03-31", value: 7, note: null };
    const shown = { ...row, day: "2026-03-31T00:00:00.000Z" };
    expect(await call("POST", "/readings", row)).toMatchObject({ status: 201, data: shown });
    expect(await call("POST", "/readings", row)).toMatchObject({ status: 409, code: "UniqueConstraint" });
    expect(await call("GET", "/readings/10,2026-03-31")).toMatchObject({ status: 200, data: shown });
    expect(await call("PATCH", "/readings/10,2026-03-31", { note: "a" })).toMatchObject({ status: 200 });
    // The row moves to another partition.
    expect(await call("PATCH", "/readings/10,2026-03-31", { day: "2026-04-01" })).toMatchObject({
      status: 200,
      data: { day: "2026-04-01T00:00:00.000Z", note: "a" },
    });
    expect((await call("POST", "/readings", { ...row, day: "2031-01-01" })).status).toBeGreaterThanOrEqual(400);
    const many = [2, 3, 4].map((month) => ({ ...row, day: `2026-0${month}-15` }));
    expect(await call("POST", "/readings/many", many)).toMatchObject({ status: 201, meta: { count: 3 } });
    const changes = { value: 8 };
    expect(await call("PATCH", "/readings/many?sensorId=10", changes)).toMatchObject({
      status: 200,
      meta: { count: 4 },
    });
    expect(await call("DELETE", "/readings/10,2026-04-01")).toMatchObject({ status: 204 });
    expect(await call("DELETE", "/readings/many?sensorId=10")).toMatchObject({ status: 200, meta: { count: 3 } });
  });

  it("has lists, cursors, includes and counts", async () => {
    expect(await call("GET", "/readings?limit=2&sort=-day,sensorId")).toMatchObject({
      data: [
        { sensorId: 1, day: "2026-12-31T00:00:00.000Z" },
        { sensorId: 2, day: "2026-12-31T00:00:00.000Z" },
      ],
      meta: { total: 9 * days },
    });
    const march = "day__gte=2026-03-01&day__lt=2026-04-01";
    expect((await call("GET", `/readings?${march}`)).meta.total).toBe(9 * 31);
    let cursor: string | null = "";
    const keys = new Set<string>();
    while (cursor !== null) {
      const page = await call("GET", `/readings?${march}&limit=100&sort=value&cursor=${cursor}`);
      for (const { sensorId, day } of page.data) keys.add(`${sensorId} ${day}`);
      cursor = page.meta.nextCursor;
    }
    expect(keys.size).toBe(9 * 31);
    expect((await call("GET", "/sensors/1?include=readings&fields=id")).data.readings).toHaveLength(100);
    const estimated = (await call("GET", `/readings?${march}&count=estimated`)).meta;
    expect(estimated.estimated).toBe(engine === "sql" ? true : undefined);
    // Only one of twelve partitions matches.
    expect(Math.abs(estimated.total - 9 * 31)).toBeLessThan(9 * 31 * 0.2);
    const all = (await call("GET", "/readings?count=estimated")).meta;
    expect(Math.abs(all.total - 9 * days)).toBeLessThan(9 * days * 0.1);
  });
});

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { providers } from "../../../scripts/test/provider-database.js";
import { type Portable, startPortable } from "./portable.js";

describe.each(providers)("C140 keys of floating-point numbers of %s", (provider) => {
  let service: Portable;
  /** Numbers with up to 17 digits, in pairs that differ in the last one. */
  const numbers = Array.from({ length: 80 }, (_, at) => {
    const value = (Math.sin(at + 1) * 10 ** ((at % 41) - 20)) as number;
    return [value, value * (1 + 2 ** -51)];
  })
    .flat()
    .filter((value, at, all) => all.indexOf(value) === at);
  numbers.push(
    0.1 + 0.2,
    0.3,
    1 / 3,
    5e-324,
    Number.MAX_VALUE,
    2 ** 53,
    2 ** 53 + 2,
    123456789012345680,
    -1e15 / 7,
    100,
    0,
  );
  const rows = numbers.map((value, at) => ({ value, weight: numbers.at(-1 - at), note: String(at) }));
  const idOf = (value: number): string => encodeURIComponent(String(value));

  beforeAll(async () => {
    service = await startPortable(provider, provider === "postgresql" ? inject("postgresUrl") : "", {
      models: { Measure: { export: true, upsert: true } },
    });
  });
  afterAll(() => service?.close());

  const read = async (path: string) => {
    const { status, body } = await service.call("GET", path);
    expect([path, status]).toEqual([path, 200]);
    return body.data;
  };
  const start = async () => {
    await service.query(`DELETE FROM ${provider === "mysql" ? "`Check`" : '"Check"'}`);
    await service.query(`DELETE FROM ${provider === "mysql" ? "Measure" : '"Measure"'}`);
    for (let at = 0; at < rows.length; at += 50) {
      const { status } = await service.call("POST", "/measures/many", rows.slice(at, at + 50));
      expect(status).toBe(201);
    }
  };

  it("are returned, and find their rows", async () => {
    await start();
    for (const row of rows) {
      expect(await read(`/measures/${idOf(row.value)}`)).toEqual(row);
      for (const filter of [
        `value=${idOf(row.value)}`,
        `value__in=${idOf(row.value)},7`,
        `weight=${idOf(row.weight ?? 0)}`,
      ])
        expect([filter, await read(`/measures?${filter}`)]).toEqual([filter, [row]]);
      const others = await read(`/measures?value__gt=${idOf(row.value)}&limit=1&sort=value`);
      const next = [...numbers].sort((a, b) => a - b).find((value) => value > row.value);
      expect(others.map(({ value }: { value: number }) => value)).toEqual(next === undefined ? [] : [next]);
    }
  });

  it("continue cursors and exports", async () => {
    await start();
    const sorted = [...numbers].sort((a, b) => a - b);
    for (const sort of ["value", "weight"]) {
      const seen: number[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const { body } = await service.call("GET", `/measures?sort=${sort}&limit=3&cursor=${cursor}`);
        seen.push(...body.data.map((row: Record<string, number>) => row[sort]));
        cursor = body.meta.nextCursor;
      }
      expect(seen).toEqual(sorted);
      const exported = await fetch(`${service.url}/measures?sort=${sort}`, {
        headers: { accept: "application/x-ndjson" },
      });
      expect([sort, exported.status, exported.status === 200 ? "" : await exported.text()]).toEqual([sort, 200, ""]);
      const lines = (await exported.text()).trimEnd().split("\n");
      expect(lines.map((line) => JSON.parse(line)[sort])).toEqual(sorted);
    }
    const csv = await fetch(`${service.url}/measures?sort=value&fields=value`, { headers: { accept: "text/csv" } });
    expect((await csv.text()).trimEnd().split(/\r?\n/).slice(1).map(Number)).toEqual(sorted);
  });

  it("find the rows of bulk changes, and of relations", async () => {
    await start();
    const part = numbers.slice(0, 60);
    const patched = await service.call(
      "PATCH",
      "/measures/many",
      part.map((value) => ({ id: String(value), note: "patched" })),
    );
    expect([patched.status, patched.body.errors]).toEqual([200, undefined]);
    expect(await read("/measures?note=patched&limit=100&fields=value&sort=value")).toEqual(
      [...part].sort((a, b) => a - b).map((value) => ({ value })),
    );
    const filtered = await service.call("PATCH", `/measures/many?value=${idOf(0.1 + 0.2)}`, { note: "one" });
    expect([filtered.status, filtered.body.data]).toMatchObject([200, [{ value: 0.1 + 0.2 }]]);
    const upserted = await service.call("PUT", `/measures/${idOf(1 / 3)}`, { note: "put" });
    expect([upserted.status, upserted.body.data]).toMatchObject([200, { value: 1 / 3, note: "put" }]);
    for (const value of [0.1 + 0.2, 1 / 3, numbers[3], numbers[40]] as number[]) {
      const created = await service.call("POST", "/checks", { of: value });
      expect([created.status, created.body]).toMatchObject([201, { data: { of: value } }]);
      expect(await read(`/checks/${created.body.data.id}?include=measure`)).toMatchObject({ measure: { value } });
      expect(await read(`/measures/${idOf(value)}?include=checks`)).toMatchObject({ checks: [{ of: value }] });
      expect((await service.call("DELETE", `/checks/${created.body.data.id}`)).status).toBe(204);
    }
    const deleted = await service.call("DELETE", "/measures/many", { ids: part.map(String) });
    expect([deleted.status, deleted.body?.errors]).toEqual([200, undefined]);
    expect(await service.database.of("Measure").count()).toBe(numbers.length - part.length);
    for (const value of numbers.slice(60, 70)) {
      expect((await service.call("PATCH", `/measures/${idOf(value)}`, { note: "x" })).status).toBe(200);
      expect((await service.call("DELETE", `/measures/${idOf(value)}`)).status).toBe(204);
    }
  });
});

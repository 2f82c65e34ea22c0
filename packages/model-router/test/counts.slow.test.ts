import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { drawn } from "../../../scripts/test/slow-share.js";
import { entriesSql, type LargeWorld, openLarge, sensorsSql } from "./large-world.js";
import type { Served } from "./serve-models.js";

const rows = drawn(1_000_000);
let world: LargeWorld;
let served: Served;
beforeAll(async () => {
  world = await openLarge(inject("postgresUrl"));
  await world.sql(sensorsSql);
  await world.sql(entriesSql(rows));
  await world.sql('VACUUM ANALYZE "Entry"');
  served = await world.serve();
}, 600_000);
afterAll(() => world?.close());

/** The shortest of some durations, in milliseconds: a busy machine only adds to them. */
async function shortest(path: string): Promise<number> {
  const durations: number[] = [];
  for (let at = 0; at < 5; at++) {
    const began = performance.now();
    expect((await served.call("GET", path)).status).toBe(200);
    durations.push(performance.now() - began);
  }
  return Math.min(...durations);
}

it("C125 estimates the rows of a large table within a tenth, in a fraction of the time of a count", async () => {
  const report: string[] = [];
  for (const [query, share] of [
    ["", 1],
    ["&kind=rare", 1 / 4],
    ["&weight__lt=100", 1 / 10],
    ["&kind=rare&weight__lt=100", 1 / 40],
  ] as const) {
    const times: Record<string, number> = {};
    for (const count of ["exact", "estimated", "limited"])
      times[count] = await shortest(`/entries?limit=1&count=${count}${query}`);
    const { total } = (await served.call("GET", `/entries?limit=1&count=estimated${query}`)).body.meta;
    const error = Math.abs(total / (rows * share) - 1);
    const { exact = 0, estimated = 0, limited = 0 } = times;
    report.push(
      `${query || "(all)"}: exact ${exact.toFixed(1)} ms, estimated ${estimated.toFixed(1)} ms, limited ${limited.toFixed(1)} ms, error ${(100 * error).toFixed(1)} %`,
    );
    expect(error).toBeLessThan(0.1);
    if (rows >= 1_000_000) expect(exact / estimated).toBeGreaterThan(3);
  }
  console.info(`${rows} rows\n${report.join("\n")}`);
}, 300_000);

it("C125 a cursor reads what follows a deep page in a fraction of the time of the next page", async () => {
  const page = Math.floor(rows / 20) - 1;
  const { headers } = await served.call("GET", `/entries?page=${page}&count=false`);
  const [, target = ""] = /<\/api([^>]*)>; rel="next"/.exec(headers.get("link") ?? "") ?? [];
  expect(target).toContain("cursor=");
  const [byCursor, byPage] = [await shortest(target), await shortest(`/entries?page=${page + 1}&count=false`)];
  console.info(`page ${page + 1}: by cursor ${byCursor.toFixed(1)} ms, by page ${byPage.toFixed(1)} ms`);
  if (rows >= 1_000_000) expect(byPage / byCursor).toBeGreaterThan(3);
}, 120_000);

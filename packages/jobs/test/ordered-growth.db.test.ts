import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { claimGroups, findDueGroups } from "../src/ordered/claim-groups.js";
import { finishJobs } from "../src/ordered/finish-jobs.js";
import { createOrderedTables, orderedTables, type RunSql, type SqlRow } from "../src/ordered/tables.js";
import { openShop, type Shop } from "./open-shop.js";

let shop: Shop;
let connection: pg.Client;
beforeAll(async () => {
  shop = await openShop(inject("postgresUrl"));
  connection = new pg.Client({ connectionString: shop.url });
  await connection.connect();
});
afterAll(async () => {
  await connection?.end();
  await shop?.close();
});

const run: RunSql = async (text, values) => {
  const results = [await connection.query(text, values as unknown[])].flat();
  return results.at(-1)?.rows as readonly SqlRow[];
};

/** The pages that the last statement of a text reads, from memory or disk. */
async function pagesOf(text: string): Promise<number> {
  const [plan] = await run(
    text.replace(/^(SET LOCAL jit = off;\n(?:UPDATE [\s\S]*?;\n)?)/, "$1EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "),
  );
  const [root] = (plan?.["QUERY PLAN"] ?? []) as readonly { readonly Plan: Readonly<Record<string, number>> }[];
  return (root?.Plan["Shared Hit Blocks"] ?? 0) + (root?.Plan["Shared Read Blocks"] ?? 0);
}

/** The pages that finding, claiming and finishing jobs read, of many keys and of one with many jobs, beside a target with a pause. */
async function pagesWith(waiting: number): Promise<Readonly<Record<string, number>>> {
  const schema = `growth_${waiting}`;
  await run(`CREATE SCHEMA ${schema}`);
  await createOrderedTables(run, schema);
  const tables = orderedTables(schema);
  await run(`INSERT INTO ${tables.jobs} (queue, target, key, position, id)
SELECT 'q', target, CASE target WHEN 'one key' THEN 'k' ELSE 'k' || n END, n, gen_random_uuid()
FROM unnest('{"many keys","one key","paused"}'::text[]) AS target, generate_series(1, ${waiting}) AS n;
INSERT INTO ${tables.groups} (queue, target, key, due, last_position)
SELECT queue, target, key, now(), min(position) - 1 FROM ${tables.jobs} GROUP BY 1, 2, 3;
INSERT INTO ${tables.targets} VALUES ('q', 'paused', 'infinity')`);
  await run(`VACUUM ANALYZE ${tables.jobs}`);
  await run(`VACUUM ANALYZE ${tables.groups}`);
  const pages: Record<string, number> = {};
  const measured =
    (name: string): RunSql =>
    async (text) => {
      await run("BEGIN");
      pages[name] = await pagesOf(text);
      await run("ROLLBACK");
      return run(text);
    };
  const search = { queue: "q", after: "", perTarget: 4 };
  const { groups } = await findDueGroups(measured("find"), tables, [search]);
  expect(new Set(groups.map(({ target }) => target))).toEqual(new Set(["many keys", "one key"]));
  const lease = { holder: randomUUID(), leaseSeconds: 60 };
  const jobs = await claimGroups(measured("claim"), tables, groups, lease);
  expect(jobs.map(({ job }) => job?.position)).toHaveLength(5);
  const results = jobs.map((job) => ({ ...job, outcome: "completed", isContinued: true }) as const);
  const finished = await finishJobs(measured("finish"), tables, results, lease);
  expect(finished.flatMap(({ target, job }) => (job === undefined ? [] : [target]))).toEqual(["one key"]);
  return pages;
}

it("C151 finding, claiming and finishing jobs read about as many pages with 50,000 waiting jobs as with 500", {
  timeout: 120_000,
}, async () => {
  const [few, many] = [await pagesWith(500), await pagesWith(50_000)];
  for (const name of ["find", "claim", "finish"]) expect([name, many[name]]).toEqual([name, expect.any(Number)]);
  // An index of more rows has a level more.
  for (const [name, pages] of Object.entries(many))
    expect([name, pages <= 2 * (few[name] ?? 0) + 20]).toEqual([name, true]);
});

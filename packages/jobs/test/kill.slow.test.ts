import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, inject, it, vi } from "vitest";
import { hasPgBouncer, type PgBouncer, startPgBouncer } from "../../../scripts/test/pgbouncer.js";
import { openShop, type Shop } from "./open-shop.js";

const root = path.join(import.meta.dirname, "../../..");
const hooks = path.join(root, "packages/config-loader/hooks/register.mjs");
const program = path.join(import.meta.dirname, "processes/worker.ts");

let shop: Shop;
/** A pooler in transaction mode: nothing depends on a session. */
let bouncer: PgBouncer | undefined;
const running = new Set<ChildProcess>();
beforeAll(async () => {
  shop = await openShop(inject("postgresUrl"));
  if (hasPgBouncer()) bouncer = await startPgBouncer(shop.url, { mode: "transaction", size: 10 });
  await shop.sql("CREATE TABLE seen (at bigserial, job text, key text, change bigint)");
});
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
});
afterAll(async () => {
  await shop?.close();
  await bouncer?.stop();
});

async function startWorker(): Promise<ChildProcess> {
  const args = ["--import", hooks, "--conditions=servicekit-source", program, bouncer?.urlOf(shop.url) ?? shop.url];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return child;
}

it("C110 each of 1000 committed changes is handled at least once and in order while the processes are killed 20 times", async () => {
  const customers = shop.database.of("Customer");
  const workers = [await startWorker(), await startWorker()];
  const ids: unknown[] = [];
  for (let n = 0; n < 1_000; n++) {
    if (n < 40) ids.push((await customers.create({ data: { name: `${n}` }, select: { id: true } })).id);
    else await customers.update({ where: { id: ids[randomInt(40)] }, data: { name: `${n}` }, select: { id: true } });
    if (n % 50 !== 25) continue;
    const at = randomInt(2);
    const child = workers[at] as ChildProcess;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    workers[at] = await startWorker();
  }
  const changes = await shop.sql('SELECT count(*)::int AS count FROM "Change"');
  expect(changes).toEqual([{ count: 1_000 }]);
  const missing = `SELECT count(*)::int AS count FROM "Change" AS c WHERE NOT EXISTS (SELECT FROM seen WHERE change = c.id)`;
  await vi.waitUntil(async () => (await shop.sql(missing))[0]?.count === 0, { timeout: 600_000, interval: 500 });
  // Attempts of one change have one id.
  expect(await shop.sql("SELECT change FROM seen GROUP BY change HAVING count(DISTINCT job) > 1")).toEqual([]);
  const firsts = await shop.sql(
    "SELECT key, change FROM (SELECT key, change, min(at) AS at FROM seen GROUP BY 1, 2) AS f ORDER BY at",
  );
  const keys = new Set(firsts.map(({ key }) => key));
  expect(keys.size).toBe(40);
  for (const key of keys) {
    const order = firsts.filter((first) => first.key === key).map(({ change }) => BigInt(change as string));
    expect(order).toEqual(order.toSorted((a, b) => (a < b ? -1 : 1)));
  }
  // SIGTERM ends them without a lost job.
  for (const child of workers) {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  }
}, 900_000);

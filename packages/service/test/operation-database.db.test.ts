import path from "node:path";
import { sendJson } from "@servicekit/router";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { type RunningService, ServiceRouter } from "../src/index.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logged, logText } = makeStarter();
const cleanUp: (() => unknown)[] = [];
let databaseUrl = "";
beforeEach(async () => {
  const created = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/notes"));
  cleanUp.push(() => created.drop());
  databaseUrl = created.url;
  // A row with the text "slow" takes time to be written, and one with "waiting" as long as a test wants.
  await run(`
    CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.text = 'slow' THEN PERFORM pg_sleep(300); END IF;
      IF NEW.text = 'waiting' THEN PERFORM pg_advisory_xact_lock_shared(1); END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER be_slow BEFORE INSERT ON "Note" FOR EACH ROW EXECUTE FUNCTION be_slow();
  `);
});
afterEach(async () => {
  await closeAll();
  for (const act of cleanUp.splice(0).reverse()) await act();
});

async function run(sql: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const result = await client.query(sql);
  await client.end();
  return result.rows;
}

const router = ServiceRouter();
router.post({ path: "/write" }, async (req, res) => {
  const note = await req.app.locals.database.of("Note").create({ data: { text: (req.body as { text: string }).text } });
  sendJson(res, 201, { data: note });
});
const start = (timeouts: object, environment: Readonly<Record<string, string>> = {}) =>
  init(
    {
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
      use: [router],
      timeouts,
      middlewares: { rateLimit: { limit: 1_000_000 } },
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: databaseUrl, ...environment } },
  );

/** Blocks the writes of "waiting" rows; returns the number of those that wait in PostgreSQL. */
async function delay() {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query("SELECT pg_advisory_lock(1)");
  return {
    waiting: async () =>
      (
        await run(
          "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()",
        )
      )[0]?.n as number,
    letGo: () => holder.end(),
  };
}

async function write({ url }: RunningService, text: string) {
  const response = await fetch(`${url}/write`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
  });
  const { code } = (await response.json()) as { code?: string };
  return {
    status: response.status,
    code,
    retryAfter: response.headers.get("retry-after"),
  };
}

describe("C17 C43 the time limits of the database", () => {
  it("timeouts.statement ends a long statement in PostgreSQL itself: 504, and nothing is written", async () => {
    const running = await start({ statement: 2_000 });
    expect((await write(running, "warm")).status).toBe(201);
    const { status, code } = await write(running, "slow");
    expect([status, code]).toEqual([504, "DatabaseTimeout"]);
    expect(
      await run(
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%INSERT%Note%' AND state = 'active' AND datname = current_database() AND pid <> pg_backend_pid()",
      ),
    ).toEqual([]);
    expect((await write(running, "after")).status).toBe(201);
    expect((await run('SELECT text FROM "Note" ORDER BY id')).map(({ text }) => text)).toEqual(["warm", "after"]);
    expect(logged()).toContainEqual(expect.objectContaining({ level: 50, status: 504, code: "DatabaseTimeout" }));
  });

  it("timeouts.poolWait limits the wait for a free connection: 503 with Retry-After, and other routes are served", async () => {
    const running = await start({ statement: 300_000, poolWait: 400 });
    expect((await write(running, "warm")).status).toBe(201);
    const { waiting, letGo } = await delay();
    const stored = Array.from({ length: 10 }, () => write(running, "waiting"));
    await expect.poll(waiting, { timeout: 300_000 }).toBe(10);
    const rejected = await Promise.all(Array.from({ length: 20 }, () => write(running, "quick")));
    for (const { status, code, retryAfter } of rejected) {
      expect([status, code]).toEqual([503, "DatabaseUnavailable"]);
      expect(Number(retryAfter)).toBeGreaterThan(0);
    }
    expect((await fetch(`${running.url}/api`)).status).toBe(200);
    expect((await fetch(`${running.url}/api/health/live`)).status).toBe(200);
    await letGo();
    expect((await Promise.all(stored)).map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect((await write(running, "after")).status).toBe(201);
    expect(logText()).not.toContain(new URL(databaseUrl).password || "\u0000");
  });

  it("C67 DATABASE_POOL_SIZE limits the pool, and slow transactions in all of it never make readiness fail", async () => {
    const running = await start({ statement: 300_000, poolWait: 60_000 }, { DATABASE_POOL_SIZE: "3" });
    const { waiting, letGo } = await delay();
    const stored = Array.from({ length: 10 }, () => write(running, "waiting"));
    await expect.poll(waiting, { timeout: 300_000 }).toBe(3);
    const ready = await fetch(`${running.url}/api/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ready", checks: { database: "up" } }]);
    expect(await waiting()).toBe(3);
    await letGo();
    expect((await Promise.all(stored)).map(({ status }) => status)).toEqual(Array(10).fill(201));
  });

  it("C59 half of DATABASE_POOL_SIZE serves expensive requests, and four times as many are queued", async () => {
    const running = await start({ statement: 300_000, poolWait: 60_000 }, { DATABASE_POOL_SIZE: "4" });
    const filter = Array.from({ length: 6 }, (_, at) => `or[${at}][text][icontains]=zz${at}`).join("&");
    const responded: unknown[] = [];
    const call = async () => {
      const response = await fetch(`${running.url}/api/notes?count=false&${filter}`);
      const { code } = (await response.json()) as { code?: string };
      responded.push([response.status, code]);
    };
    await call();
    const holder = new pg.Client({ connectionString: databaseUrl });
    await holder.connect();
    await holder.query(`BEGIN; LOCK TABLE "Note" IN ACCESS EXCLUSIVE MODE`);
    const all = Array.from({ length: 25 }, call);
    try {
      // Two read, sixteen wait.
      await expect.poll(() => responded.length, { timeout: 60_000 }).toBe(1 + 7);
      const reading = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      await expect.poll(async () => (await run(`${reading} AND datname = current_database()`))[0]?.n).toBe(2);
    } finally {
      await holder.end();
    }
    await Promise.all(all);
    const served = [200, undefined];
    expect(responded).toEqual([served, ...Array(7).fill([503, "DatabaseBusy"]), ...Array(18).fill(served)]);
  });
});

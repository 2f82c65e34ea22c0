import type { Database } from "@servicekit/prisma";
import { deleteExpired, queryRaw } from "@servicekit/prisma/internal";
import { afterEach, describe, expect, it, vi } from "vitest";
import { providers } from "../../../../scripts/test/provider-database.js";
import { makeOrders } from "./serve-orders.js";

const expired = new Date(Date.now() - 60_000);

const addKeys = async (database: Database | undefined, count: number, expiresAt = expired): Promise<void> => {
  const data = Array.from({ length: count }, (_, at) => ({
    ...{ id: `${expiresAt.getTime()} ${at}`, fingerprint: "f", holder: "h", expiresAt },
  }));
  for (let at = 0; at < count; at += 500)
    await database?.of("IdempotencyKey").createMany({ data: data.slice(at, at + 500), select: { id: true } });
};

const deletion = (database: Database | undefined, signal?: AbortSignal) => {
  const model = database?.models.get("IdempotencyKey");
  if (database === undefined || model === undefined) throw new TypeError("The service has no keys.");
  return deleteExpired({ database, model, field: "expiresAt", before: new Date(), pauseMs: 1, signal });
};

describe.each(providers)("C149 expired rows on %s", (provider) => {
  const orders = makeOrders(provider);
  afterEach(async () => {
    vi.restoreAllMocks();
    await orders.close();
  });

  it("are deleted a minute after the start, in batches, and the others remain", async () => {
    const { database, rows, config } = await orders.start();
    await addKeys(database, 2_300);
    await addKeys(database, 3, new Date(Date.now() + 3_600_000));
    const { setTimeout: original } = globalThis;
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms?: number) =>
      original(run, ms === 60_000 ? 0 : ms)) as typeof setTimeout);
    await orders.start({}, { DATABASE_URL: config.databaseUrl ?? "" });
    await expect.poll(() => rows("IdempotencyKey"), { timeout: 20_000 }).toBe(3);
    await expect.poll(orders.logText).toContain('"deleted":2300');
  });

  it("are deleted by one process at a time", async () => {
    const { database, config } = await orders.start();
    const other = await orders.start({}, { DATABASE_URL: config.databaseUrl ?? "" });
    await addKeys(database, 1_500);
    const counts = await Promise.all([deletion(database), deletion(other.database)]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(1_500);
    expect(await deletion(database)).toBe(0);
  });

  it("remain after the batch in which the deletion was aborted", async () => {
    const { database, rows } = await orders.start();
    await addKeys(database, 2_100);
    const ending = new AbortController();
    const done = deletion(database, ending.signal);
    ending.abort();
    expect([await done, await rows("IdempotencyKey")]).toEqual([1_000, 1_100]);
  });

  it.runIf(provider === "postgresql")(
    "are deleted in smaller batches if a statement exceeds its time limit",
    async () => {
      const { database, rows, run } = await orders.start({ timeouts: { statement: 1_000 } });
      await addKeys(database, 120);
      await run(
        "CREATE FUNCTION slow() RETURNS trigger AS 'BEGIN PERFORM pg_sleep(0.02); RETURN OLD; END' LANGUAGE plpgsql",
      );
      await run('CREATE TRIGGER slow BEFORE DELETE ON "IdempotencyKey" FOR EACH ROW EXECUTE FUNCTION slow()');
      expect([await deletion(database), await rows("IdempotencyKey")]).toEqual([120, 0]);
    },
  );

  it.runIf(provider !== "sqlite")("are not deleted while another process has the lock", async () => {
    const { database, config } = await orders.start();
    const other = await orders.start({}, { DATABASE_URL: config.databaseUrl ?? "" });
    await addKeys(database, 10);
    const name = "servicekit .IdempotencyKey";
    const take =
      provider === "mysql"
        ? `SELECT GET_LOCK(SHA1(CONCAT(DATABASE(), ' ', '${name}')), 0) AS free`
        : `SELECT pg_try_advisory_xact_lock(hashtext('${name}'), 0)::int AS free`;
    await other.database?.transaction(async ({ client }) => {
      expect(await queryRaw(client, take, [])).toMatchObject([{ free: expect.anything() }]);
      expect(await deletion(database)).toBe(0);
      if (provider === "mysql") await queryRaw(client, "SELECT RELEASE_ALL_LOCKS() AS released", []);
    });
    expect(await deletion(database)).toBe(10);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { hasPgBouncer, type PgBouncer, startPgBouncer } from "../../../scripts/test/pgbouncer.js";
import { type Database, makeDatabase } from "../src/index.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "./kinds.js";

/** On a busy machine it takes longer until one of few connections is free. */
const patient = { poolWaitMs: 60_000, statementMs: 60_000 };

describe.skipIf(!hasPgBouncer()).each(["session", "transaction"] as const)("through PgBouncer by %s", (mode) => {
  let kinds: Kinds;
  let bouncer: PgBouncer;
  const opened: Database[] = [];
  const open = (settings: Partial<Parameters<typeof makePostgresAdapter>[0]> = {}): Database => {
    const adapter = makePostgresAdapter({ url: bouncer.urlOf(kinds.url), timeouts: patient, ...settings });
    const client = new PrismaClient({ adapter });
    const database = makeDatabase({ client, models, schema: "public", connections: adapter.connections });
    opened.push(database);
    return database;
  };
  beforeAll(async () => {
    kinds = await openKinds(inject("postgresUrl"));
    bouncer = await startPgBouncer(kinds.url, { mode, size: 4 });
    const [found] = await kinds.sql("SELECT current_database() AS name");
    await kinds.sql(`ALTER DATABASE "${found?.name}" SET timezone TO 'Asia/Kathmandu'`);
    await kinds.database.of("Author").createMany({ data: ["a@x", "b@x"].map((email) => ({ email, password: "p" })) });
  });
  // In session mode, an open connection is unavailable to others.
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.disconnect()));
  });
  afterAll(async () => {
    await bouncer.stop();
    await kinds.close();
  });

  it("C67 supports every kind of work, many concurrently", async () => {
    // More clients than database sessions, where each session serves one transaction at a time.
    const database = open({ poolSize: mode === "session" ? 3 : 12 });
    const tags = database.of("Tag");
    const work = async (index: number): Promise<void> => {
      const name = `t${index}`;
      await tags.create({ data: { name } });
      expect(await tags.findMany({ where: { name: { contains: name } }, take: 1 })).toEqual([{ name }]);
      await database.transaction(async (inner) => {
        expect(await inner.of("Tag").lock({ name })).toBe(true);
        await inner.of("Tag").update({ where: { name }, data: { name: `${name}.` } });
      });
      expect(await tags.count({ where: { name: `${name}.` } })).toBe(1);
    };
    await Promise.all(Array.from({ length: 30 }, (_, index) => work(index)));
    const authors = await database.of("Author").updateEach({
      changes: [2, 1].map((id) => ({ where: { id }, data: { karma: id } })),
      select: { karma: true },
    });
    expect(authors).toEqual(
      [
        { id: 2, karma: 2 },
        { id: 1, karma: 1 },
      ].map((row) => expect.objectContaining(row)),
    );
    expect(await tags.deleteMany({ where: { name: { startsWith: "t" } } })).toBe(30);
    await expect(
      database.transaction(async (inner) => {
        await inner.of("Tag").create({ data: { name: "gone" } });
        throw new Error("on purpose");
      }),
    ).rejects.toThrow("on purpose");
    expect(await tags.count({ where: { name: "gone" } })).toBe(0);
    await expect(tags.create({ data: { name: "twice" } })).resolves.toBeDefined();
    await expect(tags.create({ data: { name: "twice" } })).rejects.toMatchObject({ code: "UniqueConstraint" });
    await expect(database.ping()).resolves.toBeUndefined();
  });

  it("C67 returns the right times although the database has another time zone", async () => {
    const database = open();
    const natives = database.of("Native");
    const data = {
      timestamptz: new Date("2024-02-29T12:00:00.123Z"),
      timetz: new Date("1970-01-01T10:00:00.000Z"),
      timestamp: new Date("2024-02-29T12:00:00.123Z"),
    };
    const select = { timestamptz: true, timetz: true, timestamp: true };
    const { id, ...created } = await natives.create({ data, select: { id: true, ...select } });
    expect(created).toEqual(data);
    const isSame = `timestamptz = '2024-02-29T12:00:00.123Z' AND timetz = '10:00:00+00' AND timestamp = '2024-02-29T12:00:00.123'`;
    expect(await kinds.sql(`SELECT ${isSame} AS "isSame" FROM "Native" WHERE id = $1`, [id])).toEqual([
      { isSame: true },
    ]);
    await kinds.sql(`UPDATE "Native" SET timestamptz = '2024-06-01T00:00:00+02:00'`);
    const found = { timestamptz: new Date("2024-05-31T22:00:00Z") };
    expect(await natives.findUnique({ where: { id }, select: { timestamptz: true } })).toEqual(found);
    const inside = await database.transaction((inner) =>
      inner.of("Native").findMany({ where: { timestamptz: found.timestamptz }, select: { timestamptz: true } }),
    );
    expect(inside).toEqual([found]);
  });

  it("C67 limits the time of a statement, alone and in a transaction", async () => {
    const database = open({ timeouts: { statementMs: 150 } });
    const blocked = (on: Database) => on.of("Author").update({ where: { id: 1 }, data: { karma: 2 } });
    const timeout = { status: 504, code: "DatabaseTimeout", cause: { meta: expect.anything() } };
    await kinds.database.transaction(async (inner) => {
      await inner.of("Author").update({ where: { id: 1 }, data: { karma: 1 } });
      await expect(blocked(database)).rejects.toMatchObject(timeout);
      await expect(database.transaction(blocked)).rejects.toMatchObject({ status: 504 });
    });
    await expect(blocked(database)).resolves.toMatchObject({ karma: 2 });
  });

  it("C67 settings of one client do not affect others", async () => {
    const database = open({ timeouts: { statementMs: 1_234 } });
    await database.of("Tag").findMany();
    await database.disconnect();
    const pg = await import("pg");
    const other = new pg.default.Client({ connectionString: bouncer.urlOf(kinds.url) });
    await other.connect();
    const { rows } = await other.query(
      "SELECT current_setting('statement_timeout') AS t, current_setting('jit') AS jit",
    );
    await other.end();
    expect(rows).toEqual([{ t: "0", jit: "on" }]);
  });
});

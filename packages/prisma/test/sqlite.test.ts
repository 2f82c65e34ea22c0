import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createSqliteDatabase, type SqliteDatabase } from "../../../scripts/test/sqlite-database.js";
import { type Clause, type Database, makeDatabase, readModels } from "../src/index.js";
import { makeSqliteAdapter, type SqliteSettings } from "../src/sqlite/index.js";
import { PrismaClient } from "./generated/file/client/client.js";
import { models as data } from "./generated/file/models.js";

const models = readModels(data);
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function makeFile(): Promise<SqliteDatabase> {
  const file = await createSqliteDatabase(path.join(import.meta.dirname, "fixtures/file/schema.prisma"));
  closing.push(file.drop);
  return file;
}

function open({ url }: SqliteDatabase, settings: Partial<SqliteSettings> = {}, poolWaitMs = 60_000) {
  const adapter = makeSqliteAdapter({ url, timeouts: { poolWaitMs }, ...settings });
  const client = new PrismaClient({ adapter });
  const database = makeDatabase({ client, models, poolWaitMs });
  closing.push(() => database.disconnect());
  return { client, database };
}

const ids = { id: true } as const;
const create = (database: Database, name: string) => database.of("Account").create({ data: { name }, select: ids });
const names = async (database: Database) =>
  (await database.of("Account").findMany({ orderBy: { id: "asc" } })).map(({ name }) => name);

/** Work that has begun, and continues on command. */
function makeGate() {
  let start = (): void => {};
  let go = (): void => {};
  const started = new Promise<void>((resolve) => (start = resolve));
  const gone = new Promise<void>((resolve) => (go = resolve));
  return {
    started,
    open: go,
    pass: () => {
      start();
      return gone;
    },
  };
}

describe("C113 an SQLite database", () => {
  it("C113 has a write-ahead log and foreign keys on each connection, and waits outside the event loop", async () => {
    const { client } = open(await makeFile());
    expect(await client.$queryRawUnsafe("SELECT * FROM pragma_journal_mode")).toEqual([{ journal_mode: "wal" }]);
    const settings =
      "SELECT (SELECT foreign_keys FROM pragma_foreign_keys) AS keys, (SELECT timeout FROM pragma_busy_timeout) AS wait";
    const expected = [{ keys: 1, wait: 0 }];
    const asNumbers = (rows: unknown) =>
      (rows as { keys: unknown; wait: unknown }[]).map(({ keys, wait }) => ({
        keys: Number(keys),
        wait: Number(wait),
      }));
    expect(asNumbers(await client.$queryRawUnsafe(settings))).toEqual(expected);
    expect(asNumbers(await client.$transaction((inside) => inside.$queryRawUnsafe(settings)))).toEqual(expected);
  });

  it("C113 is read beside a transaction, without its changes, and written after it", async () => {
    const { database } = open(await makeFile());
    await create(database, "a");
    const gate = makeGate();
    const transaction = database.transaction(async (inside) => {
      await create(inside, "b");
      await gate.pass();
    });
    await gate.started;
    expect(await names(database)).toEqual(["a"]);
    const after = create(database, "c");
    gate.open();
    await Promise.all([transaction, after]);
    expect(await names(database)).toEqual(["a", "b", "c"]);
  });

  it("C113 loses no increment of concurrent transactions that read first", async () => {
    const { database } = open(await makeFile());
    const { id } = await create(database, "a");
    const add = () =>
      database.transaction(async (inside) => {
        const rows = inside.of("Account");
        expect(await rows.lock({ id })).toBe(true);
        const row = await rows.findUnique({ where: { id } });
        await rows.update({ where: { id }, data: { balance: Number(row?.balance) + 1 }, select: ids });
      });
    await Promise.all(Array.from({ length: 20 }, add));
    expect(await database.of("Account").findUnique({ where: { id } })).toMatchObject({ balance: 20 });
  });

  it("C113 loses no increment of two processes", async () => {
    const file = await makeFile();
    const databases = [open(file).database, open(file).database];
    const { id } = await create(databases[0] as Database, "a");
    const add = (database: Database) =>
      database.transaction(async (inside) => {
        const row = await inside.of("Account").findUnique({ where: { id } });
        await inside.of("Account").update({ where: { id }, data: { balance: Number(row?.balance) + 1 }, select: ids });
      });
    await Promise.all(databases.flatMap((database) => Array.from({ length: 15 }, () => add(database))));
    const others = databases.flatMap((database, at) =>
      Array.from({ length: 15 }, (_, n) => create(database, `${at} ${n}`)),
    );
    await Promise.all(others);
    for (const database of databases) {
      expect(await database.of("Account").findUnique({ where: { id } })).toMatchObject({ balance: 30 });
      expect(await names(database)).toHaveLength(31);
    }
  });

  it("C113 rolls a failed transaction back, and continues with the next write", async () => {
    const { database } = open(await makeFile());
    const failed = database.transaction(async (inside) => {
      await create(inside, "a");
      throw new Error("stop");
    });
    await expect(failed).rejects.toThrow("stop");
    const swallowed = database.transaction(async (inside) => {
      await create(inside, "b");
      await create(inside, "b").catch(() => undefined);
    });
    await expect(swallowed).rejects.toMatchObject({ code: "UniqueConstraint" });
    await create(database, "c");
    expect(await names(database)).toEqual(["c"]);
  });

  it("C113 rejects a write with 503 if another one takes longer than the wait, and writes afterwards", async () => {
    const { database } = open(await makeFile(), {}, 50);
    const gate = makeGate();
    const transaction = database.transaction(async () => gate.pass());
    await gate.started;
    await expect(create(database, "a")).rejects.toMatchObject({ status: 503, code: "DatabaseUnavailable" });
    await expect(database.transaction((inside) => create(inside, "b"))).rejects.toMatchObject({ status: 503 });
    gate.open();
    await transaction;
    await create(database, "c");
    expect(await names(database)).toEqual(["c"]);
  });

  it("C113 waits for the writes of another process, while this process continues", async () => {
    const file = await makeFile();
    const { database } = open(file);
    const other = open(file).database;
    const gate = makeGate();
    const transaction = other.transaction(async (inside) => {
      await create(inside, "other");
      await gate.pass();
    });
    await gate.started;
    let isWritten = false;
    const write = create(database, "own").then(() => {
      isWritten = true;
    });
    expect(await names(database)).toEqual([]);
    expect(isWritten).toBe(false);
    gate.open();
    await Promise.all([transaction, write]);
    expect(await names(database)).toEqual(["other", "own"]);
    const short = open(file, {}, 20).database;
    const held = makeGate();
    const longer = other.transaction(async () => held.pass());
    await held.started;
    await expect(create(short, "x")).rejects.toMatchObject({ status: 503 });
    held.open();
    await longer;
  });

  it("C113 names the missing row of several foreign keys, and creates all rows or none", async () => {
    const { database } = open(await makeFile());
    await database.of("Owner").create({ data: { id: 1 }, select: ids });
    await database.of("Bank").create({ data: { id: 1 }, select: ids });
    const accounts = database.of("Account");
    const missing = accounts.create({ data: { name: "a", ownerId: 1, bankId: 9 }, select: ids });
    await expect(missing).rejects.toMatchObject({ code: "RelatedRecordNotFound", errors: [{ path: "/bankId" }] });
    await accounts.create({ data: { name: "a", ownerId: 1 }, select: ids });
    await accounts.create({ data: { name: "b", bankId: 1 }, select: ids });
    const many = accounts.createMany({ data: [{ name: "c" }, { name: "d", bankId: 7 }], select: ids });
    await expect(many).rejects.toMatchObject({ code: "RelatedRecordNotFound" });
    expect(await accounts.count()).toBe(2);
  });

  it("C113 rejects numbers that it cannot store, and messages of triggers as configured", async () => {
    const file = await makeFile();
    const { client, database } = open(file);
    const infinite = database
      .of("Account")
      .create({ data: { name: "a", rate: Number.POSITIVE_INFINITY }, select: ids });
    await expect(infinite).rejects.toMatchObject({ status: 400, code: "ValueOutOfRange" });
    await client.$executeRawUnsafe(
      "CREATE TRIGGER positive BEFORE INSERT ON Account WHEN NEW.balance < 0 BEGIN SELECT RAISE(ABORT, 'too low'); END",
    );
    const low = (own: Database) => own.of("Account").create({ data: { name: "low", balance: -1 }, select: ids });
    await expect(low(database)).rejects.toMatchObject({
      code: "RejectedByDatabase",
      message: "The database rejects this change.",
    });
    const open2 = makeDatabase({ client, models, exposeRaisedMessages: true });
    await expect(low(open2)).rejects.toMatchObject({ code: "RejectedByDatabase", message: "too low" });
  });

  it("C113 reports a write that a trigger skips", async () => {
    const { client, database } = open(await makeFile());
    const { id } = await create(database, "a");
    for (const kind of ["INSERT", "UPDATE", "DELETE"])
      await client.$executeRawUnsafe(
        `CREATE TRIGGER skip_${kind} BEFORE ${kind} ON Account BEGIN SELECT RAISE(IGNORE); END`,
      );
    const again = makeDatabase({ client, models });
    await expect(create(again, "b")).rejects.toMatchObject({ code: "RejectedByDatabase" });
    const updated = await again
      .of("Account")
      .update({ where: { id }, data: { balance: 5 }, select: { balance: true } });
    expect(updated).toMatchObject({ balance: 0 });
    expect(await again.of("Account").delete({ where: { id }, select: ids })).toEqual({ id });
    expect(await names(database)).toEqual(["a"]);
  });

  it("C113 finds its tables, unique indexes and migrations", async () => {
    const { client, database } = open(await makeFile());
    expect(await database.missingTables()).toEqual([]);
    await client.$executeRawUnsafe("DROP TABLE Bank");
    expect(await database.missingTables()).toEqual(["Bank"]);
    const account = models.get("Account");
    const found = await database.uniqueIndexes(account === undefined ? [] : [account]);
    expect(found.map(({ columns }) => columns)).toEqual([["name", "balance"], ["name"]]);
    expect(await database.appliedMigrations()).toEqual(new Set());
    await database.ping();
  });

  it("C113 finds equal JSON with any order of its keys", async () => {
    const { database } = open(await makeFile());
    const accounts = database.of("Account");
    await accounts.create({ data: { name: "a", data: { bb: [{ d: 1, c: 2 }], a: 1 } }, select: ids });
    const where = { data: { equals: { a: 1, bb: [{ c: 2, d: 1 }] } } };
    expect(await accounts.count({ where })).toBe(1);
    const [row] = await accounts.findMany();
    expect(JSON.stringify(row?.data)).toBe('{"a":1,"bb":[{"c":2,"d":1}]}');
  });

  it("C113 sorts NULL last in ascending order, and first in descending order, also of related rows", async () => {
    const { client, database } = open(await makeFile());
    await client.owner.createMany({ data: [{ id: 1 }, { id: 2 }] });
    await client.account.createMany({
      data: [
        { name: "a", rate: 1, ownerId: 2 },
        { name: "b", rate: null, ownerId: null },
        { name: "c", rate: 0, ownerId: 1 },
        { name: "d", rate: 2, ownerId: 2 },
      ],
    });
    const sorted = async (...orderBy: readonly Clause[]) =>
      (await database.of("Account").findMany({ orderBy, select: { name: true } })).map(({ name }) => name).join("");
    expect(await sorted({ rate: "asc" })).toBe("cadb");
    expect(await sorted({ rate: "desc" })).toBe("bdac");
    expect(await sorted({ name: "desc" })).toBe("dcba");
    expect(await sorted({ rate: { sort: "asc", nulls: "first" } })).toBe("bcad");
    expect(await sorted({ ownerId: "desc" }, { name: "asc" })).toBe("badc");
    const owners = async (...orderBy: readonly Clause[]) =>
      (await database.of("Owner").findMany({ orderBy })).map(({ id }) => id);
    expect(await owners({ accounts: { _count: "desc" } })).toEqual([2, 1]);
    expect(await owners({ accounts: { _count: "asc" } })).toEqual([1, 2]);
    const reading = (at: string, sensorId: number | null) => ({ at: new Date(at), value: 1, sensorId });
    await client.sensor.create({ data: { id: 7 } });
    await client.reading.createMany({ data: [reading("2024-01-01", null), reading("2024-01-02", 7)] });
    const readings = async (orderBy: Clause) =>
      (await database.of("Reading").findMany({ orderBy: [orderBy] })).map(({ sensorId }) => sensorId);
    expect(await readings({ sensorId: "asc" })).toEqual([7, null]);
    expect(await readings({ sensorId: "desc" })).toEqual([null, 7]);
  });

  it("C113 compares texts in conditions on related rows, in groups and in selected relations", async () => {
    const { client, database } = open(await makeFile());
    await client.owner.create({ data: { id: 1, accounts: { create: [{ name: "Ann" }, { name: "a%n" }] } } });
    await client.owner.create({ data: { id: 2, accounts: { create: [{ name: "BEN" }] } } });
    const found = async (where: Clause) =>
      (await database.of("Owner").findMany({ where, orderBy: [{ id: "asc" }] })).map(({ id }) => id);
    const like = (contains: string) => ({ name: { contains, mode: "insensitive" } });
    expect(await found({ accounts: { some: like("ANN") } })).toEqual([1]);
    expect(await found({ accounts: { none: like("ANN") } })).toEqual([2]);
    expect(await found({ accounts: { every: like("n") } })).toEqual([1, 2]);
    expect(await found({ accounts: { some: { name: { startsWith: "ann" } } } })).toEqual([]);
    expect(await found({ OR: [{ accounts: { some: like("ben") } }, { id: 1 }] })).toEqual([1, 2]);
    expect(await found({ NOT: { accounts: { some: like("ben") } } })).toEqual([1]);
    expect(await found({ AND: [{ accounts: { some: like("a\\%") } }] })).toEqual([1]);
    const accounts = (where: Clause) =>
      database.of("Account").findMany({ where, orderBy: [{ id: "asc" }], select: { name: true } });
    expect(await accounts({ name: { not: { contains: "n" } } })).toEqual([{ name: "BEN" }]);
    expect(await accounts({ name: { equals: "ben", mode: "insensitive" } })).toEqual([{ name: "BEN" }]);
    expect(await accounts({ name: { equals: "ben" } })).toEqual([]);
    expect(await accounts({ name: { endsWith: "N", mode: "insensitive" } })).toHaveLength(3);
    expect(await accounts({ name: { in: ["BEN"] } })).toEqual([{ name: "BEN" }]);
    expect(await accounts({ name: { gt: "Ann", lt: "a" } })).toEqual([{ name: "BEN" }]);
    expect(await accounts({ name: { not: "BEN" } })).toEqual([{ name: "Ann" }, { name: "a%n" }]);
    await expect(accounts({ name: { gt: "a", mode: "insensitive" } })).rejects.toMatchObject({
      code: "InvalidArguments",
    });
    expect(await accounts({ name: { not: "BEN", mode: "insensitive" } })).toHaveLength(2);
    expect(await accounts({ owner: { is: { accounts: { some: like("ben") } } } })).toEqual([{ name: "BEN" }]);
    expect(await accounts({ owner: { accounts: { some: like("ben") } } })).toEqual([{ name: "BEN" }]);
    expect(await accounts({ owner: null })).toEqual([]);
    const select = {
      id: true,
      accounts: { where: like("ANN"), select: { name: true } },
      _count: { select: { accounts: { where: like("n") } } },
    };
    expect(await database.of("Owner").findMany({ select, orderBy: [{ id: "asc" }] })).toEqual([
      { id: 1, accounts: [{ name: "Ann" }], _count: { accounts: 2 } },
      { id: 2, accounts: [], _count: { accounts: 1 } },
    ]);
    const include = { owner: { include: { accounts: { where: like("ann") } } } };
    expect(await database.of("Account").findFirst({ where: { name: "a%n" }, include })).toMatchObject({
      owner: { id: 1, accounts: [{ name: "Ann" }] },
    });
  });

  it("C113 rejects conditions that it cannot compare as PostgreSQL does", async () => {
    const { database } = open(await makeFile());
    for (const where of [
      { data: { path: ["a"], equals: 1 } },
      { name: { in: ["a"], mode: "insensitive" } },
      { NOT: { name: { equals: "a", contains: "a", mode: "insensitive" } } },
    ])
      await expect(database.of("Account").count({ where })).rejects.toMatchObject({ code: "InvalidArguments" });
  });

  it("C113 has the URL of a file", () => {
    for (const url of [
      "postgresql://localhost/a",
      "file:",
      ":memory:",
      "file::memory:",
      "file:a.db?mode=ro",
      "libsql://a",
    ])
      expect(() => makeSqliteAdapter({ url })).toThrow("is that of a file without parameters");
  });
});

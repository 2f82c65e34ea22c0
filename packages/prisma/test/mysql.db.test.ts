import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createMysqlDatabase, type MysqlDatabase } from "../../../scripts/test/mysql-database.js";
import { type Change, startMysqlProxy } from "../../../scripts/test/mysql-proxy.js";
import { providers } from "../../../scripts/test/provider-database.js";
import { type Database, makeDatabase, readModels } from "../src/index.js";
import { caseInsensitiveColumns } from "../src/internal.js";
import { type MysqlSettings, makeMysqlAdapter } from "../src/mysql/index.js";
import { PrismaClient } from "./generated/bank/client/client.js";
import { models as data } from "./generated/bank/models.js";

const models = readModels(data);
let server: MysqlDatabase;
const closing: (() => unknown)[] = [];

function open(settings: Partial<MysqlSettings> = {}) {
  const timeouts = { poolWaitMs: 60_000, statementMs: 60_000 };
  const adapter = makeMysqlAdapter({ url: server.url, timeouts, ...settings });
  const client = new PrismaClient({ adapter });
  const database = makeDatabase({ client, models, connections: adapter.connections });
  closing.push(() => database.disconnect());
  return { client, database };
}

const id = { id: true } as const;
let made = 0;
const create = (database: Database, fields: object = {}) =>
  database.of("Account").create({ data: { name: `account ${made++}`, ...fields }, select: id });

/** Calls of `pass` continue when as many as `count` have been made. */
function makeBarrier(count: number): () => Promise<void> {
  let waiting = 0;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return () => {
    if (++waiting === count) open();
    return opened;
  };
}

/** The bytes of a statement with other ones of the same length. */
const replaced = (sent: Buffer, from: string, to: string): Buffer =>
  Buffer.from(sent.toString("latin1").replace(from, to), "latin1");

describe.skipIf(!providers.includes("mysql"))("C119 a MySQL or MariaDB database", () => {
  beforeAll(async () => {
    server = await createMysqlDatabase(models);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(() => server?.drop());

  it("C120 finds its applied migrations, and not the failed and rolled back ones", async () => {
    const { database } = open();
    expect(await database.appliedMigrations()).toEqual(new Set());
    await server.run(
      "CREATE TABLE _prisma_migrations (migration_name VARCHAR(255), finished_at DATETIME(3), rolled_back_at DATETIME(3))",
    );
    await server.run(
      "INSERT INTO _prisma_migrations VALUES ('1_a', NOW(3), NULL), ('2_b', NULL, NULL), ('3_c', NOW(3), NOW(3))",
    );
    expect(await database.appliedMigrations()).toEqual(new Set(["1_a"]));
    await server.run("DROP TABLE _prisma_migrations");
  });

  it("C119 has strict values, UTC, utf8mb4, READ COMMITTED and a limit of statements on each connection", async () => {
    const { client } = open({ timeouts: { statementMs: 7_500 } });
    const read = async (run: Pick<PrismaClient, "$queryRawUnsafe">) => {
      const [row] = (await run.$queryRawUnsafe(
        "SELECT @@sql_mode AS mode, @@time_zone AS zone, @@character_set_client AS letters, @@innodb_lock_wait_timeout AS wait",
      )) as [{ mode: string; zone: string; letters: string; wait: bigint }];
      return { ...row, wait: Number(row.wait), mode: row.mode.split(",").sort() };
    };
    const expected = {
      mode: [
        "ERROR_FOR_DIVISION_BY_ZERO",
        "NO_ENGINE_SUBSTITUTION",
        "NO_ZERO_DATE",
        "NO_ZERO_IN_DATE",
        "ONLY_FULL_GROUP_BY",
        "STRICT_ALL_TABLES",
      ],
      zone: "+00:00",
      letters: "utf8mb4",
      wait: 8,
    };
    expect(await read(client)).toEqual(expected);
    expect(await client.$transaction((inside) => read(inside))).toEqual(expected);
  });

  it("C119 ends a statement after the time limit with 504, and a wait for a lock", async () => {
    const { client, database } = open({ timeouts: { statementMs: 1_000, poolWaitMs: 60_000 } });
    // MySQL ends a SLEEP early without an error.
    const names = "information_schema.COLLATIONS";
    const slow = client.$queryRawUnsafe(`SELECT COUNT(*) FROM ${names} a, ${names} b, ${names} c, ${names} d`);
    await expect(slow).rejects.toThrow();
    const { id: account } = (await create(database)) as { id: number };
    const release = makeBarrier(2);
    const locked = makeBarrier(2);
    const holder = open().database.transaction(async (inside) => {
      await inside.of("Account").lock({ id: account });
      await locked();
      await release();
    });
    await locked();
    const waiting = database.of("Account").update({ where: { id: account }, data: { balance: 1 }, select: id });
    await expect(waiting).rejects.toMatchObject({ status: 504, code: "DatabaseTimeout" });
    await release();
    await holder;
  });

  it("C119 rejects a query with 503 if no connection is free, and continues afterwards", async () => {
    const { database } = open({ poolSize: 1, timeouts: { poolWaitMs: 300 } });
    const release = makeBarrier(2);
    const started = makeBarrier(2);
    const holder = database.transaction(async (inside) => {
      await inside.of("Account").count();
      await started();
      await release();
    });
    await started();
    await expect(database.of("Account").count()).rejects.toMatchObject({ status: 503, code: "DatabaseUnavailable" });
    await expect(database.ping(60_000)).resolves.toBeUndefined();
    await release();
    await holder;
    expect(await database.of("Account").count()).toBeTypeOf("number");
  });

  it("C119 rejects a query with 503 if the server cannot be reached, and keeps the process", async () => {
    const url = "mysql://root@127.0.0.1:1/nothing";
    const { database } = open({ url, timeouts: { poolWaitMs: 300 } });
    await expect(database.of("Account").count()).rejects.toMatchObject({ status: 503 });
    await expect(database.of("Account").count()).rejects.toMatchObject({ status: 503 });
  });

  const isSetup = (sent: Buffer): boolean => sent.includes("SET ");
  const setups: readonly [string, (sent: Buffer) => ReturnType<Change>, string][] = [
    ["closes the connection", () => "close", "socket has unexpectedly been closed"],
    ["rejects a setting", (sent) => replaced(sent, "'+00:00'", "'+99:00'"), "Unknown or incorrect time zone: '+99:00'"],
    ["does not respond", () => "drop", "The server did not respond for 2000 ms."],
  ];

  it.each(setups)(
    "C119 rejects a query with 503 if the server %s during the set-up of a connection, and keeps the process",
    async (_case, change, reason) => {
      let isFailing = true;
      const proxy = await startMysqlProxy(server.url, (sent) => (isFailing && isSetup(sent) ? change(sent) : sent));
      closing.push(() => proxy.close());
      const unhandled = vi.fn();
      process.on("unhandledRejection", unhandled);
      closing.push(() => process.off("unhandledRejection", unhandled));
      const { database } = open({ url: proxy.url, timeouts: { poolWaitMs: 2_000 } });
      const count = () => database.of("Account").count();
      await expect(count()).rejects.toMatchObject({
        status: 503,
        code: "DatabaseUnavailable",
        cause: { cause: { message: expect.stringContaining(reason) } },
      });
      await expect(database.transaction(() => count())).rejects.toMatchObject({ status: 503 });
      await expect(database.ping(60_000)).rejects.toThrow(reason);
      isFailing = false;
      expect(await count()).toBeTypeOf("number");
      await database.ping(60_000);
      // A used and an idle one of the pool, and that of the queries outside Prisma Client: none of failed attempts.
      await expect.poll(() => proxy.open()).toBeLessThanOrEqual(3);
      expect(unhandled).not.toHaveBeenCalled();
    },
  );

  it("C119 loses no increment of concurrent transactions that lock and read first", async () => {
    const { database } = open();
    const { id: account } = await create(database);
    const add = () =>
      database.transaction(async (inside) => {
        const rows = inside.of("Account");
        expect(await rows.lock({ id: account })).toBe(true);
        const row = await rows.findUnique({ where: { id: account } });
        await rows.update({ where: { id: account }, data: { balance: Number(row?.balance) + 1 }, select: id });
      });
    await Promise.all(Array.from({ length: 20 }, add));
    expect(await database.of("Account").findUnique({ where: { id: account } })).toMatchObject({ balance: 20 });
    await database.transaction(async (inside) => {
      expect(await inside.of("Account").lock({ id: -1 })).toBe(false);
    });
  });

  it("C119 repeats a transaction after a deadlock", async () => {
    const { database } = open();
    const accounts = await Promise.all([create(database), create(database)]);
    const keys = accounts.map((row) => ({ id: row.id }));
    const both = makeBarrier(2);
    let runs = 0;
    const swap = (order: readonly { id: unknown }[]) =>
      database.transaction(async (inside) => {
        runs++;
        const [first, second] = order;
        const rows = inside.of("Account");
        await rows.update({ where: { ...first }, data: { balance: { increment: 1 } }, select: id });
        await both();
        await rows.update({ where: { ...second }, data: { balance: { increment: 1 } }, select: id });
      });
    await Promise.all([swap(keys), swap([...keys].reverse())]);
    expect(runs).toBe(3);
    const found = await database.of("Account").findMany({ where: { OR: keys } });
    expect(found.map(({ balance }) => balance)).toEqual([2, 2]);
  });

  it("C119 updates a row by other conditions for one of the concurrent writers only", async () => {
    const { database } = open();
    const { id: account } = await create(database);
    const change = (balance: number) =>
      database.of("Account").update({ where: { id: account, balance: 0 }, data: { balance }, select: id });
    const results = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => change(index + 1)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ status: 404, code: "NotFound" });
    const remove = () => database.of("Account").delete({ where: { id: account, isOpen: true }, select: id });
    const removals = await Promise.allSettled([remove(), remove(), remove()]);
    expect(removals.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("C119 returns created rows in their order, with ids of the database, of Prisma or of the caller", async () => {
    const { database } = open();
    const names = (batch: number) => Array.from({ length: 30 }, (_, index) => `batch ${batch} ${index}`);
    const batches = [0, 1, 2, 3];
    const created = await Promise.all(
      batches.map((batch) =>
        database
          .of("Account")
          .createMany({ data: names(batch).map((name) => ({ name })), select: { id: true, name: true } }),
      ),
    );
    for (const batch of batches) expect(created[batch]?.map(({ name }) => name)).toEqual(names(batch));
    const tags = await database.of("Tag").createMany({ data: [{ name: "b" }, { name: "a" }], select: { name: true } });
    expect(tags).toEqual([{ name: "b" }, { name: "a" }]);
    const shares = [
      { accountId: 2, holder: "é", percent: 1 },
      { accountId: 1, holder: "É", percent: 2 },
    ];
    expect(
      await database.of("Share").createMany({ data: shares, select: { holder: true, percent: true } }),
    ).toMatchObject([
      { holder: "é", percent: 1 },
      { holder: "É", percent: 2 },
    ]);
    const transfers = await database.of("Transfer").createMany({
      data: [5, 6].map((amount) => ({ amount, accountId: created[0]?.[0]?.id })),
      select: { id: true, amount: true },
    });
    expect(transfers.map(({ id: key, amount }) => [typeof key, amount])).toEqual([
      ["bigint", 5],
      ["bigint", 6],
    ]);
  });

  it("C119 returns created rows whose decimal keys are written with zeros at their end", async () => {
    const { database } = open();
    const data = ["1.50", "20.00", 0.75].map((percent) => ({ percent, name: String(percent) }));
    const created = await database.of("Rate").createMany({ data, select: { name: true } });
    expect(created.map(({ name }) => name)).toEqual(["1.50", "20.00", "0.75"]);
  });

  it("C119 creates all rows or none, and updates the rows that still match after the lock", async () => {
    const { database } = open();
    const { id: account } = await create(database, { name: "taken", memo: "many" });
    const some = [{ name: "free" }, { name: "taken" }];
    await expect(database.of("Account").createMany({ data: some, select: id })).rejects.toMatchObject({ status: 409 });
    expect(await database.of("Account").count({ where: { name: "free" } })).toBe(0);
    const where = { memo: "many" };
    const changed = await database.of("Account").updateMany({ where, data: { memo: "one" }, select: { memo: true } });
    expect(changed).toMatchObject([{ memo: "one" }]);
    expect(await database.of("Account").updateMany({ where, data: { memo: "two" }, select: id })).toEqual([]);
    await database.of("Account").delete({ where: { id: account }, select: id });
  });

  it("C119 names the fields of duplicate and foreign keys with names of their own", async () => {
    const { database } = open();
    await create(database, { name: "same" });
    await expect(create(database, { name: "same" })).rejects.toMatchObject({
      status: 409,
      errors: [{ path: "/name", code: "UniqueConstraint" }],
    });
    const transfer = { accountId: 0, amount: 1 };
    await expect(database.of("Transfer").create({ data: transfer, select: id })).rejects.toMatchObject({
      status: 400,
      errors: [{ path: "/accountId", code: "RelatedRecordNotFound" }],
    });
    const { id: account } = await create(database);
    await database.of("Transfer").create({ data: { accountId: account, amount: 1 }, select: id });
    await expect(database.of("Account").delete({ where: { id: account }, select: id })).rejects.toMatchObject({
      status: 409,
      code: "ForeignKeyConstraint",
    });
    const share = { accountId: 9, holder: "x", percent: 1 };
    await database.of("Share").create({ data: share, select: { holder: true } });
    await expect(database.of("Share").create({ data: share, select: { holder: true } })).rejects.toMatchObject({
      status: 409,
      errors: [{ path: "/accountId" }, { path: "/holder" }],
    });
  });

  it("C119 rejects values that a column does not store", async () => {
    const { database } = open();
    for (const [fields, status, code] of [
      [{ name: "x".repeat(51) }, 400, "ValueTooLong"],
      [{ small: 65_536 }, 400, "ValueOutOfRange"],
      [{ small: -1 }, 400, "ValueOutOfRange"],
      [{ huge: -1n }, 400, "ValueOutOfRange"],
      [{ amount: "1234567890123" }, 400, "ValueOutOfRange"],
      [{ at: new Date("0999-12-31T00:00:00Z") }, 400, "ValueOutOfRange"],
    ] as const)
      await expect(create(database, fields), JSON.stringify(Object.keys(fields))).rejects.toMatchObject({
        status,
        code,
      });
  });

  it("C119 returns the values that were written", async () => {
    const { database } = open();
    const values = {
      isOpen: false,
      small: 65_535,
      large: 2_147_483_647,
      huge: 9_223_372_036_854_775_807n,
      at: new Date("2024-03-31T01:30:00.123Z"),
      day: new Date("2024-02-29T00:00:00.000Z"),
      memo: "🎵 É ".repeat(2_000),
    };
    const decimals = { amount: "123456789012.12345678", exact: "0.123456789012345678901234567890" };
    const { id: account } = await create(database, { ...values, ...decimals });
    const row = await database.of("Account").findUnique({ where: { id: account } });
    expect(row).toMatchObject(values);
    expect(String(row?.amount)).toBe(decimals.amount);
    const { exact } = row as { exact: { toFixed(): string } };
    expect(exact.toFixed()).toBe(decimals.exact.replace(/0$/, ""));
    expect(await database.of("Account").count({ where: { ...values, exact: decimals.exact } })).toBe(1);
  });

  it("C119 lists the columns whose texts are compared without regard to case", async () => {
    const { client } = open();
    const query = (statement: string) => client.$queryRawUnsafe<object[]>(statement);
    await server.run(
      "ALTER TABLE Account MODIFY name VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL, MODIFY memo TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    );
    const found = await caseInsensitiveColumns(query, models);
    expect(found).toContain("Account.name");
    expect(found).not.toContain("Account.memo");
    await server.run("ALTER TABLE Account MODIFY memo TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci");
    await server.run("CREATE TABLE Other (name VARCHAR(50) COLLATE utf8mb4_general_ci)");
    await server.run("ALTER TABLE Account ADD extra VARCHAR(50) COLLATE utf8mb4_general_ci");
    const more = await caseInsensitiveColumns(query, models);
    expect(more.filter((name) => name.startsWith("Account"))).toEqual(["Account.name", "Account.memo"]);
    expect(more.filter((name) => name.startsWith("Other"))).toEqual([]);
    await server.run("ALTER TABLE Account DROP extra");
    await server.run("DROP TABLE Other");
  });

  it("C119 lists no unique index of the start of a text, and those of several columns in their order", async () => {
    await server.run("CREATE UNIQUE INDEX starts ON Account (memo(10))");
    await server.run("CREATE UNIQUE INDEX pair ON Tag (name, id)");
    const found = await open().database.uniqueIndexes([...models.values()]);
    expect(found.map(({ model, name, columns }) => [model.name, name, columns])).toEqual([
      ["Account", "name of it", ["name"]],
      ["Tag", "pair", ["name", "id"]],
    ]);
    await server.run("DROP INDEX starts ON Account");
    await server.run("DROP INDEX pair ON Tag");
    const unreachable = open({ url: "mysql://root@127.0.0.1:1/nothing", timeouts: { poolWaitMs: 100 } });
    expect(await unreachable.database.uniqueIndexes([...models.values()])).toEqual([]);
  });

  it("C119 lists the missing tables and the unique indexes", async () => {
    const { database } = open();
    expect(await database.missingTables()).toEqual([]);
    const found = await database.uniqueIndexes([...models.values()]);
    expect(found.map(({ model, name, columns }) => [model.name, name, columns])).toEqual([
      ["Account", "name of it", ["name"]],
    ]);
    await server.run("RENAME TABLE Tag TO Renamed");
    expect(await database.missingTables()).toEqual(["Tag"]);
    await server.run("RENAME TABLE Renamed TO Tag");
  });
});

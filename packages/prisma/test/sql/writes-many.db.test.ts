import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { foundRows } from "../../src/database/executor.js";
import { makeDatabase } from "../../src/database/make-database.js";
import { sqlExecutor } from "../../src/sql/sql-executor.js";
import { models } from "../kinds.js";
import { complete, jsonOf, openWrites, scalars, selectOf, type Writes, withoutText } from "./open-writes.js";

let opened: Writes;
let { kinds, client, adapter, database, written } = {} as Writes;
beforeAll(async () => {
  opened = await openWrites(inject("postgresUrl"));
  ({ kinds, client, adapter, database, written } = opened);
});
afterAll(() => opened?.close());

it("C71 C14 many rows are one statement, stored and returned as by Prisma, in order", async () => {
  const select = selectOf("Scalar");
  const withoutIds = (rows: readonly unknown[]) => rows.map((row) => ({ ...(row as object), id: 0 }));
  const right = await kinds.database.of("Scalar").createMany({ data: scalars, select });
  for (const way of [
    () => database.of("Scalar").createMany({ data: scalars, select }),
    () => database.transaction((inside) => inside.of("Scalar").createMany({ data: scalars, select })),
  ]) {
    const before = written.length;
    const rows = await way();
    expect(written.length - before).toBeLessThan(2);
    expect(withoutIds(rows)).toEqual(withoutIds(right));
    const texts = (made: readonly Readonly<Record<string, unknown>>[]) =>
      kinds.sql(
        `SELECT (t.*)::text AS text FROM (SELECT s.*, 0 AS id FROM "Scalar" s WHERE s.id = ANY($1) ORDER BY s.id) t`,
        [made.map(({ id }) => id)],
      );
    const plain = (reported: readonly Record<string, unknown>[]) =>
      reported.map(({ text }) => String(text).replace(/^\(\d+/, ""));
    expect(plain(await texts(rows))).toEqual(plain(await texts(right)));
    const ids = rows.map(({ id }) => Number(id));
    expect([...ids].sort((one, other) => one - other)).toEqual(ids);
  }
});

it("C71 C14 fields that some rows lack are NULL, whatever their default, as by Prisma", async () => {
  await kinds.sql(`ALTER TABLE "Scalar" ALTER COLUMN string SET DEFAULT 'by the database'`);
  const select = { int: true, string: true, float: true };
  for (const data of [
    [{ int: 1 }, { int: 2, string: "given" }, { float: 1 }],
    [{ int: 1 }, { int: 2 }],
  ]) {
    const right = await kinds.database.of("Scalar").createMany({ data, select });
    expect(await database.of("Scalar").createMany({ data, select })).toEqual(right);
  }
  await kinds.sql(`ALTER TABLE "Scalar" ALTER COLUMN string DROP DEFAULT`);
});

it("C71 C14 many changes are one statement: all of them, or none if a row is missing", async () => {
  const select = { id: true, int: true, string: true };
  const made = await kinds.database.of("Scalar").createMany({ data: [{ int: 1 }, { int: 2 }, { int: 3 }], select });
  const [one, two, three] = made.map(({ id }) => id);
  const changes = [
    { where: { id: three }, data: { int: 33 } },
    { where: { id: one }, data: { string: "x" } },
    { where: { id: two }, data: { int: null } },
  ];
  const before = written.length;
  const rows = await database.of("Scalar").updateEach({ changes, select });
  expect(written.length - before).toBe(1);
  expect(rows).toEqual([
    { id: three, int: 33, string: null },
    { id: one, int: 1, string: "x" },
    { id: two, int: null, string: null },
  ]);
  for (const to of [database, kinds.open(), makeDatabase({ client, models, schema: "public" })]) {
    const missing = [
      { where: { id: one }, data: { string: "y" } },
      { where: { id: -1 }, data: { string: "y" } },
    ];
    await expect(to.of("Scalar").updateEach({ changes: missing, select })).rejects.toMatchObject({ status: 404 });
    expect(await kinds.sql(`SELECT string FROM "Scalar" WHERE id = $1`, [one])).toEqual([{ string: "x" }]);
  }
});

it("C71 C14 bulk writes return the JSON of their rows, without hidden fields", async () => {
  const select = selectOf("Scalar");
  const [first] = await kinds.sql(`SELECT coalesce(max(id), 0)::int AS id FROM "Scalar"`);
  const where = { id: { gt: first?.id } };
  const { link } = adapter;
  const reads = makeDatabase({ client, models, executor: sqlExecutor({ client, link, models, schema: "public" }) });
  for (const seen of [complete, withoutText]) {
    const args = { where, select, orderBy: { id: "asc" } };
    const shown = async () => jsonOf(await reads.of("Scalar").execute({ operation: "findMany", args }, seen));
    const before = written.length;
    const created = await database
      .of("Scalar")
      .execute({ operation: "createMany", args: { data: scalars, select } }, seen);
    expect([foundRows(created), written.length - before]).toEqual([scalars.length, 1]);
    expect(jsonOf(created)).toBe(await shown());
    expect(jsonOf(created).includes('"string"')).toBe(seen === complete);
    const ids = await kinds.sql(`SELECT id FROM "Scalar" WHERE id > $1 ORDER BY id`, [first?.id]);
    const changes = ids.map(({ id }, at) => ({ where: { id }, data: { int: at, decimal: `${at}.5` } }));
    const change = () =>
      database.transaction((inside) =>
        inside.of("Scalar").execute({ operation: "updateEach", args: { changes, select } }, seen),
      );
    expect(jsonOf(await change())).toBe(await shown());
    const missing = [...changes.slice(0, 2), { where: { id: -1 }, data: { int: 7 } }];
    await expect(
      database.of("Scalar").execute({ operation: "updateEach", args: { changes: missing, select } }, seen),
    ).rejects.toMatchObject({ status: 404 });
    await kinds.sql(`DELETE FROM "Scalar" WHERE id > $1`, [first?.id]);
  }
  const args = { data: scalars.slice(0, 3), select };
  const byPrisma = await kinds.database.of("Scalar").execute({ operation: "createMany", args }, complete);
  expect("rows" in byPrisma && byPrisma.rows.length).toBe(3);
  await kinds.sql(`DELETE FROM "Scalar" WHERE id > $1`, [first?.id]);
});

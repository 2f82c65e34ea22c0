import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type Database, makeDatabase } from "../../src/database/make-database.js";
import { sqlExecutor } from "../../src/sql/sql-executor.js";
import { models } from "../kinds.js";
import { openWrites, type Writes } from "./open-writes.js";

/** Characters that PostgreSQL lists and JSON must escape among others that they need not. */
const text = '"a\\b{,}é🎵 '.repeat(100_000);
const select = Object.freeze({ id: true, string: true, int: true });

let opened: Writes;
let engines: Readonly<Record<"sql" | "prisma", Database>>;
let where: { readonly id: number };
beforeAll(async () => {
  opened = await openWrites(inject("postgresUrl"));
  const { client, adapter } = opened;
  const settings = { client, link: adapter.link, models, schema: "public" };
  const common = { client, models, schema: "public" };
  engines = {
    sql: makeDatabase({ ...common, executor: sqlExecutor(settings) }),
    prisma: makeDatabase(common),
  };
  const { id } = await client.scalar.create({
    data: {
      string: text,
      boolean: true,
      int: 0,
      bigInt: 0n,
      float: 0,
      decimal: "0",
      dateTime: new Date(0),
      json: {},
      bytes: new Uint8Array(),
      stage: "DRAFT",
    },
  });
  where = { id };
});
afterAll(() => opened?.close());

const requests = {
  "an update in a transaction": (database: Database) =>
    database.transaction((inside) => inside.of("Scalar").update({ where, data: { int: 1 }, select })),
  "a bulk update in a transaction": (database: Database) =>
    database.transaction((inside) =>
      inside.of("Scalar").updateEach({ changes: [{ where, data: { int: 1 } }], select }),
    ),
  "a read in a transaction": (database: Database) =>
    database.transaction((inside) => inside.of("Scalar").findUnique({ where, select })),
  "a list in a transaction": (database: Database) =>
    database.transaction((inside) => inside.of("Scalar").findMany({ where, select, orderBy: { id: "asc" } })),
  "an update": (database: Database) => database.of("Scalar").update({ where, data: { int: 1 }, select }),
  "a read": (database: Database) => database.of("Scalar").findUnique({ where, select }),
  "a list": (database: Database) => database.of("Scalar").findMany({ where, select, orderBy: { id: "asc" } }),
};

/** The minimum processor time of a request, in milliseconds: other programs only add to it. */
async function costOf(run: () => Promise<unknown>): Promise<number> {
  let min = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 7; round++) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    min = Math.min(min, (user + system) / 1_000);
  }
  return min;
}

it.each(Object.entries(requests))(
  "C71 %s of a row with a long text costs no more than through Prisma",
  async (_, run) => {
    let sql = Number.POSITIVE_INFINITY;
    let prisma = Number.POSITIVE_INFINITY;
    // The first rounds may be those of code that V8 has not optimized yet.
    for (let attempt = 0; attempt < 5 && sql >= 2 * prisma + 10; attempt++) {
      sql = Math.min(sql, await costOf(() => run(engines.sql)));
      prisma = Math.min(prisma, await costOf(() => run(engines.prisma)));
    }
    expect(sql, `by SQL ${sql} ms, through Prisma ${prisma} ms`).toBeLessThan(2 * prisma + 10);
  },
);

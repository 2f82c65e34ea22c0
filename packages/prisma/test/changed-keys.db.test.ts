import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { createProviderDatabase, providers, type TestedProvider } from "../../../scripts/test/provider-database.js";
import type { ChangeLog, RowChanged } from "../src/database/change-log.js";
import { type Database, makeDatabase, readModels } from "../src/index.js";
import { chooseEngine } from "../src/internal.js";
import { makeMysqlAdapter } from "../src/mysql/index.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { makeSqliteAdapter } from "../src/sqlite/index.js";
import { PrismaClient } from "./generated/keys/client/client.js";
import { models as data } from "./generated/keys/models.js";
import { PrismaClient as MysqlClient } from "./generated/keys-mysql/client/client.js";
import { models as mysqlData } from "./generated/keys-mysql/models.js";
import { PrismaClient as SqliteClient } from "./generated/keys-sqlite/client/client.js";
import { models as sqliteData } from "./generated/keys-sqlite/models.js";

const recordedFields: Readonly<Record<string, readonly string[]>> = {
  Account: ["id", "name", "balance"],
  Share: ["accountId", "holder", "percent"],
};

/** A database, with the changes that it records. */
async function open(provider: TestedProvider, engine: "sql" | "prisma", changes: RowChanged[] | undefined) {
  const created = await createProviderDatabase(provider, inject("postgresUrl"), {
    project: "packages/prisma",
    fixture: "keys",
  });
  const { url } = created;
  const log: ChangeLog | undefined = changes && {
    fieldsOf: ({ name }) => recordedFields[name],
    entry: (model) => ({ changes: model, data: {} }),
    store: async (_of, _model, stored) => void changes.push(...stored),
  };
  const models = readModels({ postgresql: data, sqlite: sqliteData, mysql: mysqlData }[provider]);
  const postgres = () => {
    const adapter = makePostgresAdapter({ url });
    const client = new PrismaClient({ adapter });
    const choice = { client, adapter, models, schema: "public", engine: engine === "sql" ? "auto" : engine } as const;
    return { client, schema: "public", ...chooseEngine(choice) };
  };
  const settings = {
    postgresql: postgres,
    sqlite: () => ({ client: new SqliteClient({ adapter: makeSqliteAdapter({ url }) }) }),
    mysql: () => ({ client: new MysqlClient({ adapter: makeMysqlAdapter({ url }) }) }),
  }[provider]();
  const database = makeDatabase({ models, ...settings, ...(log === undefined ? {} : { changes: log }) });
  return {
    database,
    close: async () => {
      await database.disconnect();
      await created.drop();
    },
  };
}

const variants = (
  [
    ["postgresql", "prisma"],
    ["postgresql", "sql"],
    ["sqlite", "prisma"],
    ["mysql", "prisma"],
  ] as const
)
  .filter(([name]) => providers.includes(name))
  .flatMap(([provider, engine]) => [false, true].map((isRecorded) => ({ provider, engine, isRecorded })));

describe.each(variants)(
  "C113, C119 an update of many rows on $provider with the engine $engine, recorded: $isRecorded",
  ({ provider, engine, isRecorded }) => {
    const changes: RowChanged[] = [];
    let database: Database;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ database, close } = await open(provider, engine, isRecorded ? changes : undefined));
    });
    afterAll(() => close?.());
    beforeEach(async () => {
      for (const name of Object.keys(recordedFields))
        await database.of(name).deleteMany({ where: {}, everything: true });
      await database.of("Account").createMany({
        data: [10, 20, 30].map((id) => ({ id, name: `name ${id}`, balance: id })),
        select: { id: true },
      });
      await database.of("Share").createMany({
        data: ["ann", "bob"].map((holder) => ({ accountId: 1, holder, percent: 50 })),
        select: { holder: true },
      });
      changes.splice(0);
    });
    const stored = (name: string) =>
      database.of(name).findMany({ orderBy: [{ [name === "Share" ? "holder" : "id"]: "asc" }] });
    const recorded = () =>
      changes.map(({ operation, before, after }: RowChanged & { before?: object; after?: object }) => ({
        operation,
        before,
        after,
      }));

    it.each([
      [{ id: { increment: 1 } }, [11, 21]],
      [{ id: { decrement: 5 } }, [5, 15]],
      [{ id: { multiply: 4 } }, [40, 80]],
    ] as const)("returns and records the rows whose keys an operation changes: %j", async (change, ids) => {
      const rows = await database
        .of("Account")
        .updateMany({ where: { balance: { lt: 30 } }, data: change, select: { id: true, name: true } });
      const expected = ids.map((id, at) => ({ id, name: `name ${(at + 1) * 10}` }));
      expect(rows.toSorted((one, other) => Number(one.id) - Number(other.id))).toEqual(expected);
      expect(await stored("Account")).toHaveLength(3);
      for (const row of expected)
        expect(await stored("Account")).toContainEqual({ ...row, balance: expect.any(Number) });
      if (isRecorded)
        expect(recorded()).toEqual(
          expected.map((row, at) => {
            const before = { id: (at + 1) * 10, name: row.name, balance: (at + 1) * 10 };
            return { operation: "update", before, after: { ...before, id: row.id } };
          }),
        );
    });

    it.each([{ id: 7 }, { id: { set: 7 } }])("returns the row whose key is set: %j", async (change) => {
      expect(
        await database.of("Account").updateMany({ where: { name: "name 20" }, data: change, select: { id: true } }),
      ).toEqual([{ id: 7 }]);
      if (isRecorded) expect(recorded()).toMatchObject([{ before: { id: 20 }, after: { id: 7 } }]);
    });

    it("returns the rows whose key of two fields changes in one of them", async () => {
      const rows = await database.of("Share").updateMany({
        where: { accountId: 1 },
        data: { accountId: { increment: 1 }, percent: { set: 20 } },
        select: { accountId: true, holder: true, percent: true },
      });
      const expected = ["ann", "bob"].map((holder) => ({ accountId: 2, holder, percent: 20 }));
      expect(rows.toSorted((one, other) => String(one.holder).localeCompare(String(other.holder)))).toEqual(expected);
      expect(await stored("Share")).toEqual(expected);
      if (isRecorded) expect(recorded().map(({ after }) => after)).toEqual(expected);
    });

    it.each([{ balance: { increment: 100 } }, { balance: { set: 110 } }])(
      "returns the rows that no longer match the condition: %j",
      async (change) => {
        expect(
          await database
            .of("Account")
            .updateMany({ where: { balance: { lt: 15 } }, data: change, select: { id: true, balance: true } }),
        ).toEqual([{ id: 10, balance: 110 }]);
        if (isRecorded)
          expect(recorded()).toMatchObject([{ before: { balance: 10 }, after: { id: 10, balance: 110 } }]);
      },
    );

    it("changes no row when two rows would have the same key", async () => {
      const before = await stored("Account");
      await expect(
        database.of("Account").updateMany({ where: { balance: { gt: 15 } }, data: { id: 99 }, select: { id: true } }),
      ).rejects.toMatchObject({ status: 409, code: "UniqueConstraint" });
      expect(await stored("Account")).toEqual(before);
      expect(changes).toEqual([]);
    });
  },
);

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Database, makeDatabase } from "../src/index.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "./kinds.js";

let kinds: Kinds;
const opened: Database[] = [];
beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
});
afterAll(async () => {
  await Promise.all(opened.map((database) => database.disconnect()));
  await kinds?.close();
});

/** A database that records changes of these models. */
function open(recorded: Readonly<Record<string, readonly string[]>>): Database {
  const client = new PrismaClient({ adapter: makePostgresAdapter({ url: kinds.url }) });
  const database = makeDatabase({
    client,
    models,
    schema: "public",
    changes: {
      fieldsOf: ({ name }) => recorded[name],
      entry: (model) => ({ changes: model, data: {} }),
      store: async () => undefined,
    },
  });
  opened.push(database);
  return database;
}

describe("the rows of a recorded bulk delete", () => {
  it.each([
    ["of a recorded model", { Author: ["id", "email"], Profile: ["id", "bio"] }],
    ["of a model whose dependents are recorded", { Profile: ["id", "bio"] }],
  ])("cannot be referenced from their lock on, before they are deleted: %s", async (_case, recorded) => {
    const database = open(recorded);
    const people = [1, 2].map((id) => ({ id, email: `${id}@x`, password: "p" }));
    await database.of("Author").createMany({ data: people, select: { id: true } });
    // Its referencing rows are read after the lock.
    const unlock = await kinds.lockTable("Profile");
    const deleted = database.of("Author").deleteMany({ where: { id: { in: [1, 2] } } });
    await kinds.whenBlocked();
    for (const lock of ["KEY SHARE", "SHARE"])
      await expect(kinds.sql(`SELECT 1 FROM people WHERE id = 1 FOR ${lock} NOWAIT`)).rejects.toThrow(
        "could not obtain lock",
      );
    await unlock();
    expect(await deleted).toBe(2);
  });
});

describe("the rows of a recorded bulk update", () => {
  it("can be referenced while they are locked", async () => {
    const database = open({ Author: ["id", "karma"] });
    const people = [1, 2].map((id) => ({ id, email: `${id}@x`, password: "p" }));
    await database.of("Author").createMany({ data: people, select: { id: true } });
    await database.transaction(async (inside) => {
      const where = { id: { in: [1, 2] } };
      await inside.of("Author").updateMany({ where, data: { karma: 5 }, select: { id: true } });
      expect(await kinds.sql("SELECT 1 FROM people WHERE id = 1 FOR KEY SHARE NOWAIT")).toHaveLength(1);
      await expect(kinds.sql("SELECT 1 FROM people WHERE id = 1 FOR SHARE NOWAIT")).rejects.toThrow(
        "could not obtain lock",
      );
    });
    expect(await database.of("Author").deleteMany({ where: { id: { in: [1, 2] } } })).toBe(2);
  });
});

it("rows are found and deleted by patterns in the schema of the database", async () => {
  await kinds.sql('CREATE SCHEMA other; CREATE TABLE other."Tag" (name varchar(60) PRIMARY KEY)');
  await kinds.sql(`INSERT INTO other."Tag" VALUES ('ab'), ('cd'); INSERT INTO "Tag" VALUES ('ab')`);
  const url = new URL(kinds.url);
  url.searchParams.set("schema", "other");
  const client = new PrismaClient({ adapter: makePostgresAdapter({ url: url.href }) });
  const database = makeDatabase({ client, models, schema: "other" });
  opened.push(database);
  expect(await database.of("Tag").deleteMany({ where: { name: { contains: "b" } } })).toBe(1);
  const changed = { where: { name: { startsWith: "c" } }, data: { name: "ce" }, select: { name: true } };
  expect(await database.of("Tag").updateMany(changed)).toEqual([{ name: "ce" }]);
  expect(await kinds.sql('SELECT name FROM other."Tag"')).toEqual([{ name: "ce" }]);
  expect(await kinds.sql('SELECT name FROM "Tag"')).toEqual([{ name: "ab" }]);
});

it("rows that are found by a pattern are locked, deleted and updated in one transaction", async () => {
  const received: string[] = [];
  const adapter = makePostgresAdapter({ url: kinds.url });
  const client = new PrismaClient({ adapter, log: [{ emit: "event", level: "query" }] });
  client.$on("query", ({ query }) => received.push(query.split(" ", 1)[0] ?? ""));
  const database = makeDatabase({ client, models, schema: "public" });
  opened.push(database);
  await database.of("Profile").count();
  const statementsOf = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    await kinds.sql(`TRUNCATE "Tag" CASCADE; INSERT INTO "Tag" VALUES ('ab'), ('cd')`);
    await work();
    received.splice(0);
    await kinds.sql(`TRUNCATE "Tag" CASCADE; INSERT INTO "Tag" VALUES ('ab'), ('cd')`);
    await work();
    return received.splice(0);
  };
  const where = { name: { contains: "b" } };
  const deleted = await statementsOf(() => database.of("Tag").deleteMany({ where }));
  expect(deleted.slice(-2)).toEqual(["DELETE", "COMMIT"]);
  const update = { where, data: { name: "xy" }, select: { name: true } };
  const updated = await statementsOf(() => database.of("Tag").updateMany(update));
  expect(updated.at(-1)).toBe("COMMIT");
  for (const words of [deleted, updated]) expect(words.filter((word) => word === "COMMIT")).toHaveLength(1);
});

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { oneOf, someOf } from "../../../scripts/test/slow-share.js";
import { openUnusual, type UnusualWorld, unusualValues, writeUnusual } from "./unusual-world.js";
import { callBoth, findByShown, isFollowed, walk } from "./walk-unusual.js";

let database: UnusualWorld;
let ids: number[];
beforeAll(async () => {
  database = await openUnusual(inject("postgresUrl"));
  ids = await writeUnusual(database);
});
afterAll(() => database?.close());

const columns = Object.keys(unusualValues);

it("C92 lists and reads every value that another program wrote, equally with both engines", async () => {
  const seen: number[] = [];
  for (let page = 1; ; page++) {
    const { status, body } = await callBoth(database, "GET", `/things?page=${page}&limit=50`);
    expect(status).toBe(200);
    seen.push(...body.data.map(({ id }: { id: number }) => id));
    if (page >= body.meta.pages) break;
  }
  expect(seen).toEqual(ids);
  for (const id of ids) expect((await callBoth(database, "GET", `/things/${id}`)).status).toBe(200);
});

describe("C92 a cursor of one row per page returns each row once", () => {
  it.each(oneOf(columns.filter(isFollowed)))("sorted by %s, in both directions", async (name) => {
    const up = await walk(database, "things", name, 1);
    const down = await walk(database, "things", `-${name}`, 1);
    const idOf = (row: unknown): number => (row as { id: number }).id;
    expect(up.map(idOf).sort((a, b) => a - b)).toEqual(ids);
    expect(down.map(idOf).sort((a, b) => a - b)).toEqual(ids);
  });
});

it.each(someOf(columns))("C92 a returned value of %s finds its row", async (name) => {
  const own = (
    await database.sql<{ id: number }>(`SELECT id FROM "Thing" WHERE "${name}" IS NOT NULL ORDER BY id`)
  ).map(({ id }) => id);
  for (const id of own) {
    const { body } = await callBoth(database, "GET", `/things/${id}`);
    if (!name.startsWith("json")) expect(body.data[name]).not.toBeNull();
    else if (body.data[name] === null) continue;
    await findByShown(database, body.data, name);
  }
});

it("C92 updates and deletes every such row, alone and together", async () => {
  for (const id of ids) {
    expect((await callBoth(database, "PATCH", `/things/${id}`, { varied: "v" })).status, String(id)).toBe(200);
  }
  for (let at = 0; at < ids.length; at += 20) {
    const some = ids.slice(at, at + 20);
    const items = some.map((id) => ({ id, varied: "w" }));
    expect((await callBoth(database, "PATCH", "/things/many", items)).body.meta.count).toBe(some.length);
    const filter = `id__in=${some.join(",")}`;
    expect((await callBoth(database, "PATCH", `/things/many?${filter}`, { varied: "x" })).body.meta.count).toBe(
      some.length,
    );
  }
  for (const [at, id] of ids.entries()) {
    const { call } = database.served[at % 2 === 0 ? "sql" : "prisma"];
    if (at % 3 === 0) expect((await call("DELETE", `/things/${id}`)).status).toBe(204);
    else if (at % 3 === 1) expect((await call("DELETE", "/things/many", { ids: [id] })).body.meta.count).toBe(1);
    else expect((await call("DELETE", `/things/many?id=${id}`)).body.meta.count).toBe(1);
  }
  expect(await database.sql('SELECT id FROM "Thing"')).toEqual([]);
});

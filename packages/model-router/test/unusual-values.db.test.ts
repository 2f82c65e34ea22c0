import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { openUnusual, type UnusualWorld, writeUnusual } from "./unusual-world.js";
import { callBoth, findByShown, isFollowed, walk } from "./walk-unusual.js";

const columns = ["stamp", "zoned6", "double", "plain", "jsonb", "ints", "stamps6"];

let database: UnusualWorld;
let ids: number[];
beforeAll(async () => {
  database = await openUnusual(inject("postgresUrl"));
  ids = await writeUnusual(database, columns);
});
afterAll(() => database?.close());

it("C92 lists, paginates, finds, updates and deletes rows of unusual values equally with both engines", async () => {
  const idOf = (row: unknown): number => (row as { id: number }).id;
  const { body } = await callBoth(database, "GET", "/things?limit=100");
  expect(body.data.map(idOf)).toEqual(ids);
  for (const name of columns.filter(isFollowed)) {
    for (const sort of [name, `-${name}`]) {
      expect(
        (await walk(database, "things", sort, 7)).map(idOf).sort((a, b) => a - b),
        sort,
      ).toEqual(ids);
    }
  }
  // unusual-values.slow.test.ts finds every row.
  for (const row of body.data.filter((_: unknown, index: number) => index % 3 === 0)) {
    const name = columns.find((one) => row[one] !== null && row[one].length !== 0);
    if (name !== undefined) await findByShown(database, row, name);
  }
  for (const id of ids) expect((await callBoth(database, "PATCH", `/things/${id}`, { varied: "v" })).status).toBe(200);
  const { body: changed } = await callBoth(database, "PATCH", "/things/many?varied__in=v,w", { varied: "w" });
  expect(changed.meta.count).toBe(ids.length);
  expect((await database.served.sql.call("DELETE", "/things/many?varied=w")).body.meta.count).toBe(ids.length);
});

it("C92 returns each value as PostgreSQL has it", async () => {
  const shown = async (column: string, value: string): Promise<string> => {
    const [row] = await database.sql<{ id: number }>(
      `INSERT INTO "Thing" ("${column}") VALUES ($1) RETURNING id`,
      value,
    );
    const texts = await Promise.all(
      [database.served.sql, database.served.prisma].map(async ({ url }) =>
        (await fetch(`${url}/things/${row?.id}?fields=${column}`)).text(),
      ),
    );
    expect(texts[1]).toBe(texts[0]);
    return /^\{"data":\{"\w+":(.*)\}\}$/.exec(texts[0] ?? "")?.[1] ?? "";
  };
  expect(await shown("stamp", "infinity")).toBe('"infinity"');
  expect(await shown("day", "-infinity")).toBe('"-infinity"');
  expect(await shown("zoned6", "0044-03-15 10:00:00 BC")).toBe('"-000043-03-15T10:00:00.000Z"');
  expect(await shown("zoned6", "2024-02-29 12:30:00.123456")).toBe('"2024-02-29T12:30:00.123456Z"');
  expect(await shown("stamp", "12025-01-01")).toBe('"+012025-01-01T00:00:00.000Z"');
  expect(await shown("double", "NaN")).toBe('"NaN"');
  expect(await shown("plain", "-Infinity")).toBe('"-Infinity"');
  expect(await shown("jsonb", '[12345678901234567890, {"a": 1e400, "b": 0.10}]')).toBe(
    `[12345678901234567890,{"a":1${"0".repeat(400)},"b":0.1}]`,
  );
  expect(await shown("jsons", '{"1234567890123456789012",NULL}')).toBe("[1234567890123456789012,null]");
  expect(await shown("ints", "{{1,NULL},{3,4}}")).toBe("[[1,null],[3,4]]");
  expect(await shown("decimals", "{NaN,1.50,NULL}")).toBe('["NaN","1.5",null]');
});

it("C92 rejects in bodies what clients should not write: years outside 1 to 9999, and words for numbers", async () => {
  for (const body of [
    { stamp: "infinity" },
    { stamp: "-000043-03-15T10:00:00.000Z" },
    { stamp: "2024-02-29T12:30:00.123456Z" },
    { double: "NaN" },
    { plain: "Infinity" },
    { ints: [1, null] },
  ])
    expect((await callBoth(database, "POST", "/things", body)).status, JSON.stringify(body)).toBe(400);
  expect((await callBoth(database, "GET", "/things?double=nan")).status).toBe(400);
});

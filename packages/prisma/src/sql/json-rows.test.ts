import { expect, it } from "vitest";
import { JsonRows } from "./json-rows.js";
import type { Shape } from "./shape.js";

const field = { kind: "scalar", name: "name", column: "name", type: "String" };
const shape = [{ kind: "column", name: "name", at: 0, field, form: "text" }] as unknown as Shape;

/** The list of these names, with a maximum number of returned ones. */
function listOf(names: readonly string[], shown?: number) {
  const rows = new JsonRows(shape, { shown });
  for (const name of names) rows.add([name]);
  return rows.end();
}

const many = (count: number, letter: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${index} ${letter.repeat(20)}`);

it("C71 returns a short list as text and a long one as bytes, both the JSON of its rows", async () => {
  expect(await listOf([])).toEqual({ json: "[]", found: 0, last: undefined });
  expect(await listOf(["a", "b"])).toEqual({ json: '[{"name":"a"},{"name":"b"}]', found: 2, last: '{"name":"b"}' });
  // Of one, two, three and four bytes, up to and beyond the initial and the retained buffer size.
  for (const letter of ["a", "é", "愛", "😀"]) {
    for (const count of [600, 1000, 5000, 40_000]) {
      const names = many(count, letter);
      const { json, found, last } = await listOf(names);
      expect(Buffer.isBuffer(json)).toBe(true);
      expect(String(json)).toBe(JSON.stringify(names.map((name) => ({ name }))));
      expect([found, last]).toEqual([count, JSON.stringify({ name: names.at(-1) })]);
    }
  }
  const long = "愛".repeat(700_000);
  expect(String((await listOf([long, "b"])).json)).toBe(JSON.stringify([{ name: long }, { name: "b" }]));
});

it("C8 C71 counts rows beyond the maximum, and nothing else", async () => {
  expect(await listOf(["a", "b", "c"], 2)).toEqual({
    json: '[{"name":"a"},{"name":"b"}]',
    found: 3,
    last: '{"name":"b"}',
  });
  const { json, found, last } = await listOf(many(1001, "a"), 1000);
  expect(JSON.parse(String(json))).toHaveLength(1000);
  expect([found, last]).toEqual([1001, JSON.stringify({ name: many(1000, "a").at(-1) })]);
});

it("C71 isolates lists that are built concurrently and consecutively", async () => {
  const lists = ["a", "b", "c"].map((letter) => ({ rows: new JsonRows(shape), names: many(3000, letter) }));
  for (let index = 0; index < 3000; index++) for (const { rows, names } of lists) rows.add([names[index] as string]);
  const ended = await Promise.all(lists.map(async ({ rows }) => (await rows.end()).json));
  // Later output is written into their reused memory.
  for (let index = 0; index < 20; index++) await listOf(many(3000, "z"));
  for (const [at, { names }] of lists.entries()) {
    expect(String(ended[at])).toBe(JSON.stringify(names.map((name) => ({ name }))));
  }
});

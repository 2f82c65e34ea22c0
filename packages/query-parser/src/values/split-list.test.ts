import { expect, it } from "vitest";
import { splitList } from "./split-list.js";

const texts = (raw: string) => splitList(raw).map(({ text, quoted }) => (quoted ? `«${text}»` : text));

it.each<[string, string[]]>([
  ["", []],
  ["a", ["a"]],
  ["a,b", ["a", "b"]],
  ["a, b", ["a", " b"]],
  ["a,", ["a", ""]],
  [",", ["", ""]],
  ["a\\,b,c", ["a,b", "c"]],
  ["a\\,b\\,c", ["a,b,c"]],
  ['"a,b",c', ["«a,b»", "c"]],
  ['c,"a,b"', ["c", "«a,b»"]],
  ['""', ["«»"]],
  ['"a\\",b",c', ['«a",b»', "c"]],
  ['"a,b', ['"a', "b"]],
  ['"a,b"c,d', ['"a', 'b"c', "d"]],
  ['x"a,b"', ['x"a', 'b"']],
  ["a\\", ["a\\"]],
])("C19 splits %j", (raw, items) => {
  expect(texts(raw)).toEqual(items);
});

it("C20 rejects more items than listItems before it reads them", () => {
  expect(splitList(Array(500).fill("1").join(","))).toHaveLength(500);
  expect(() => splitList(Array(501).fill("1").join(","), undefined, "id__in")).toThrow(
    'The parameter "id__in" exceeds the limit listItems. Maximum: 500 values in one list.',
  );
  expect(() => splitList(",".repeat(5_000_000), { listItems: 10 })).toThrow("Maximum: 10");
});

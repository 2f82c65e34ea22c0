import { isHttpError } from "@servicekit/core";
import { expect, it } from "vitest";
import { growth, inProportion, processorTime } from "../../../scripts/test/measure.js";
import { parseQuery, stringifyQuery } from "../src/index.js";
import { readTerms } from "../src/terms/read-terms.js";
import { splitList } from "../src/values/split-list.js";

// The URL limit excludes longer inputs; without it, the time is proportional to the length.
const limits = { urlBytes: 1e9 };
const ignoringErrors = <Made>(work: () => Made): Made | undefined => {
  try {
    return work();
  } catch (error) {
    if (!isHttpError(error)) throw error;
    return undefined;
  }
};

const worst: readonly (readonly [string, (count: number) => string])[] = [
  ["[", (count) => "[".repeat(count)],
  ["]", (count) => "]".repeat(count)],
  ["a[", (count) => "a[".repeat(count / 2)],
  ["a[b]", (count) => "a[b]".repeat(count / 4)],
  ["_", (count) => "_".repeat(count)],
  ["a__", (count) => "a__".repeat(count / 3)],
  ["a&", (count) => "a&".repeat(count / 2)],
  ["%41", (count) => "%41".repeat(count / 3)],
  ["a value of %2C", (count) => `a=${"%2C".repeat(count / 3)}`],
  ["a value of quotes", (count) => `a=${'"'.repeat(count)}`],
  ["a value of escaped quotes", (count) => `a=${'\\"'.repeat(count / 2)}`],
  ["a value of quotes and commas", (count) => `a=${'",'.repeat(count / 2)}`],
  ["a value of escaped commas", (count) => `a=${"\\,".repeat(count / 2)}`],
  ["a value of digits", (count) => `a=${"1".repeat(count)}`],
  ["sort of commas", (count) => `sort=${",".repeat(count)}`],
  ["sort of points", (count) => `sort=${".".repeat(count)}`],
  ["a long list", (count) => `a__in=${"1,".repeat(count / 2)}`],
  ["a deep condition", (count) => "or[0]".concat("[or][0]".repeat(count / 7), "[a]=1")],
  [
    "many conditions",
    (count) => Array.from({ length: count / 90 }, (_, i) => `or[${i}][a__icontains]=${"x".repeat(60)}`).join("&"),
  ],
];

it.each(worst)("handles the worst inputs of 8 KiB and more in time proportional to the length: %s", async (_, make) => {
  const call = (count: number) => {
    for (let turn = 0; turn < 5; turn++) {
      const parsed = ignoringErrors(() => parseQuery(make(count), { limits }));
      if (parsed) ignoringErrors(() => parseQuery(stringifyQuery(parsed), { limits }));
    }
  };
  expect(await growth(call, 8_000)).toBeLessThan(inProportion);
});

it.each(['"', '",', '"\\', '"\\",', ',"x"y'])(
  "splits a list full of %s in time proportional to its length",
  async (piece) => {
    expect(await growth((count) => splitList(piece.repeat(count), { listItems: 1e9 }), 20_000)).toBeLessThan(
      inProportion,
    );
  },
);

it("C20 rejects too many terms, and too many items, without reading them", async () => {
  const query = Array.from({ length: 20_000 }, (_, i) => `or[${i}][a]=${i}`).join("&");
  const reading = await processorTime(() =>
    ignoringErrors(() => readTerms(query, { limits: { urlBytes: 1e9, terms: 1e9 } as never })),
  );
  const rejected = await processorTime(() => ignoringErrors(() => readTerms(query)));
  expect(rejected).toBeLessThan(reading / 2);
  const list = ",".repeat(300_000);
  const splitting = await processorTime(() => splitList(list, { listItems: 1e9 }));
  expect(await processorTime(() => ignoringErrors(() => splitList(list, { listItems: 10 })))).toBeLessThan(
    splitting / 2,
  );
});

import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { asTexts, TextQuery } from "./text-query.js";

setFlagsFromString("--expose-gc");
/** Created here, so that no closure retains the data. */
const ignore = (): void => undefined;
const collect = runInNewContext("gc") as () => void;

it.each(["is answered", "is rejected"] as const)("C71 a query that %s retains none of its rows", async (end) => {
  const statement = { name: "", text: "SELECT 1", values: [], rowMode: "array", types: asTexts } as const;
  const begin = () => {
    const seen: unknown[] = [];
    const query = new TextQuery({ ...statement, take: (row) => seen.push(row) }, ignore);
    const row = ["a"];
    query.handleDataRow({ fields: row });
    return { query, count: seen.length, row: new WeakRef(row), seen: new WeakRef(seen) };
  };
  const { query, count, row, seen } = begin();
  if (end === "is answered") query.handleReadyForQuery();
  else query.handleError(new Error("rejected"));
  await setImmediate();
  collect();
  expect([count, row.deref(), seen.deref(), query.text]).toEqual([1, undefined, undefined, "SELECT 1"]);
});

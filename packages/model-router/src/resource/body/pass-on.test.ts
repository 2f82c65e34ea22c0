import { expect, it } from "vitest";
import { z } from "zod";
import { evaluateAll, passOn, passOnLater } from "./pass-on.js";

const row = z.strictObject({ name: z.string(), price: z.unknown().transform((value) => Number(value)) });
const inputs = [
  { name: "a", price: "1.5" },
  { name: 1, price: "2" },
  { name: "b", price: "3", other: 1 },
];

it("C59 validates items synchronously if no schema is asynchronous, and correctly otherwise", async () => {
  const now = evaluateAll(row, inputs, passOn);
  if (now instanceof Promise) throw new Error("These items waited.");
  expect(now[0]?.value).toEqual({ name: "a", price: 1.5 });
  expect(now.map(({ issues }) => issues.map(({ code }) => code))).toEqual([
    [],
    ["invalid_type"],
    ["unrecognized_keys"],
  ]);
  const waiting = row.transform(async (value) => value);
  const later = await evaluateAll(waiting, inputs, passOnLater);
  expect(later.map(({ issues }) => issues.map(({ code }) => code))).toEqual(
    now.map(({ issues }) => issues.map(({ code }) => code)),
  );
  expect(later[0]?.value).toEqual(now[0]?.value);
});

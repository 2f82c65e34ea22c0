import { expect, it } from "vitest";
import { clientLink } from "./client-link.js";

const client = {
  $queryRawUnsafe: async (_sql: string, ...values: readonly string[]) => values.map((a) => ({ a, b: null })),
};
const link = clientLink(client, Number);

it("returns the rows of the client as texts", async () => {
  expect(await link.query("SELECT", ["x".repeat(10), "y"])).toEqual([
    ["x".repeat(10), null],
    ["y", null],
  ]);
});

it("rejects a result that exceeds its limit, with the number of rows before", async () => {
  const values = ["x".repeat(10), "y".repeat(10), "z"];
  expect(await link.query("SELECT", values, 21)).toHaveLength(3);
  await expect(link.query("SELECT", values, 20)).rejects.toMatchObject({ name: "ResultTooLarge", rows: 2 });
  await expect(link.query("SELECT", values, 10)).rejects.toMatchObject({ name: "ResultTooLarge", rows: 1 });
});

import type { Database } from "@servicekit/prisma";
import { expect, it } from "vitest";
import { neededFrom } from "./needed-from.js";

/** A database with these positions; `undefined` for a schema without their model. */
function withPositions(lastIds: readonly bigint[] | undefined): Database {
  const findMany = async ({ orderBy, take }: { orderBy: unknown; take: number }) => {
    expect(orderBy).toEqual([{ lastId: "asc" }]);
    return (lastIds ?? [])
      .toSorted((a, b) => (a < b ? -1 : 1))
      .slice(0, take)
      .map((lastId) => ({ lastId }));
  };
  const models = new Map(lastIds === undefined ? [] : [["ChangePosition", {}]]);
  return { models, of: () => ({ findMany }) } as unknown as Database;
}

it("C108 deletes no change after the lowest position of a consumer", async () => {
  const noJobs = async () => undefined;
  expect(await neededFrom(withPositions([9n, 4n, 12n]), noJobs)).toBe(5n);
  expect(await neededFrom(withPositions([0n]), noJobs)).toBe(1n);
  expect(await neededFrom(withPositions([]), noJobs)).toBeUndefined();
  expect(await neededFrom(withPositions(undefined), noJobs)).toBeUndefined();
});

it("C151 deletes no change that a job needs", async () => {
  expect(await neededFrom(withPositions([9n]), async () => 3n)).toBe(3n);
  expect(await neededFrom(withPositions([9n]), async () => 12n)).toBe(10n);
  expect(await neededFrom(withPositions([]), async () => 3n)).toBe(3n);
});

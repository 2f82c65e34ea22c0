import type { Database } from "@servicekit/prisma";
import { expect, it } from "vitest";
import { neededFrom } from "./needed-from.js";

const dayMs = 86_400_000;
const noJobs = async () => undefined;

/** A database with these positions, and one change a day for 20 days; `undefined` for a schema without the model of positions. */
function withPositions(lastIds: readonly bigint[] | undefined): Database {
  const rows = (lastIds ?? []).map((lastId) => ({ name: `consumer ${lastId}`, lastId }));
  const findMany = async ({ where }: { readonly where?: { readonly id: { readonly gt: bigint } } }) => {
    if (where === undefined) return rows.toSorted((a, b) => (a.lastId < b.lastId ? -1 : 1));
    const next = Number(where.id.gt) + 1;
    return next > 20 ? [] : [{ time: new Date(Date.now() - (20 - next) * dayMs) }];
  };
  const models = new Map([["Change", {}], ...(lastIds === undefined ? [] : [["ChangePosition", {}] as const])]);
  return { models, of: () => ({ findMany }) } as unknown as Database;
}

const needed = (lastIds: readonly bigint[] | undefined, neededByJobs: () => Promise<bigint | undefined> = noJobs) =>
  neededFrom(withPositions(lastIds), { neededByJobs, maxLagDays: 30, onIgnored: () => undefined });

it("C108 deletes no change after the lowest position of a consumer", async () => {
  expect(await needed([9n, 4n, 12n])).toBe(5n);
  expect(await needed([0n])).toBe(1n);
  expect(await needed([])).toBeUndefined();
  expect(await needed(undefined)).toBeUndefined();
});

it("C151 deletes no change that a job needs", async () => {
  expect(await needed([9n], async () => 3n)).toBe(3n);
  expect(await needed([9n], async () => 12n)).toBe(10n);
  expect(await needed([], async () => 3n)).toBe(3n);
});

it("C108 does not wait for a consumer whose next change is older than the maximum lag", async () => {
  const ignored: string[] = [];
  const options = { neededByJobs: noJobs, maxLagDays: 7, onIgnored: (name: string) => void ignored.push(name) };
  expect(await neededFrom(withPositions([4n, 9n, 15n]), options)).toBe(16n);
  expect(ignored).toEqual(["consumer 4", "consumer 9"]);
  expect(await neededFrom(withPositions([4n, 20n]), options)).toBe(21n);
  expect(await neededFrom(withPositions([4n]), options)).toBeUndefined();
});

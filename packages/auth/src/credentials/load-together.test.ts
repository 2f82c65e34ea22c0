import { expect, it } from "vitest";
import { loadTogether } from "./load-together.js";

it("C29 loads the requests of one tick together, and reads again in each tick", async () => {
  const requested: (readonly number[])[] = [];
  const load = loadTogether(async (ids: readonly number[]) => {
    requested.push(ids);
    return new Map(ids.filter((id) => id > 0).map((id) => [String(id), `user ${id}`]));
  });
  expect(await Promise.all([load(1), load(2), load(1), load(-1)])).toEqual(["user 1", "user 2", "user 1", undefined]);
  expect(await load(1)).toBe("user 1");
  expect(requested).toEqual([[1, 2, -1], [1]]);
});

it("C29 fails for all requests of the tick, and not for later ones", async () => {
  let isDown = true;
  const load = loadTogether(async (ids: readonly number[]) => {
    if (isDown) throw new Error("down");
    return new Map(ids.map((id) => [String(id), id]));
  });
  const outcomes = await Promise.allSettled([load(1), load(2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isDown = false;
  expect(await load(2)).toBe(2);
});

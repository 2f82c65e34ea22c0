import { expect, it } from "vitest";
import { replicaChecks } from "./health-router.js";

it("C122 has a check for each replica, which is not required and fails while it is not read from", async () => {
  const states = [
    { name: "one/shop", issue: undefined },
    { name: "two/shop", issue: "it is 9 seconds behind" },
  ];
  const [one, two, ...more] = replicaChecks(() => states as never);
  expect([one, two]).toMatchObject([
    { name: "replica 1", isVital: false },
    { name: "replica 2", isVital: false },
  ]);
  await one?.check();
  await expect(two?.check()).rejects.toThrow("The replica two/shop is not read from: it is 9 seconds behind.");
  expect([more, replicaChecks()]).toEqual([[], []]);
});

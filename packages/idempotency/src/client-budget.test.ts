import { expect, it } from "vitest";
import { makeClientBudget } from "./client-budget.js";

it("C49 each client has a budget of its own, which restarts after the window", () => {
  const budget = makeClientBudget(100);
  expect([budget.take("a", 60), budget.take("a", 60), budget.take("a", 40), budget.take("a", 1)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([budget.take("b", 101), budget.take("b", 100)]).toEqual([false, true]);
  const brief = makeClientBudget(100, 0);
  expect([brief.take("a", 100), brief.take("a", 100)]).toEqual([true, true]);
});

import type { Database } from "@servicekit/prisma";
import { expect, it } from "vitest";
import { makeTransactionScope } from "./transaction-scope.js";

const transaction = (client: object) => ({ client }) as unknown as Database;

it("calls all functions after the commit of their transaction, in order, and none after another one", async () => {
  const scope = makeTransactionScope();
  const [one, two] = [transaction({ name: "one" }), transaction({ name: "two" })];
  const called: string[] = [];
  await scope.around(one, async () => {
    expect(scope.client()).toBe(one.client);
    scope.afterCommit(() => called.push("first"));
    scope.afterCommit(() => called.push("second"));
  });
  await scope.around(two, async () => scope.afterCommit(() => called.push("other")));
  scope.committed(one);
  expect(called).toEqual(["first", "second"]);
});

it("has no client, and calls nothing, outside of transactions", () => {
  const scope = makeTransactionScope();
  expect(scope.client()).toBeUndefined();
  scope.afterCommit(() => expect.unreachable());
  scope.committed(transaction({}));
});

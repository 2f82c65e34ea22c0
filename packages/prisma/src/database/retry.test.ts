import { httpErrors } from "@servicekit/core";
import { expect, it } from "vitest";
import { ormErrors } from "../errors/orm-errors.js";
import { isRepeatableRead, isRepeatableWrite, retry } from "./retry.js";

it("C17 retries the given number of times and no more", async () => {
  const attempts = { count: 0 };
  const fail = async () => {
    attempts.count++;
    throw new Error("again");
  };
  await expect(retry(fail, 3, () => true)).rejects.toThrow("again");
  expect(attempts.count).toBe(4);
  await expect(retry(fail, 3, () => false)).rejects.toThrow("again");
  expect(attempts.count).toBe(5);
});

it.each([
  [new Error("Connection terminated unexpectedly"), true],
  [Object.assign(new Error("x"), { code: "ECONNRESET" }), true],
  [Object.assign(new Error("x"), { code: "ECONNREFUSED" }), false],
  [new Error("Query read timeout"), false],
  ["x", false],
])("%s repeats a read: %s", (error, expected) => {
  expect(isRepeatableRead(error)).toBe(expected);
});

it.each([
  [ormErrors.WriteConflict(), true],
  [ormErrors.UniqueConstraint(), false],
  [httpErrors.Conflict(), false],
  [new Error("Connection terminated unexpectedly"), false],
])("%s repeats a write: %s", (error, expected) => {
  expect(isRepeatableWrite(error)).toBe(expected);
});

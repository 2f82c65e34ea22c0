import { expect, it } from "vitest";
import { makeStatementNames } from "./statement-names.js";

it("a statement has a stable name, and another has a different one", () => {
  const names = makeStatementNames(10);
  const first = names.nameOf("SELECT 1");
  expect(first).toMatch(/^\S{10,63}$/);
  expect(names.nameOf("SELECT 1")).toBe(first);
  expect(names.nameOf("SELECT 2")).not.toBe(first);
});

it("an evicted name is created again, and a long statement has none", () => {
  const names = makeStatementNames(2);
  expect(names.nameOf(`SELECT ${"1,".repeat(5_000)}1`)).toBe("");
  const [first] = [names.nameOf("a"), names.nameOf("b"), names.nameOf("c")];
  expect(names.nameOf("a")).toBe(first);
});

it("after a change of the tables every name is new", () => {
  const names = makeStatementNames(10);
  const before = names.nameOf("a");
  names.renew();
  expect(names.nameOf("a")).not.toBe(before);
});

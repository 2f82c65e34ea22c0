import { expect, it } from "vitest";
import { makeStatementNames } from "./statement-names.js";

it("a statement keeps its name, and another has another", () => {
  const names = makeStatementNames(10);
  const first = names.nameOf("SELECT 1");
  expect(first).toMatch(/^\S{10,63}$/);
  expect(names.nameOf("SELECT 1")).toBe(first);
  expect(names.nameOf("SELECT 2")).not.toBe(first);
});

it("only so many are named, and no long one", () => {
  const names = makeStatementNames(2);
  expect(names.nameOf(`SELECT ${"1,".repeat(5_000)}1`)).toBe("");
  expect([names.nameOf("a"), names.nameOf("b")].every((name) => name !== "")).toBe(true);
  expect(names.nameOf("c")).toBe("");
  expect(names.nameOf("a")).not.toBe("");
});

it("after a change of the tables every name is new", () => {
  const names = makeStatementNames(10);
  const before = names.nameOf("a");
  names.renew();
  expect(names.nameOf("a")).not.toBe(before);
});

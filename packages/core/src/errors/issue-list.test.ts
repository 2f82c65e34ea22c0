import { expect, it } from "vitest";
import { makeIssueList } from "./issue-list.js";
import { StartupError } from "./start-error.js";

it("C38 collects the issues of several parts of a startup and throws them together", async () => {
  const first = { where: "port", message: "It is taken." };
  const second = { where: "host", message: "It is missing." };
  const issues = makeIssueList([first]);
  const failing = async () => {
    throw new StartupError([second]);
  };
  expect(await issues.during(failing)).toBe(undefined);
  expect(await issues.during(() => 7)).toBe(7);
  issues.addAll([{ where: "models", message: "There is none." }]);
  expect(issues.all.map(({ where }) => where)).toEqual(["port", "host", "models"]);
  expect(() => issues.throwIfAny()).toThrow("The service cannot start (3 errors)");
});

it("passes on errors that are not startup errors", async () => {
  const issues = makeIssueList();
  const failing = () => {
    throw new TypeError("broken");
  };
  await expect(issues.during(failing)).rejects.toThrow(TypeError);
  expect(() => issues.throwIfAny()).not.toThrow();
});

it.each<readonly [unknown, string]>([
  [null, "null"],
  [undefined, "nothing"],
  [[1, 2], "a list of 2"],
  ["text", '"text"'],
  ["x".repeat(40), JSON.stringify("x".repeat(40))],
  ["x".repeat(41), JSON.stringify(`${"x".repeat(40)}…`)],
  [5, "5"],
  [false, "false"],
  [7n, "7"],
  [() => 1, "a function"],
  [{}, "an object"],
])("C38 describes the wrong value %o", (value, words) => {
  const issues = makeIssueList();
  issues.wrong("port", "a number", value);
  expect(issues.all).toEqual([{ where: "port", message: `Expected a number, found ${words}.` }]);
});

import { expect, it } from "vitest";
import { makeFaultList } from "./fault-list.js";
import { StartError } from "./start-error.js";

it("C38 gathers what several parts of a start find, and throws it at once", async () => {
  const first = { where: "port", message: "It is taken." };
  const second = { where: "host", message: "It is missing." };
  const faults = makeFaultList([first]);
  const failing = async () => {
    throw new StartError([second]);
  };
  expect(await faults.during(failing)).toBe(undefined);
  expect(await faults.during(() => 7)).toBe(7);
  faults.addAll([{ where: "models", message: "There is none." }]);
  expect(faults.all.map(({ where }) => where)).toEqual(["port", "host", "models"]);
  expect(() => faults.throwIfAny()).toThrow("The service cannot start (3 faults)");
});

it("passes on what is no fault of a start", async () => {
  const faults = makeFaultList();
  const failing = () => {
    throw new TypeError("broken");
  };
  await expect(faults.during(failing)).rejects.toThrow(TypeError);
  expect(() => faults.throwIfAny()).not.toThrow();
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
  const faults = makeFaultList();
  faults.wrong("port", "a number", value);
  expect(faults.all).toEqual([{ where: "port", message: `Expected a number, found ${words}.` }]);
});

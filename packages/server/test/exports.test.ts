import { expect, it } from "vitest";
import * as exported from "../src/index.js";

it("exports what is meant to be used", () => {
  expect(Object.keys(exported).sort()).toEqual([
    "inSequence",
    "makeFetch",
    "timeLimits",
    "watchAnswers",
    "watchConnections",
    "withinGate",
  ]);
});

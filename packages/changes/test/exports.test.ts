import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as settings from "../src/settings.js";

it("exports exactly these values from @servicekit/changes", () => {
  expect(Object.keys(main).sort()).toEqual([
    "makeChangeFollower",
    "makeChangeLog",
    "makeChangeReader",
    "makeChangeRetention",
    "makeChangeSignal",
    "makeRowHistory",
    "readChangeModel",
    "readStoredSecret",
  ]);
});

it("exports exactly these values from @servicekit/changes/settings", () => {
  expect(Object.keys(settings)).toEqual(["changeModelName"]);
});

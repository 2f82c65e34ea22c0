import { expect, it } from "vitest";
import * as fairQueue from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(fairQueue)).toEqual(["makeFairQueue"]);
});

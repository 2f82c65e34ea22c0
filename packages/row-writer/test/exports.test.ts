import { expect, it } from "vitest";
import * as rowWriter from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(rowWriter)).toEqual(["makeRowWriter"]);
});

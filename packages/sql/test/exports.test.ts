import { expect, it } from "vitest";
import * as sql from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(sql).sort()).toEqual([
    "chooseReads",
    "chooseWrites",
    "inexactFields",
    "makeSqlReads",
    "makeSqlWrites",
  ]);
});

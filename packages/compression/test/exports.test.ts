import { expect, it } from "vitest";
import * as compression from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(compression)).toEqual(["isCompressible", "makeCompression"]);
});

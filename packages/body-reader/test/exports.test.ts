import { expect, it } from "vitest";
import * as bodyReader from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(bodyReader).sort()).toEqual([
    "checkFieldCount",
    "decodeText",
    "encodingFault",
    "handOnLongNumbers",
    "hasBody",
    "parseFields",
    "parseJson",
    "plusToSpace",
    "readBytes",
    "readMultipart",
    "roundedNumbers",
    "scanJson",
    "toBytes",
    "toHttpError",
  ]);
});

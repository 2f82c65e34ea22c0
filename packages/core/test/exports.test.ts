import { expect, it } from "vitest";
import * as exported from "../src/index.js";

it("exports what is meant to be used", () => {
  expect(Object.keys(exported).sort()).toEqual([
    "HttpError",
    "StartError",
    "defineErrors",
    "fieldCode",
    "httpErrors",
    "isHttpError",
    "isInstalled",
    "joinOr",
    "longestTimer",
    "makeFaultList",
    "makeStartFault",
    "maxErrors",
    "missingPackages",
    "namesOf",
    "nearestWord",
    "oldSchema",
    "problemMediaType",
    "problemType",
    "startTimeLimit",
    "statusPhrase",
    "toProblemBody",
    "toldCodes",
    "whenMissing",
    "withTimeLimit",
  ]);
});

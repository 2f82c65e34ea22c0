import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";
import * as schema from "../src/schema-errors/index.js";

it("exports exactly these values from @servicekit/core", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "HttpError",
      "StartupError",
      "defineErrors",
      "httpErrors",
      "isHttpError",
      "toProblemBody",
    ]
  `);
});

it("exports exactly these values from @servicekit/core/internal", () => {
  expect(Object.keys(internal).sort()).toMatchInlineSnapshot(`
    [
      "PathError",
      "checkSegment",
      "connectionOptions",
      "escapeHtml",
      "fieldCode",
      "findForbiddenKey",
      "fromJsonPointer",
      "inSlices",
      "isInstalled",
      "isMysqlUrl",
      "isObject",
      "isPlainObject",
      "joinOr",
      "longestTimer",
      "makeFairQueue",
      "makeIssueList",
      "makePause",
      "makeStartupIssue",
      "maxErrors",
      "missingPackages",
      "namesOf",
      "nearestWord",
      "problemMediaType",
      "problemType",
      "setAtPath",
      "sortedJson",
      "splitFieldPath",
      "startTimeLimit",
      "statusPhrase",
      "toJsonPointer",
      "whenMissing",
      "withErrors",
      "withTimeLimit",
    ]
  `);
});

it("exports exactly these values from @servicekit/core/schema", () => {
  expect(Object.keys(schema).sort()).toMatchInlineSnapshot(`
    [
      "checkConfig",
      "describeFound",
      "expectedWords",
      "findIssues",
      "hidePassword",
      "inSchemaOrder",
      "isHiddenAt",
      "isSecretName",
      "metaOf",
      "unfold",
    ]
  `);
});

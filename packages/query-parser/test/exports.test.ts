import { expect, it } from "vitest";
import * as express from "../src/express.js";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";

it("exports exactly these values from @servicekit/query-parser", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "defaultQueryLimits",
      "parseQuery",
      "stringifyQuery",
      "toOrmQuery",
    ]
  `);
});

it("exports exactly these values from @servicekit/query-parser/internal", () => {
  expect(Object.keys(internal).sort()).toMatchInlineSnapshot(`
    [
      "isOperator",
      "listParameters",
      "operators",
      "queryErrors",
      "readSort",
      "readTerms",
      "readText",
      "readTree",
      "readValues",
      "splitList",
    ]
  `);
});

it("exports exactly these values from @servicekit/query-parser/express", () => {
  expect(Object.keys(express).sort()).toMatchInlineSnapshot(`
    [
      "makeQueryParserFunction",
      "queryParser",
    ]
  `);
});

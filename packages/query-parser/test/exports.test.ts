import * as queryParser from "@servicekit/query-parser";
import * as express from "@servicekit/query-parser/express";
import { expect, it } from "vitest";

it("exports these names and no others", () => {
  expect(Object.keys(queryParser).sort()).toEqual([
    "defaultQueryLimits",
    "isOperator",
    "listParameters",
    "operators",
    "parseQuery",
    "queryErrors",
    "readSort",
    "readTerms",
    "readText",
    "readTree",
    "readValues",
    "splitList",
    "stringifyQuery",
    "toOrmQuery",
  ]);
  expect(Object.keys(express).sort()).toEqual(["makeQueryParserFunction", "queryParser"]);
});

import { readFileSync } from "node:fs";
import vm from "node:vm";
import { isHttpError } from "@servicekit/core";
import { expect, it } from "vitest";
import { runReadme } from "../../../scripts/test/run-readme.js";
import { parseQuery } from "../src/index.js";

it("prints the documented output when the first block of the README runs", async () => {
  const { printed, documented } = await runReadme(import.meta.dirname, () => ({
    '"@servicekit/query-parser"': '"../../src/index.js"',
  }));
  expect(printed).toBe(documented);
});

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
/** The rows of the grammar with a complete result: the first query, an object or a code, and what it is. */
const rows = [...readme.matchAll(/^\| `([^`]*=[^`]*)`[^|]*\| (?:400 )?`(\{[^`]*\}|[A-Z]\w+)`/gm)];

it("finds the rows of the grammar with complete results", () => expect(rows).toHaveLength(10));

it.each(rows.map(([, query = "", result = ""]) => [query, result] as const))(
  "parses %s as the grammar of the README states: %s",
  (query, result) => {
    const parse = (): unknown => {
      try {
        return parseQuery(query);
      } catch (error) {
        if (isHttpError(error)) return error.code;
        throw error;
      }
    };
    expect(parse()).toEqual(result.startsWith("{") ? vm.runInNewContext(`(${result})`) : result);
  },
);

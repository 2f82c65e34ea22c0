import { type OperatorName, type ParsedQuery, parseQuery, type QueryTerm, toOrmQuery } from "@servicekit/query-parser";
import { queryParser } from "@servicekit/query-parser/express";
import { isOperator, operators, readTerms } from "@servicekit/query-parser/internal";
import type { RequestHandler } from "express";
import { expectTypeOf } from "vitest";

expectTypeOf(readTerms("a=1")).toEqualTypeOf<QueryTerm[]>();
expectTypeOf(parseQuery({ a: "1" }, { parseNumber: false })).toEqualTypeOf<ParsedQuery>();
expectTypeOf(toOrmQuery({}).take).toEqualTypeOf<number | undefined>();
expectTypeOf(queryParser()).toExtend<RequestHandler>();

const word: string = "gte";
if (isOperator(word)) {
  expectTypeOf(word).toEqualTypeOf<OperatorName>();
  expectTypeOf(operators[word].insensitive).toEqualTypeOf<boolean>();
}

// @ts-expect-error an unknown switch
parseQuery("", { parseNumbers: false });

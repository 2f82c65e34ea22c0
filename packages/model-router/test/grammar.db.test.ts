import { isHttpError } from "@servicekit/core";
import { type ParsedQuery, parseQuery, toOrmQuery } from "@servicekit/query-parser";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { seedBooks } from "./books.js";
import { type Shelf, startShelf } from "./shelf.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
  await seedBooks(shelf);
});
afterAll(() => shelf?.close());

type Found = readonly number[] | { readonly code: string; readonly path: string };

/** The response of a generated route. */
async function generated(query: string): Promise<Found> {
  const { status, body } = await shelf.call("GET", `/books?${query}`);
  const ids = () => body.data.map(({ id }: { id: number }) => id).sort();
  return status === 200 ? ids() : { code: body.errors[0].code, path: body.errors[0].path };
}

/** What a handler of a declared route finds with its parsed query. */
async function declared(query: string): Promise<Found> {
  try {
    const { where } = toOrmQuery(parseQuery(query) as ParsedQuery);
    const rows = await shelf.database.of("Book").findMany({ where, select: { id: true } });
    return rows.map(({ id }) => id as number).sort();
  } catch (error) {
    if (!isHttpError(error)) throw error;
    const [issue] = error.errors ?? [];
    return { code: issue?.code ?? error.code, path: issue?.path ?? "" };
  }
}

const rejected = (code: string, path: string): Found => ({ code, path });

describe("C9 one grammar for generated and for declared routes", () => {
  it.each<[string, Found]>([
    ["or[12345][pages][lt]=150", [1, 6]],
    ["or[12345][pages][lt]=150&or[12346][title]=Two", [1, 2, 6]],
    ["not[0][title]=One&not[title]=Two", rejected("ConflictingFilters", "/not[title]")],
    ["not[title]=One&not[0][title]=Two", rejected("ConflictingFilters", "/not[0][title]")],
    ["or[00][title]=One", rejected("MalformedQuery", "/or[00][title]")],
    ["title[3]=One", [1, 6]],
    ["title[0]=One&title[1]=Two", [1, 2, 6]],
    ["title[]=One&title=Two", [1, 2, 6]],
    ["or[title]=One", rejected("MalformedQuery", "/or[title]")],
    ["and[title]=One&and[pages]=100", [1, 6]],
    ["and[1][title]=One&and[0][pages]=100", [1, 6]],
    ["or[1234567890][title]=One", rejected("MalformedQuery", "/or[1234567890][title]")],
    ["or[0]=One", rejected("EmptyGroup", "/or[0]")],
    ["OR[0][title]=One", rejected("MalformedQuery", "/OR[0][title]")],
    ["title[contains][x]=One", rejected("InvalidOperand", "/title[contains][x]")],
    ["publisher__or__0__name=Alpha&publisher__or__1__city=Rome", [1, 2, 5, 6]],
    ["publisher[0][name]=Alpha", rejected("MalformedQuery", "/publisher[0][name]")],
    ["tags__some__or__0__name=c&tags__some__or__1__name=a", [1, 2, 5]],
    ["title__startsWith=T&title[contains]=w", [2]],
    ["title__in=One&title[in]=Two", [1, 2, 6]],
    [
      "sequel__sequel__sequel__sequel__title=x",
      rejected("QueryLimitExceeded", "/sequel__sequel__sequel__sequel__title"),
    ],
  ])("?%s", async (query, expected) => {
    expect([await generated(query), await declared(query)]).toEqual([expected, expected]);
  });
});

it("C10 names the words after a field that are no operator, also those of a group", async () => {
  const messageOf = async (query: string) => (await shelf.call("GET", `/books?${query}`)).body.errors[0].message;
  expect(await messageOf("title__not__contains=a")).toMatch(/^The field title of Book has no operator not__contains; /);
  expect(await messageOf("title[or][0][gt]=a")).toMatch(/^The field title of Book has no operator or__gt; /);
  expect(await messageOf("title__x__y=a")).toMatch(/^The field title of Book has no operator x__y; /);
});

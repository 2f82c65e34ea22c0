import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { anyText } from "./arbitraries.js";
import { columnKinds, everyOperator, listKinds } from "./column-kinds.js";
import { type Shelf, shelfModels, startShelf } from "./shelf.js";

const isLong = process.env.SERVICEKIT_LONG === "1";
let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
});
afterAll(() => shelf?.close());

describe("no query and no body causes a 5xx", () => {
  const paths = [...shelfModels.values()].map(({ resource }) => resource);
  const routes = [
    "values",
    "musts",
    "listings",
    "books",
    "reserveds",
    "authorships",
    "tags",
    "pair-keys",
    "set-keys",
    "note-counts",
    "long-notes",
    "series",
    ...paths,
  ];
  const words = [
    ...Object.keys(columnKinds),
    ...Object.keys(listKinds),
    ...everyOperator,
    ..."or,and,not,0,1,id,title,publisher,tags,authorships,writer,payments,sequel,name,sort,page,limit,cursor,fields,include,search,count,prismaQueryOptions,where,select".split(
      ",",
    ),
    ..."__proto__,constructor,prototype,toString,_ref,_container,AND,OR,NOT,$queryRaw,secret,password".split(","),
  ];
  const nasty = fc.oneof(
    anyText,
    fc.constantFrom(...words),
    fc.constantFrom(
      "null",
      "true",
      "1",
      "-1",
      "1.5",
      "1e400",
      "9".repeat(40),
      "a,b",
      '"',
      '"a',
      "\\",
      "%",
      "-id",
      "id,-id",
      "{}",
      "[]",
      "NaN",
      "2024-01-01",
      "AA==",
    ),
    fc.array(fc.constantFrom(...words), { maxLength: 4 }).map((parts) => parts.join(".")),
    fc.array(anyText, { maxLength: 4 }).map((parts) => parts.join(",")),
  );
  const wellFormed = (text: string) => encodeURIComponent(text.toWellFormed());
  const name = fc
    .tuple(
      fc.array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: anyText }), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.boolean(),
    )
    .map(([parts, inBrackets]) =>
      inBrackets
        ? `${parts[0]}${parts
            .slice(1)
            .map((part) => `[${part}]`)
            .join("")}`
        : parts.join("__"),
    );
  const pair = fc.oneof(
    { weight: 12, arbitrary: fc.tuple(name, nasty).map(([key, value]) => `${wellFormed(key)}=${wellFormed(value)}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "&",
        "=",
        "%",
        "%ff=1",
        "a=%zz",
        "?",
        "a",
        "[]=1",
        "a[=1",
        "cursor=",
        "cursor=WyJpZCIsIjEiXQ",
      ),
    },
  );
  const query = fc.array(pair, { maxLength: 5 }).map((pairs) => pairs.join("&"));
  const body = fc.oneof(
    fc.constant(undefined),
    fc.json({ maxDepth: 5 }),
    fc
      .dictionary(fc.constantFrom(...words), fc.oneof(fc.jsonValue(), nasty), { maxKeys: 4 })
      .map((value) => JSON.stringify(value)),
    fc
      .array(fc.dictionary(fc.constantFrom("id", ...words), fc.oneof(fc.jsonValue(), nasty), { maxKeys: 3 }), {
        maxLength: 3,
      })
      .map((value) => JSON.stringify(value)),
    fc.array(fc.oneof(nasty, fc.jsonValue()), { maxLength: 3 }).map((ids) => JSON.stringify({ ids })),
    fc.constantFrom(
      "",
      "{",
      "[",
      '{"__proto__":1}',
      '{"ids":[]}',
      '{"data":[]}',
      '{"ids":[null]}',
      '[{"id":{"gt":0}}]',
      '{"id":{"not":1}}',
      '[{"id":"%ff"}]',
    ),
  );
  const target = fc
    .tuple(
      fc.constantFrom(...routes),
      fc.oneof(
        fc.constantFrom("", "/many", "/1", "/a", "/1,2"),
        nasty.map((text) => `/${wellFormed(text)}`),
      ),
    )
    .map(([route, suffix]) => `/${route}${suffix}`);

  it("C3, C10, C12 requests out of words that mean something and bytes that do not", async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "POST", "PATCH", "DELETE"),
        target,
        query,
        body,
        async (method, path, search, text) => {
          const response = await shelf.call(method, `${path}?${search}`, method === "GET" ? undefined : text);
          statuses.add(response.status);
          expect(response.status).toBeLessThan(500);
          if (response.status >= 400) expect(response.headers.get("content-type")).toBe("application/problem+json");
        },
      ),
      { numRuns: isLong ? 20_000 : 400 },
    );
    expect(shelf.logged).toEqual([]);
    // The other responses are random, but most of these requests are invalid.
    expect([...statuses]).toContain(400);
    expect(Math.max(...statuses)).toBeLessThan(500);
  }, 600_000);
});

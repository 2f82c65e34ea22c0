import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { Guarded, World } from "./guarded.js";
import { bookIds, json, makeRuledWorld } from "./ruled-world.js";

let database: World;
let guarded: Guarded;
let reset: () => Promise<void>;
beforeAll(async () => {
  ({ database, guarded, reset } = await makeRuledWorld(inject("postgresUrl")));
});
afterAll(() => database.close());
beforeEach(() => reset());

const ids = (query: string, service = guarded): Promise<unknown> => bookIds(query, service);
/** A response without the parts that repeat the request. */
const reported = async (method: string, path: string, id: string, body?: unknown, service = guarded) => {
  const { status, text } = await service.call(method, path.replace("ID", id), body);
  return `${status} ${text.replace(new RegExp(`\\b${id}\\b`, "g"), "ID")}`;
};

describe("C30 row rules of related models", () => {
  it("show permitted rows only in filters, as if others did not exist", async () => {
    // Of the visible books 1, 2 and 6: publisher 1 (Bern), covers 1 (red) and 2 (blue), tags a and b, a, none.
    for (const [query, expected] of [
      ["publisher__name=Alpha", [1, 2, 6]],
      ["publisher__isNull=true", []],
      ["cover__color=blue", []],
      ["cover__isNot__color=blue", [1, 2, 6]],
      ["cover__isNot__color=red", [2, 6]],
      ["cover__isNull=true", [2, 6]],
      ["cover__is=null", [2, 6]],
      ["cover__isNot=null", [1]],
      ["not[cover__isNull]=true", [1]],
      ["not[cover__color]=red", [2, 6]],
      ["tags__name=b", []],
      ["tags__none__name=b", [1, 2, 6]],
      ["tags__every__name=a", [1, 2, 6]],
      ["tags__every__name=x", [6]],
      ["tags__none__name=a", [6]],
      ["not[tags__every__name]=a", []],
      ["sequel__pages__gte=300", []],
      ["prequels__some__id__gt=0", [1]],
      ["prequels__every__id=2", [1, 2, 6]],
      ["or[0][tags__name]=b&or[1][cover__color]=blue", []],
    ] as const) {
      expect([query, await ids(query)]).toEqual([query, expected]);
    }
  });

  it("reveal nothing of other rows, also if their rule is unknown because of a NULL", async () => {
    const open = await database.serve({ models: { Publisher: { auth: { where: () => ({ city: "Bern" }) } } } });
    const queries = [
      "not[publisher__name]=Beta",
      "not[publisher__is__name]=Beta",
      "publisher__isNot__name=Beta",
      "publisher__isNot__name__not=Beta",
      "not[publisher__isNot__name]=Beta",
      "publisher__isNull=true",
      "not[publisher__isNull]=true",
      "not[or][0][publisher__name]=Beta",
      "not[not][publisher__name]=Beta",
      "not[publisher__books__some__title]=Three",
      "prequels__every__publisher__name=Beta",
      "prequels__every__publisher__isNot__name=Beta",
      "prequels[every][or][0][id]=2&prequels[every][or][1][publisher][name]=Beta",
      "sequel__isNot__publisher__isNot__name=Beta",
    ];
    const responses = async () => Promise.all(queries.map((query) => ids(query, open)));
    await database.sql(`UPDATE "Publisher" SET city = 'Rome', "full name" = 'Beta' WHERE id = 2`);
    const first = await responses();
    for (const [city, name] of [
      ["'Rome'", "Other"],
      ["NULL", "Beta"],
      ["NULL", "Other"],
    ]) {
      await database.sql(`UPDATE "Publisher" SET city = ${city}, "full name" = '${name}' WHERE id = 2`);
      expect(await responses()).toEqual(first);
    }
    expect(first[0]).toEqual([1, 2, 3, 4, 5, 6]);
    expect(first[5]).toEqual([3, 4, 5]);
    expect(first[12]).toEqual([3, 4, 5, 6]);
  });

  it("apply for a rule of every form, negated or not", async () => {
    const rules: readonly Readonly<Record<string, unknown>>[] = [
      { NOT: { city: { in: ["Rome"] } } },
      { OR: [{ city: "Bern" }, { AND: [{ name: { startsWith: "A" } }, { NOT: [{ id: 2 }, { city: null }] }] }] },
      { city: { not: null, notIn: ["Rome"] } },
      { city: { contains: "BERN", mode: "insensitive" } },
      { books: { some: { pages: 100 } } },
      { NOT: { books: { none: { price: { equals: null } } } } },
      { books: { every: { NOT: { title: "FIVE" } } }, city: { not: "Rome" } },
      { NOT: { city: { not: "Bern" } } },
    ];
    for (const rule of rules) {
      const service = await database.serve({ models: { Publisher: { auth: { where: () => rule } } } });
      const seen = json((await service.call("GET", "/publishers?fields=id")).text).data.map(({ id }) => id);
      const list = seen.join();
      const within = (
        await database.sql<{ id: number }>(
          `SELECT id FROM "Book" WHERE "publisherId" IN (${list === "" ? "0" : list}) ORDER BY id`,
        )
      ).map(({ id }) => id);
      const others = [1, 2, 3, 4, 5, 6].filter((id) => !within.includes(id));
      expect([rule, await ids("publisher__isNull=false", service)]).toEqual([rule, within]);
      expect([rule, await ids("publisher__isNull=true", service)]).toEqual([rule, others]);
      expect([rule, await ids("not[publisher__id__gt]=0", service)]).toEqual([rule, others]);
      expect([rule, await ids("publisher__isNot__id=0", service)]).toEqual([rule, [1, 2, 3, 4, 5, 6]]);
    }
  });

  it("reject the negation of a rule that cannot be expressed safely, and apply it otherwise", async () => {
    const service = await database.serve({
      models: {
        Publisher: { auth: { where: () => ({ city: { equals: { _ref: "name", _container: "Publisher" } } }) } },
      },
    });
    expect((await service.call("GET", "/books?publisher__isNot__name=x")).status).toBe(400);
    expect(await ids("publisher__isNull=true", service)).toBe(400);
  });

  it("reject an order through a relation with a rule", async () => {
    for (const sort of ["publisher.name", "-id,cover.color", "sequel.cover.id"]) {
      const { status, text } = await guarded.call("GET", `/books?sort=${sort}`);
      expect([sort, status, JSON.parse(text).code]).toEqual([sort, 400, "ValidationError"]);
    }
    expect(await ids("sort=-title,id")).toEqual([2, 1, 6]);
    // This rule is true.
    expect((await guarded.call("GET", "/authorships?sort=writer.name")).status).toBe(200);
  });

  it("exclude other rows from an include, at every depth, and make a to-one relation to them null", async () => {
    const get = async (path: string) => json((await guarded.call("GET", path)).text).data as unknown;
    expect(await get("/books?fields=id&include=cover,tags")).toEqual([
      { id: 1, cover: expect.objectContaining({ color: "red" }), tags: [{ name: "a" }] },
      { id: 2, cover: null, tags: [{ name: "a" }] },
      { id: 6, cover: null, tags: [] },
    ]);
    await database.sql(`UPDATE "Publisher" SET city = NULL WHERE id = 1`);
    expect(await get("/books/1?fields=id&include=publisher,prequels.publisher,prequels.sequel.cover")).toEqual({
      id: 1,
      publisher: null,
      prequels: [
        expect.objectContaining({
          id: 2,
          publisher: null,
          sequel: expect.objectContaining({ id: 1, cover: { id: expect.any(String), color: "red", bookId: 1 } }),
        }),
      ],
    });
    // A required relation, too.
    expect(await get("/authorships?fields=bookId&include=book.tags,writer&sort=bookId,writerId")).toMatchObject([
      { bookId: 1, book: { id: 1, tags: [{ name: "a" }] }, writer: { name: "Ann" } },
      { bookId: 2, book: { id: 2 } },
      { bookId: 2, book: { id: 2 } },
      { bookId: 3, book: null, writer: { name: "Bob" } },
      { bookId: 4, book: null },
    ]);
    // A compound key.
    const service = await database.serve({ models: { Authorship: { auth: { where: () => ({ share: 100 }) } } } });
    const payments = await service.call("GET", "/payments?fields=id&include=authorship");
    expect(json(payments.text).data.map(({ authorship }) => (authorship as { share: number } | null)?.share)).toEqual([
      100,
      undefined,
      undefined,
      100,
    ]);
  });

  it("C22 apply in the ORM's own options, if these are enabled", async () => {
    const service = await database.serve({
      allowDangerousOrmQueryOptions: true,
      models: {
        Publisher: { auth: { where: () => ({ city: "Bern" }) } },
        Book: { auth: { where: () => ({ pages: { lt: 300 } }) } },
        Tag: { auth: { where: () => ({ name: { not: "b" } }) } },
      },
    });
    const call = async (path: string, options: object) => {
      const query = `prismaQueryOptions=${encodeURIComponent(JSON.stringify(options))}`;
      const { status, text } = await service.call("GET", `${path}?${query}`);
      return status === 200 ? (JSON.parse(text).data as unknown) : status;
    };
    const id = { select: { id: true } };
    await database.sql(`UPDATE "Publisher" SET city = NULL WHERE id = 1`);
    for (const [path, options, expected] of [
      ["/books", { ...id }, [{ id: 1 }, { id: 2 }, { id: 6 }]],
      [
        "/books",
        { ...id, where: { OR: [{ pages: { gt: 0 } }, { id: { gt: 0 } }] } },
        [{ id: 1 }, { id: 2 }, { id: 6 }],
      ],
      ["/books", { ...id, where: { tags: { every: { name: "a" } } } }, [{ id: 1 }, { id: 2 }, { id: 6 }]],
      ["/books", { ...id, where: { publisher: { isNot: { name: "Alpha" } } } }, [{ id: 1 }, { id: 2 }, { id: 6 }]],
      ["/books", { ...id, where: { NOT: { publisher: { name: "Alpha" } } } }, [{ id: 1 }, { id: 2 }, { id: 6 }]],
      ["/books", { ...id, where: { publisher: null } }, [{ id: 1 }, { id: 2 }, { id: 6 }]],
      ["/books", { ...id, orderBy: { publisher: { name: "asc" } } }, 400],
      ["/books", { ...id, orderBy: { tags: { _count: "asc" } } }, 400],
      [
        "/books",
        { select: { id: true, publisher: { select: { name: true } }, tags: { where: { name: { gt: "" } } } }, take: 1 },
        [{ id: 1, publisher: null, tags: [{ name: "a" }] }],
      ],
      [
        "/tags",
        { select: { name: true, books: { select: { id: true, sequel: { select: { title: true } } } } } },
        [
          {
            name: "a",
            books: [
              { id: 1, sequel: null },
              { id: 2, sequel: { title: "One" } },
            ],
          },
          { name: "c", books: [] },
        ],
      ],
    ] as const) {
      expect([path, options, await call(path, options)]).toEqual([path, options, expected]);
    }
    const counts = await call("/books", {
      select: { id: true, _count: { select: { tags: true, prequels: true } } },
      take: 1,
    });
    expect(counts).toEqual([{ id: 1, _count: { tags: 1, prequels: 1 } }]);
  });

  it("read the rows of to-one relations with one additional query, however many there are", async () => {
    const received = await database.statements(() =>
      guarded.call("GET", "/books?include=cover,prequels.cover&count=false"),
    );
    expect(received.filter((query) => /FROM "public"."Cover"/.test(query) && /"color" = /.test(query))).toHaveLength(2);
  });

  it("C13 reject a connect to another row with the message of a missing one", async () => {
    for (const body of [
      (id: number) => ({ publisherId: id }),
      (id: number) => ({ publisher: { id } }),
      (id: number) => ({ title: "x", seriesOf: id }),
    ]) {
      const outside = await reported("PATCH", "/books/1", "3", body(3));
      expect(outside).toEqual(await reported("PATCH", "/books/1", "77", body(77)));
      expect(outside).toMatch(/^400 .*RelatedRecordNotFound/);
    }
    const many = (id: number) => [
      { title: "a", pages: 1, publisherId: 1 },
      { title: "b", pages: 1, publisherId: id },
    ];
    const outside = await reported("POST", "/books/many", "3", many(3));
    expect(outside).toEqual(await reported("POST", "/books/many", "77", many(77)));
    expect(outside).toContain('"/1/publisherId"');
    expect((await guarded.call("PATCH", "/books/1", { publisherId: 1, seriesOf: null })).status).toBe(200);
  });
});

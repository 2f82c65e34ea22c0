import { callerOf } from "@servicekit/router";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import type { ModelConfig } from "../src/index.js";
import { type Guarded, makeWorld, type World } from "./guarded.js";
import { seedWorld } from "./two-worlds.js";

let world: World;
let guarded: Guarded;
let asked: string[] = [];

const whoSees = (name: string): ModelConfig => ({
  auth: {
    where: (request) => {
      asked.push(`${name} ${request.method}`);
      return true;
    },
  },
});

beforeAll(async () => {
  world = await makeWorld(inject("postgresUrl"));
  guarded = await world.serve({
    models: {
      Publisher: { auth: { where: () => ({ city: "Bern" }) } },
      Book: {
        auth: { where: async () => ({ pages: { lt: 300 } }), updateOne: { where: () => ({ title: { not: "Two" } }) } },
      },
      Cover: { auth: { where: () => ({ color: "red" }) } },
      Tag: { auth: { where: () => ({ name: { not: "b" } }) } },
      Writer: whoSees("Writer"),
    },
  });
});
afterAll(() => world.close());

beforeEach(async () => {
  asked = [];
  await world.sql(emptyTables("Publisher", "Book", "Cover", "Tag", "Writer", "Authorship", "Payment", "_BookToTag"));
  await seedWorld(world, { secret: "s", score: "1", subtitle: "NULL", writer: "", share: "60", outside: [] });
});

const json = (text: string) => JSON.parse(text) as { data: Record<string, unknown>[]; meta: { total: number } };
const ids = async (query: string, service = guarded): Promise<unknown> => {
  const { status, text } = await service.ask("GET", `/books?${query}&fields=id`);
  return status === 200 ? json(text).data.map(({ id }) => id) : status;
};
/** An answer without what the request itself says. */
const told = async (method: string, path: string, id: string, body?: unknown, service = guarded) => {
  const { status, text } = await service.ask(method, path.replace("ID", id), body);
  return `${status} ${text.replace(new RegExp(`\\b${id}\\b`, "g"), "ID")}`;
};

describe("C30 row rules of the model itself", () => {
  it("hold for the rows, the total, the search and every page", async () => {
    const { text } = await guarded.ask("GET", "/books?fields=id");
    expect(json(text)).toMatchObject({ data: [{ id: 1 }, { id: 2 }, { id: 6 }], meta: { total: 3 } });
    expect(await ids("search=o")).toEqual([1, 2, 6]);
    expect(await ids("search=f")).toEqual([]);
    const first = json((await guarded.ask("GET", "/books?cursor=&limit=2&sort=-id&fields=id")).text);
    expect(first).toMatchObject({ data: [{ id: 6 }, { id: 2 }], meta: { total: 3 } });
    const { nextCursor } = first.meta as unknown as { nextCursor: string };
    expect(await ids(`cursor=${nextCursor}&limit=2&sort=-id`)).toEqual([1]);
  });

  it("are widened by no or, no not and no criterion on their field", async () => {
    expect(await ids("or[0][pages__gte]=300&or[1][id__gt]=0")).toEqual([1, 2, 6]);
    expect(await ids("not[pages__lt]=300")).toEqual([]);
    expect(await ids("not[id]=1")).toEqual([2, 6]);
    expect(await ids("pages__gte=0")).toEqual([1, 2, 6]);
  });

  it("make a row outside the same as an absent one, for every method", async () => {
    for (const [method, body] of [
      ["GET"],
      ["PATCH", { title: "x" }],
      ["PATCH", { title: 1 }],
      ["DELETE"],
      ["HEAD"],
    ] as const) {
      expect(await told(method, "/books/ID", "4", body)).toEqual(await told(method, "/books/ID", "77", body));
    }
    expect(await told("PATCH", "/books/many", "4", [{ id: 4, title: "x" }])).toEqual(
      await told("PATCH", "/books/many", "77", [{ id: 77, title: "x" }]),
    );
    expect(await told("DELETE", "/books/many", "4", { ids: [4] })).toEqual(
      await told("DELETE", "/books/many", "77", { ids: [77] }),
    );
    expect((await guarded.ask("PATCH", "/books/1", { title: "y" })).status).toBe(200);
    expect(await told("PATCH", "/books/ID", "4", { isbn: "i1" })).toMatch(/^404/);
    expect(await world.sql(`SELECT id, title FROM "Book" WHERE id IN (1, 4) ORDER BY id`)).toEqual([
      { id: 1, title: "y" },
      { id: 4, title: "four" },
    ]);
  });

  it("R1 attack 9 keep bulk changes by a filter, and by ids, inside", async () => {
    const changed = await guarded.ask("PATCH", "/books/many?title__not=none", { subtitle: "new" });
    expect(json(changed.text).data.map(({ id }) => id)).toEqual([1, 2, 6]);
    const rows = await world.sql<{ id: number }>(`SELECT id FROM "Book" WHERE subtitle = 'new' ORDER BY id`);
    expect(rows.map(({ id }) => id)).toEqual([1, 2, 6]);
    expect((await guarded.ask("DELETE", "/books/many", { ids: [6, 5] })).status).toBe(404);
    expect((await guarded.ask("DELETE", "/books/many?title__in=One,FIVE&cover__isNull=true")).text).toBe(
      '{"meta":{"count":1}}',
    );
    expect(await world.sql(`SELECT count(*)::int AS n FROM "Book" WHERE id IN (5, 6)`)).toEqual([{ n: 1 }]);
  });

  it("refuse with 403 a write that would lead outside, and undo it", async () => {
    const before = await world.sql(`SELECT id, title, pages FROM "Book" ORDER BY id`);
    const isbn = { isbn: "new" };
    for (const [method, path, body] of [
      ["POST", "/books", { title: "x", pages: 300 }],
      ["POST", "/books", { title: "x" }],
      [
        "POST",
        "/books/many",
        [
          { title: "x", pages: 1 },
          { title: "x", pages: 999 },
        ],
      ],
      ["PATCH", "/books/1", { pages: 300 }],
      ["PATCH", "/books/1", { pages: null }],
      ["PATCH", "/books/1", { title: "Two" }],
      [
        "PATCH",
        "/books/many",
        [
          { id: 1, pages: 1 },
          { id: 2, pages: 999 },
        ],
      ],
      ["PATCH", "/books/many?id__lt=3", { pages: 400 }],
      ["POST", "/books", { title: "x", pages: 999, tags: [{ name: "a" }] }],
      ["PATCH", "/books/1", { pages: 999, tags: [{ name: "c" }] }],
    ] as const) {
      const answer = await guarded.ask(method, path, body);
      expect([path, body, answer.status, JSON.parse(answer.text).code]).toEqual([path, body, 403, "Forbidden"]);
    }
    expect(await world.sql(`SELECT id, title, pages FROM "Book" ORDER BY id`)).toEqual(before);
    const created = await guarded.ask("POST", "/books", { title: "x", pages: 299, ...isbn });
    expect([created.status, created.location?.startsWith("/api/books/")]).toEqual([201, true]);
  });

  it("C16 come before the conditions of a request", async () => {
    const { etag = "" } = await guarded.ask("GET", "/books/1");
    const patch = async (path: string, tag: string) =>
      (await guarded.ask("PATCH", path, { pages: 11 }, undefined, { "if-match": tag })).status;
    expect(await patch("/books/4", "*")).toBe(404);
    expect(await patch("/books/4", etag)).toBe(404);
    expect([await patch("/books/1", etag), await patch("/books/1", etag)]).toEqual([200, 412]);
  });

  it("hold beside the rule of the operation", async () => {
    expect((await guarded.ask("GET", "/books/2")).status).toBe(200);
    expect(await told("PATCH", "/books/ID", "2", { pages: 1 })).toEqual(
      await told("PATCH", "/books/ID", "77", { pages: 1 }),
    );
    expect((await guarded.ask("PATCH", "/books/many", [{ id: 2, pages: 1 }])).status).toBe(200);
  });
});

describe("C30 R3 row rules of related models", () => {
  it("show permitted rows only in filters: what is outside is as if it did not exist", async () => {
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

  it("tell nothing of a row outside, also where its rule is unknown because of a NULL", async () => {
    const open = await world.serve({ models: { Publisher: { auth: { where: () => ({ city: "Bern" }) } } } });
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
    const answers = async () => Promise.all(queries.map((query) => ids(query, open)));
    await world.sql(`UPDATE "Publisher" SET city = 'Rome', "full name" = 'Beta' WHERE id = 2`);
    const first = await answers();
    for (const [city, name] of [
      ["'Rome'", "Other"],
      ["NULL", "Beta"],
      ["NULL", "Other"],
    ]) {
      await world.sql(`UPDATE "Publisher" SET city = ${city}, "full name" = '${name}' WHERE id = 2`);
      expect(await answers()).toEqual(first);
    }
    expect(first[0]).toEqual([1, 2, 3, 4, 5, 6]);
    expect(first[5]).toEqual([3, 4, 5]);
    expect(first[12]).toEqual([3, 4, 5, 6]);
  });

  it("hold for a rule of every form, negated or not", async () => {
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
      const service = await world.serve({ models: { Publisher: { auth: { where: () => rule } } } });
      const seen = json((await service.ask("GET", "/publishers?fields=id")).text).data.map(({ id }) => id);
      const list = seen.join();
      const within = (
        await world.sql<{ id: number }>(
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

  it("refuse to negate a rule that cannot be told safely, and follow it otherwise", async () => {
    const service = await world.serve({
      models: {
        Publisher: { auth: { where: () => ({ city: { equals: { _ref: "name", _container: "Publisher" } } }) } },
      },
    });
    expect((await service.ask("GET", "/books?publisher__isNot__name=x")).status).toBe(400);
    expect(await ids("publisher__isNull=true", service)).toBe(400);
  });

  it("refuse an order through a relation with a rule", async () => {
    for (const sort of ["publisher.name", "-id,cover.color", "sequel.cover.id"]) {
      const { status, text } = await guarded.ask("GET", `/books?sort=${sort}`);
      expect([sort, status, JSON.parse(text).code]).toEqual([sort, 400, "ValidationError"]);
    }
    expect(await ids("sort=-title,id")).toEqual([2, 1, 6]);
    // This rule says true.
    expect((await guarded.ask("GET", "/authorships?sort=writer.name")).status).toBe(200);
  });

  it("leave rows outside out of an include, at every depth, and make a to-one relation to them null", async () => {
    const get = async (path: string) => json((await guarded.ask("GET", path)).text).data as unknown;
    expect(await get("/books?fields=id&include=cover,tags")).toEqual([
      { id: 1, cover: expect.objectContaining({ color: "red" }), tags: [{ name: "a" }] },
      { id: 2, cover: null, tags: [{ name: "a" }] },
      { id: 6, cover: null, tags: [] },
    ]);
    await world.sql(`UPDATE "Publisher" SET city = NULL WHERE id = 1`);
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
    // A composite key.
    const service = await world.serve({ models: { Authorship: { auth: { where: () => ({ share: 100 }) } } } });
    const payments = await service.ask("GET", "/payments?fields=id&include=authorship");
    expect(json(payments.text).data.map(({ authorship }) => (authorship as { share: number } | null)?.share)).toEqual([
      100,
      undefined,
      undefined,
      100,
    ]);
  });

  it("C22 hold in the ORM's own options, where these are let in", async () => {
    const service = await world.serve({
      allowDangerousOrmQueryOptions: true,
      models: {
        Publisher: { auth: { where: () => ({ city: "Bern" }) } },
        Book: { auth: { where: () => ({ pages: { lt: 300 } }) } },
        Tag: { auth: { where: () => ({ name: { not: "b" } }) } },
      },
    });
    const ask = async (path: string, options: object) => {
      const query = `prismaQueryOptions=${encodeURIComponent(JSON.stringify(options))}`;
      const { status, text } = await service.ask("GET", `${path}?${query}`);
      return status === 200 ? (JSON.parse(text).data as unknown) : status;
    };
    const id = { select: { id: true } };
    await world.sql(`UPDATE "Publisher" SET city = NULL WHERE id = 1`);
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
      expect([path, options, await ask(path, options)]).toEqual([path, options, expected]);
    }
    const counts = await ask("/books", {
      select: { id: true, _count: { select: { tags: true, prequels: true } } },
      take: 1,
    });
    expect(counts).toEqual([{ id: 1, _count: { tags: 1, prequels: 1 } }]);
  });

  it("read the rows of to-one relations by one query more, however many there are", async () => {
    const heard = await world.statements(() => guarded.ask("GET", "/books?include=cover,prequels.cover&count=false"));
    expect(heard.filter((query) => /FROM "public"."Cover"/.test(query) && /"color" = /.test(query))).toHaveLength(2);
  });

  it("C13 refuse to connect to a row outside, in the words for an absent one", async () => {
    for (const body of [
      (id: number) => ({ publisherId: id }),
      (id: number) => ({ publisher: { id } }),
      (id: number) => ({ title: "x", seriesOf: id }),
    ]) {
      const outside = await told("PATCH", "/books/1", "3", body(3));
      expect(outside).toEqual(await told("PATCH", "/books/1", "77", body(77)));
      expect(outside).toMatch(/^400 .*RelatedRecordNotFound/);
    }
    const many = (id: number) => [
      { title: "a", pages: 1, publisherId: 1 },
      { title: "b", pages: 1, publisherId: id },
    ];
    const outside = await told("POST", "/books/many", "3", many(3));
    expect(outside).toEqual(await told("POST", "/books/many", "77", many(77)));
    expect(outside).toContain('"/1/publisherId"');
    expect((await guarded.ask("PATCH", "/books/1", { publisherId: 1, seriesOf: null })).status).toBe(200);
  });
});

describe("C30 the rule itself", () => {
  const serve = (where: NonNullable<ModelConfig["auth"]>["where"]) =>
    world.serve({ models: { Book: { auth: { where: where as never } } } });

  it("is asked once for a request and a model, however often it is needed", async () => {
    await guarded.ask(
      "GET",
      "/writers?include=authorships.writer&authorships__writer__id=1&not[authorships__some__writer__name]=x",
    );
    expect(asked).toEqual(["Writer GET"]);
    await guarded.ask("GET", "/books");
    expect(asked).toEqual(["Writer GET"]);
  });

  it("knows the caller, and does not hold for a superuser", async () => {
    const service = await serve((request) => ({ publisherId: (callerOf(request)?.id as number | undefined) ?? 3 }));
    const count = async (who?: readonly string[] | "root") =>
      json((await service.ask("GET", "/books", undefined, who)).text).meta.total;
    expect([await count(), await count(["any"]), await count("root")]).toEqual([1, 3, 6]);
  });

  it("opens all rows by true, none by false, and none by an empty list of alternatives", async () => {
    const total = async (answer: unknown, query = "") => {
      const service = await serve(() => answer as never);
      return json((await service.ask("GET", `/books?${query}`)).text).meta.total;
    };
    expect(await total(true)).toBe(6);
    for (const none of [
      false,
      { OR: [] },
      { AND: [{ OR: [] }] },
      { NOT: { NOT: { OR: [] } } },
      { publisher: { is: { AND: [{ OR: [] }] } } },
    ]) {
      expect([
        none,
        await total(none),
        await total(none, "id__gt=0"),
        await total(none, "or[0][id]=1&or[1][id]=2"),
      ]).toEqual([none, 0, 0, 0]);
    }
    const service = await serve(() => false);
    expect((await service.ask("DELETE", "/books/many?id__gt=0")).text).toBe('{"meta":{"count":0}}');
    expect(await world.sql(`SELECT count(*)::int AS n FROM "Book"`)).toEqual([{ n: 6 }]);
  });

  it("opens nothing when it fails, or says nothing", async () => {
    for (const answer of [
      undefined,
      null,
      {},
      { pages: undefined },
      { AND: [] },
      { NOT: {} },
      { OR: [{}] },
      { pages: {} },
      { publisher: { city: undefined } },
      "all",
      [],
    ]) {
      const service = await serve(() => answer as never);
      for (const [method, path] of [
        ["GET", "/books"],
        ["GET", "/publishers?include=books"],
        ["DELETE", "/books/1"],
        ["GET", "/publishers?books__pages__gt=1"],
      ] as const) {
        expect([answer, method, path, (await service.ask(method, path)).status]).toEqual([answer, method, path, 500]);
      }
      expect(service.logged[0]).toBeInstanceOf(TypeError);
    }
    const failing = await serve(() => Promise.reject(new Error("no")));
    expect((await failing.ask("GET", "/books")).status).toBe(500);
    expect((await failing.ask("GET", "/publishers")).status).toBe(200);
    expect(await world.sql(`SELECT count(*)::int AS n FROM "Book"`)).toEqual([{ n: 6 }]);
  });

  it("may name hidden fields", async () => {
    const service = await world.serve({
      models: { Publisher: { auth: { where: () => ({ secret: { endsWith: "2" } }) } } },
    });
    expect((await service.ask("GET", "/publishers?fields=id")).text).toContain('"data":[{"id":2}]');
    expect(await ids("publisher__isNull=false", service)).toEqual([3]);
  });

  it("that every row meets changes no answer", async () => {
    const plain = await world.serve({});
    const ruled = await world.serve({
      models: {
        Publisher: { auth: { where: () => ({ id: { gt: 0 } }) } },
        Book: { auth: { where: () => ({ OR: [{ pages: null }, { pages: { gte: 0 } }] }) } },
        Cover: { auth: { where: () => ({ color: { not: "" } }) } },
        Tag: { auth: { where: () => ({ name: { not: "" } }) } },
        Authorship: { auth: { where: () => ({ share: { gte: 0 } }) } },
      },
    });
    for (const path of [
      "/books?include=publisher.books,cover.book,tags.books,authorships.writer",
      "/books?publisher__isNot__city=Bern",
      "/books?not[publisher__city]=Bern",
      "/books?not[publisher__city__isNull]=true",
      "/books?tags__every__name=a&include=sequel.publisher",
      "/books?sequel__publisher__city=Bern",
      "/publishers?books__every__pages__gt=100",
      "/publishers?books__none__price=10&include=books.sequel",
      "/publishers?not[books__every__cover__color]=red",
      "/payments?include=authorship.book.publisher&authorship__share__gt=50",
      "/books?prequels__every__publisher__city=Bern",
      "/books?cursor=&limit=2&include=cover",
    ]) {
      expect([path, await ruled.ask("GET", path)]).toEqual([path, await plain.ask("GET", path)]);
    }
  });
});

import { callerOf } from "@servicekit/router";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { ModelConfig } from "../src/index.js";
import type { Guarded, World } from "./guarded.js";
import { bookIds, json, makeRuledWorld } from "./ruled-world.js";

let database: World;
let guarded: Guarded;
let requested: string[];
let reset: () => Promise<void>;
beforeAll(async () => {
  ({ database, guarded, requested, reset } = await makeRuledWorld(inject("postgresUrl")));
});
afterAll(() => database.close());
beforeEach(() => reset());

const ids = (query: string, service = guarded): Promise<unknown> => bookIds(query, service);
/** A response without the parts that repeat the request. */
const reported = async (method: string, path: string, id: string, body?: unknown, service = guarded) => {
  const { status, text } = await service.call(method, path.replace("ID", id), body);
  return `${status} ${text.replace(new RegExp(`\\b${id}\\b`, "g"), "ID")}`;
};

describe("C30 row rules of the model itself", () => {
  it("apply to the rows, the total, the search and every page", async () => {
    const { text } = await guarded.call("GET", "/books?fields=id");
    expect(json(text)).toMatchObject({ data: [{ id: 1 }, { id: 2 }, { id: 6 }], meta: { total: 3 } });
    expect(await ids("search=o")).toEqual([1, 2, 6]);
    expect(await ids("search=f")).toEqual([]);
    const first = json((await guarded.call("GET", "/books?cursor=&limit=2&sort=-id&fields=id")).text);
    expect(first).toMatchObject({ data: [{ id: 6 }, { id: 2 }], meta: { total: 3 } });
    const { nextCursor } = first.meta as unknown as { nextCursor: string };
    expect(await ids(`cursor=${nextCursor}&limit=2&sort=-id`)).toEqual([1]);
  });

  it("cannot be widened by or, not or a criterion on their field", async () => {
    expect(await ids("or[0][pages__gte]=300&or[1][id__gt]=0")).toEqual([1, 2, 6]);
    expect(await ids("not[pages__lt]=300")).toEqual([]);
    expect(await ids("not[id]=1")).toEqual([2, 6]);
    expect(await ids("pages__gte=0")).toEqual([1, 2, 6]);
  });

  it("make another row equal to a missing one, for every method", async () => {
    for (const [method, body] of [
      ["GET"],
      ["PATCH", { title: "x" }],
      ["PATCH", { title: 1 }],
      ["DELETE"],
      ["HEAD"],
    ] as const) {
      expect(await reported(method, "/books/ID", "4", body)).toEqual(await reported(method, "/books/ID", "77", body));
    }
    expect(await reported("PATCH", "/books/many", "4", [{ id: 4, title: "x" }])).toEqual(
      await reported("PATCH", "/books/many", "77", [{ id: 77, title: "x" }]),
    );
    expect(await reported("DELETE", "/books/many", "4", { ids: [4] })).toEqual(
      await reported("DELETE", "/books/many", "77", { ids: [77] }),
    );
    expect((await guarded.call("PATCH", "/books/1", { title: "y" })).status).toBe(200);
    expect(await reported("PATCH", "/books/ID", "4", { isbn: "i1" })).toMatch(/^404/);
    expect(await database.sql(`SELECT id, title FROM "Book" WHERE id IN (1, 4) ORDER BY id`)).toEqual([
      { id: 1, title: "y" },
      { id: 4, title: "four" },
    ]);
  });

  it("limit bulk changes by a filter, and by ids", async () => {
    const changed = await guarded.call("PATCH", "/books/many?title__not=none", { subtitle: "new" });
    expect(json(changed.text).data.map(({ id }) => id)).toEqual([1, 2, 6]);
    const rows = await database.sql<{ id: number }>(`SELECT id FROM "Book" WHERE subtitle = 'new' ORDER BY id`);
    expect(rows.map(({ id }) => id)).toEqual([1, 2, 6]);
    expect((await guarded.call("DELETE", "/books/many", { ids: [6, 5] })).status).toBe(404);
    expect((await guarded.call("DELETE", "/books/many?title__in=One,FIVE&cover__isNull=true")).text).toBe(
      '{"meta":{"count":1}}',
    );
    expect(await database.sql(`SELECT count(*)::int AS n FROM "Book" WHERE id IN (5, 6)`)).toEqual([{ n: 1 }]);
  });

  it("reject with 403 a write that would violate them, and roll it back", async () => {
    const before = await database.sql(`SELECT id, title, pages FROM "Book" ORDER BY id`);
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
      const response = await guarded.call(method, path, body);
      expect([path, body, response.status, JSON.parse(response.text).code]).toEqual([path, body, 403, "Forbidden"]);
    }
    expect(await database.sql(`SELECT id, title, pages FROM "Book" ORDER BY id`)).toEqual(before);
    const created = await guarded.call("POST", "/books", { title: "x", pages: 299, ...isbn });
    expect([created.status, created.location?.startsWith("/api/books/")]).toEqual([201, true]);
  });

  it("C16 precede the conditions of a request", async () => {
    const { etag = "" } = await guarded.call("GET", "/books/1");
    const patch = async (path: string, tag: string) =>
      (await guarded.call("PATCH", path, { pages: 11 }, undefined, { "if-match": tag })).status;
    expect(await patch("/books/4", "*")).toBe(404);
    expect(await patch("/books/4", etag)).toBe(404);
    expect([await patch("/books/1", etag), await patch("/books/1", etag)]).toEqual([200, 412]);
  });

  it("are combined with the rule of the operation", async () => {
    expect((await guarded.call("GET", "/books/2")).status).toBe(200);
    expect(await reported("PATCH", "/books/ID", "2", { pages: 1 })).toEqual(
      await reported("PATCH", "/books/ID", "77", { pages: 1 }),
    );
    expect((await guarded.call("PATCH", "/books/many", [{ id: 2, pages: 1 }])).status).toBe(200);
  });
});

describe("C30 the rule itself", () => {
  const serve = (where: NonNullable<ModelConfig["auth"]>["where"]) =>
    database.serve({ models: { Book: { auth: { where: where as never } } } });

  it("is evaluated once per request and model, however often it is needed", async () => {
    await guarded.call(
      "GET",
      "/writers?include=authorships.writer&authorships__writer__id=1&not[authorships__some__writer__name]=x",
    );
    expect(requested).toEqual(["Writer GET"]);
    await guarded.call("GET", "/books");
    expect(requested).toEqual(["Writer GET"]);
  });

  it("gets the caller, and does not apply to a superuser", async () => {
    const service = await serve((request) => ({ publisherId: (callerOf(request)?.id as number | undefined) ?? 3 }));
    const count = async (who?: readonly string[] | "root") =>
      json((await service.call("GET", "/books", undefined, who)).text).meta.total;
    expect([await count(), await count(["any"]), await count("root")]).toEqual([1, 3, 6]);
  });

  it("allows all rows with true, none with false, and none with an empty list of alternatives", async () => {
    let rule: unknown;
    const service = await serve(() => rule as never);
    const total = async (response: unknown, query = "") => {
      rule = response;
      return json((await service.call("GET", `/books?${query}`)).text).meta.total;
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
    rule = false;
    expect((await service.call("DELETE", "/books/many?id__gt=0")).text).toBe('{"meta":{"count":0}}');
    expect(await database.sql(`SELECT count(*)::int AS n FROM "Book"`)).toEqual([{ n: 6 }]);
  });

  it("allows nothing if it throws, or returns nothing", async () => {
    let rule: unknown;
    const service = await serve(() => rule as never);
    for (const response of [
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
      rule = response;
      service.logged.length = 0;
      for (const [method, path] of [
        ["GET", "/books"],
        ["GET", "/publishers?include=books"],
        ["DELETE", "/books/1"],
        ["GET", "/publishers?books__pages__gt=1"],
      ] as const) {
        expect([response, method, path, (await service.call(method, path)).status]).toEqual([
          response,
          method,
          path,
          500,
        ]);
      }
      expect(service.logged[0]).toBeInstanceOf(TypeError);
    }
    const failing = await serve(() => Promise.reject(new Error("no")));
    expect((await failing.call("GET", "/books")).status).toBe(500);
    expect((await failing.call("GET", "/publishers")).status).toBe(200);
    expect(await database.sql(`SELECT count(*)::int AS n FROM "Book"`)).toEqual([{ n: 6 }]);
  });

  it("may use hidden fields", async () => {
    const service = await database.serve({
      models: { Publisher: { auth: { where: () => ({ secret: { endsWith: "2" } }) } } },
    });
    expect((await service.call("GET", "/publishers?fields=id")).text).toContain('"data":[{"id":2}]');
    expect(await ids("publisher__isNull=false", service)).toEqual([3]);
  });

  it("does not change a response if every row matches", async () => {
    const plain = await database.serve({});
    const ruled = await database.serve({
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
      expect([path, await ruled.call("GET", path)]).toEqual([path, await plain.call("GET", path)]);
    }
  });
});

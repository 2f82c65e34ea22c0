import { callerOf } from "@servicekit/router";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { ModelConfig } from "../src/index.js";
import type { Guarded, World } from "./guarded.js";
import { bookIds, json, makeRuledWorld } from "./ruled-world.js";

let world: World;
let guarded: Guarded;
let asked: string[];
let reset: () => Promise<void>;
beforeAll(async () => {
  ({ world, guarded, asked, reset } = await makeRuledWorld(inject("postgresUrl")));
});
afterAll(() => world.close());
beforeEach(() => reset());

const ids = (query: string, service = guarded): Promise<unknown> => bookIds(query, service);
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

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Guarded, makeWorld, type Who, type World } from "./guarded.js";
import { seedWorld } from "./two-databases.js";

let database: World;
let guarded: Guarded;
const everyone = { findMany: false, findOne: false } as const;

beforeAll(async () => {
  database = await makeWorld(inject("postgresUrl"));
  await seedWorld(database, { secret: "s", score: "1", subtitle: "NULL", writer: "", share: "60", outside: [] });
  guarded = await database.serve(
    {
      models: {
        Book: {
          auth: { ...everyone, createOne: ["editor"], updateOne: { rule: { roles: ["editor", "*"] } }, deleteOne: [] },
        },
        Cover: { auth: { findMany: true } },
        Writer: { auth: { findMany: ["editor"], updateOne: { where: () => true } } },
        Tag: { auth: { findMany: { rule: false, where: () => ({ name: { not: "b" } }) } } },
        Authorship: { auth: everyone },
      },
    },
    true,
  );
});
afterAll(() => database.close());

describe("C30 access by operation", () => {
  it("is for superusers only by default", async () => {
    for (const path of ["/publishers", "/publishers/1", "/tags/a", "/writers/1", "/payments"]) {
      const statuses = async (who: Who) => (await guarded.call("GET", path, undefined, who)).status;
      expect([path, await statuses(undefined), await statuses(["editor"]), await statuses("root")]).toEqual([
        path,
        401,
        403,
        200,
      ]);
    }
    expect((await guarded.call("PATCH", "/writers/1", { name: "x" }, ["editor"])).status).toBe(403);
    expect((await guarded.call("POST", "/books/many", [{ title: "x" }], ["editor"])).status).toBe(403);
  });

  it("is set per operation: everyone, signed-in users, roles", async () => {
    const status = async (method: string, path: string, who: Who, body?: unknown) =>
      (await guarded.call(method, path, body, who)).status;
    expect([await status("GET", "/books", undefined), await status("GET", "/books/1", ["any"])]).toEqual([200, 200]);
    expect([await status("GET", "/covers", undefined), await status("GET", "/covers", [])]).toEqual([401, 200]);
    expect(await status("POST", "/books", ["reader"], { nonsense: 1 })).toBe(403);
    expect(await status("POST", "/books", ["editor"], { title: "x" })).toBe(201);
    expect(await status("PATCH", "/books/1", ["any"], { pages: 3 })).toBe(200);
    expect(await status("DELETE", "/books/1", ["editor"])).toBe(403);
  });

  it("is set for several by read, write and all, with the row rule, and a more specific name wins", async () => {
    const short = await database.serve(
      {
        models: {
          Book: { auth: { read: false, write: ["editor"], deleteOne: [] } },
          Tag: { auth: { all: true, read: { rule: false, where: () => ({ name: { not: "b" } }) } } },
          Cover: { auth: { all: ["editor"], findMany: false } },
          Authorship: { auth: { all: false } },
        },
      },
      true,
    );
    const status = async (method: string, path: string, who: Who, body?: unknown) =>
      (await short.call(method, path, body, who)).status;
    expect([await status("GET", "/books", undefined), await status("GET", "/books/1", undefined)]).toEqual([200, 200]);
    expect([await status("POST", "/books", ["reader"], {}), await status("PATCH", "/books/1", undefined, {})]).toEqual([
      403, 401,
    ]);
    expect(await status("POST", "/books/many", ["editor"], [{ title: "x" }])).toBe(201);
    expect(await status("DELETE", "/books/1", ["editor"])).toBe(403);
    expect([await status("GET", "/tags/a", undefined), await status("GET", "/tags/b", undefined)]).toEqual([200, 404]);
    expect((await short.call("GET", "/tags", undefined, undefined)).text).not.toContain('"b"');
    expect([await status("POST", "/tags", undefined, {}), await status("POST", "/tags", ["any"], {})]).toEqual([
      401, 400,
    ]);
    expect([await status("GET", "/covers", undefined), await status("GET", "/covers/1", ["any"])]).toEqual([200, 403]);
    expect(await status("GET", "/publishers", ["editor"])).toBe(403);
  });

  it("C50 is checked first: the same for an existing row, a missing one, and an invalid body", async () => {
    const call = async (path: string, body?: unknown) => {
      const { status, text } = await guarded.call("PATCH", path, body, ["reader"]);
      return `${status} ${text}`;
    };
    expect(
      new Set(
        await Promise.all([call("/publishers/1", {}), call("/publishers/77", {}), call("/publishers/1", { x: 1 })]),
      ).size,
    ).toBe(1);
  });
});

describe("C30 models that the caller may not view", () => {
  it("cannot be reached through relations, as if these did not exist", async () => {
    const call = async (path: string, who: Who) => {
      const { status, text } = await guarded.call("GET", path, undefined, who);
      return [
        status,
        status === 200
          ? ""
          : JSON.parse(text)
              .detail.replace("publisher", "nothing")
              .replace(/\. Did you mean .*/, "."),
      ];
    };
    for (const query of [
      "include=publisher",
      "publisher__name=Alpha",
      "publisher__isNull=true",
      "or[0][publisher__name]=Alpha&or[1][id]=1",
      "sort=publisher.name",
      "fields=publisher",
    ]) {
      const unknown = query.replace("publisher", "nothing");
      expect([query, await call(`/books?${query}`, undefined)]).toEqual([
        query,
        await call(`/books?${unknown}`, undefined),
      ]);
      expect([query, (await call(`/books?${query}`, undefined))[0]]).toEqual([query, 400]);
      if (!query.startsWith("fields"))
        expect([query, (await call(`/books?${query}`, "root"))[0]]).toEqual([query, 200]);
    }
    const status = async (query: string, who: Who) =>
      (await guarded.call("GET", `/books?${query}`, undefined, who)).status;
    expect([await status("include=cover", undefined), await status("include=cover", [])]).toEqual([400, 200]);
    expect([
      await status("include=authorships.writer", []),
      await status("include=authorships.writer", ["editor"]),
    ]).toEqual([400, 200]);
    expect(await status("tags__name=b", undefined)).toBe(200);
    expect(JSON.parse((await guarded.call("GET", "/books?tags__name=b")).text).data).toEqual([]);
  });

  it("C13 cannot be connected to, by name or by foreign key, existing or not", async () => {
    const call = async (body: unknown) => {
      const { status, text } = await guarded.call("PATCH", "/books/2", body, ["editor"]);
      return [status, JSON.parse(text).code, JSON.parse(text).errors];
    };
    const named = await call({ publisher: { id: 1 } });
    expect(named).toEqual(await call({ publisher: { id: 77 } }));
    expect(named.slice(0, 2)).toEqual([400, "ValidationError"]);
    const byKey = await call({ publisherId: 1 });
    expect(byKey).toEqual(await call({ publisherId: 77 }));
    expect(byKey.slice(0, 2)).toEqual([400, "RelatedRecordNotFound"]);
    expect((await guarded.call("PATCH", "/books/2", { publisherId: 2 }, "root")).status).toBe(200);
  });
});

describe("C29 the declarations of generated routes", () => {
  it("contain authentication, with resource, action and rule, if it is on", async () => {
    const declared = (route: string) => guarded.declared.get(route);
    expect(declared("GET /api/books")).toBe(false);
    expect(declared("GET /api/covers")).toBe(true);
    expect(declared("POST /api/books")).toEqual({ resource: "book", action: "Create", rule: { roles: ["editor"] } });
    expect(declared("PATCH /api/books/:id")).toEqual({
      resource: "book",
      action: "Update",
      rule: { roles: ["editor", "*"] },
    });
    expect(declared("DELETE /api/books/:id")).toEqual({ resource: "book", action: "Delete", rule: { roles: [] } });
    expect(declared("PATCH /api/writers/:id")).toEqual({ resource: "writer", action: "Update" });
    expect(declared("GET /api/http-log2s")).toEqual({ resource: "http-log2", action: "View" });
    expect(declared("GET /api/tags")).toBe(false);
    expect([...guarded.declared.keys()].length).toBeGreaterThan(100);
    const open = await database.serve({ models: { Book: { auth: { findMany: ["editor"] } } } });
    expect(open.declared.size).toBe(0);
    expect((await open.call("GET", "/books")).status).toBe(200);
  });
});

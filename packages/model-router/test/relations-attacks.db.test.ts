import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { linkTables, type Relations, relationModels, startRelations } from "./relations.js";
import type { Served, TestResponse } from "./serve-models.js";

let stored: Relations;
/** Everything that can be allowed is. */
let open: Served;
beforeAll(async () => {
  stored = await startRelations(inject("postgresUrl"));
  const relations = (name: string) =>
    (relationModels.get(name)?.fields ?? []).filter(({ kind }) => kind === "relation").map((field) => field.name);
  open = await stored.serve({
    bulkItems: 50,
    models: Object.fromEntries([...relationModels.keys()].map((name) => [name, { writable: relations(name) }])),
  });
});
afterAll(() => stored?.close());

beforeEach(async () => {
  await stored.clear();
  await stored.sql(`INSERT INTO "User" (email, password) VALUES ('admin@x', 'hash')`);
  await stored.sql(`INSERT INTO "Group" (name) VALUES ('admins')`);
  await stored.sql(`INSERT INTO "Owner" (name, email, secret) VALUES ('Ann', 'ann@x', 's1'), ('Bob', 'bob@x', 's2')`);
  await stored.sql(`INSERT INTO "Article" (title, "ownerId") VALUES ('one', 1), ('two', 2)`);
  await stored.sql(`INSERT INTO "Note" (text, "inner", "articleId") VALUES ('n1', 'i1', 1), ('n2', 'i2', 2)`);
  await stored.sql(`INSERT INTO "Label" (name) VALUES ('red')`);
  await stored.sql(`INSERT INTO "Payer" (name) VALUES ('P')`);
});

const paths = ({ body }: TestResponse): string[] => body.errors?.map(({ path }: { path: string }) => path);

/** The content of every table. */
async function dump(): Promise<string> {
  const tables = [...relationModels.keys(), ...linkTables];
  const rows = tables.map((table) => `SELECT '${table}' AS name, t::text AS row FROM "${table}" AS t`);
  return JSON.stringify(await stored.sql(`${rows.join(" UNION ALL ")} ORDER BY name, row`));
}

async function rejected(served: Served, method: string, path: string, body: unknown): Promise<TestResponse> {
  const before = await dump();
  const response = await served.call(method, path, body);
  expect(response.status, JSON.stringify([path, body, response.body])).toBeGreaterThanOrEqual(400);
  expect(response.status, JSON.stringify([path, body, response.body])).toBeLessThan(500);
  expect(await dump()).toBe(before);
  return response;
}

describe("relations are not settable by default", () => {
  it.each<[string, string, unknown, string]>([
    ["nested create to one", "/articles/1", { owner: { name: "x", email: "x@x" } }, "/owner"],
    ["nested update to one", "/articles/1", { owner: { id: 1, name: "x" } }, "/owner"],
    ["nested delete to one", "/articles/1", { owner: { $delete: true, id: 1 } }, "/owner"],
    ["nested create to many", "/articles/1", { notes: [{ text: "x" }] }, "/notes/0"],
    ["nested update to many", "/articles/1", { notes: [{ id: 1, text: "x" }] }, "/notes/0"],
    ["nested delete to many", "/articles/1", { notes: [{ $delete: true, id: 1 }] }, "/notes/0"],
    ["nested create between", "/articles/1", { labels: [{ name: "new", color: "x" }] }, "/labels/0"],
    ["connect to the user model", "/articles/1", { user: { id: 1 } }, "/user"],
    ["connect to the user model by another unique field", "/articles/1", { user: { email: "admin@x" } }, "/user"],
    ["disconnect from the user model", "/articles/1", { user: null }, "/user"],
    ["connect from the user model", "/users/1", { groups: [{ id: 1 }] }, "/groups"],
    ["connect the user model from the other side", "/groups/1", { users: [{ id: 1 }] }, "/users"],
    ["a relation whose key is read-only", "/payers/1", { orders: [{ id: 1 }] }, "/orders"],
  ])("rejects %s", async (_title, path, body, place) => {
    const response = await rejected(stored, "PATCH", path, body);
    expect([response.status, response.body.code, paths(response)]).toEqual([400, "ValidationError", [place]]);
  });

  it("a read-only foreign key cannot be set through its relation", async () => {
    const response = await rejected(stored, "POST", "/orders", { total: 1, payer: { id: 1 } });
    expect(paths(response)).toEqual(["/payer"]);
  });

  it("connecting by a hidden unique field does not reveal it", async () => {
    for (const secret of ["s1", "wrong"]) {
      for (const served of [stored, open]) {
        const response = await rejected(served, "POST", "/articles", { title: "x", owner: { secret } });
        expect([response.status, response.body.code]).toEqual([400, "ValidationError"]);
      }
      const both = await rejected(open, "PATCH", "/articles/1", { owner: { id: 1, secret } });
      expect(paths(both)).toEqual(["/owner/secret"]);
    }
  });

  it("a settable relation to the user model still sets no role, flag or password of a user", async () => {
    await stored.sql(`UPDATE "Article" SET "userId" = 1 WHERE id = 1`);
    for (const change of [{ role: "admin" }, { isActive: false }, { password: "x" }]) {
      const response = await rejected(open, "PATCH", "/articles/1", { user: { id: 1, ...change } });
      expect(paths(response)).toEqual([`/user/${Object.keys(change)[0]}`]);
    }
  });
});

describe("nested objects reject what the top level rejects", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["a hidden field", { text: "x", inner: "x" }, "/notes/1/inner"],
    ["a read-only field", { text: "x", stars: 5 }, "/notes/1/stars"],
    ["a time stamp that is set for it", { text: "x", createdAt: "2020-01-01" }, "/notes/1/createdAt"],
    ["an unknown key", { text: "x", nope: 1 }, "/notes/1/nope"],
    ["the key constructor", { text: "x", constructor: { prototype: 1 } }, "/notes/1/constructor"],
    ["a wrong type", { text: 5 }, "/notes/1/text"],
    ["an id with a default in a new row", { id: 7, text: "x", rank: "1" }, "/notes/1/rank"],
    ["the foreign key that its place settles", { text: "x", articleId: 2 }, "/notes/1/articleId"],
    ["the relation that its place settles", { text: "x", article: { id: 2 } }, "/notes/1/article"],
    ["an operation in place of a value", { text: { set: "x" } }, "/notes/1/text"],
    ["a missing value", {}, "/notes/1/text"],
  ])("%s", async (_title, note, place) => {
    const response = await rejected(open, "POST", "/articles", { title: "x", notes: [{ text: "ok" }, note] });
    expect(response.status).toBe(400);
    expect(paths(response)).toContain(place);
  });

  it("__proto__ anywhere is 400, also after a nested sibling", async () => {
    for (const text of [
      '{"title":"x","owner":{"__proto__":{"id":1}}}',
      '{"title":"x","notes":[{"text":"a"},{"text":"b","__proto__":{"stars":9}}]}',
      '{"title":"x","notes":[{"text":"a","replies":[{"x":{}}]}],"__proto__":{}}',
    ]) {
      const response = await rejected(open, "POST", "/articles", text);
      expect(response.status).toBe(400);
    }
    expect(({} as Record<string, unknown>).stars).toBeUndefined();
  });
});

describe("ORM operations in a body are never executed", () => {
  const operations: readonly Record<string, unknown>[] = [
    { set: [] },
    { set: { id: 1 } },
    { increment: 1 },
    { connect: { id: 1 } },
    { connect: [{ id: 1 }] },
    { connectOrCreate: { where: { id: 1 }, create: { text: "x" } } },
    { create: { text: "x" } },
    { createMany: { data: [{ text: "x" }] } },
    { update: { where: { id: 1 }, data: { text: "x" } } },
    { updateMany: { where: {}, data: { text: "x" } } },
    { upsert: { where: { id: 1 }, create: {}, update: {} } },
    { delete: true },
    { delete: { id: 1 } },
    { deleteMany: {} },
    { disconnect: true },
    { push: ["x"] },
    { id: { set: 1 } },
    { id: { not: 0 } },
    { id: 1, OR: [] },
    { $delete: "yes", id: 1 },
    { $delete: true, $disconnect: true, id: 1 },
    { $delete: true },
    { $set: { text: "x" } },
    { unset: true },
    { _ref: "id", _container: "Note" },
  ];
  const places: readonly [string, string, (value: unknown) => unknown][] = [
    ["PATCH", "/articles/1", (owner) => ({ owner })],
    ["PATCH", "/articles/1", (notes) => ({ notes })],
    ["PATCH", "/articles/1", (note) => ({ notes: [{ id: 1, text: "changed" }, note] })],
    ["PATCH", "/articles/1", (label) => ({ labels: [label] })],
    ["PATCH", "/articles/1", (title) => ({ title })],
    ["PATCH", "/articles/1", (ownerId) => ({ ownerId })],
    ["POST", "/articles", (note) => ({ title: "x", notes: [note] })],
    ["POST", "/articles/many", (owner) => [{ title: "x" }, { title: "y", owner }]],
    ["PATCH", "/articles/many?title=one", (notes) => ({ notes })],
    ["PATCH", "/articles/many", (notes) => [{ id: 1, notes: [notes] }]],
  ];
  it.each(operations.map((operation) => [JSON.stringify(operation), operation]))(
    "R11 %s",
    async (_title, operation) => {
      const before = await dump();
      for (const [method, path, body] of places) {
        // A to-one relation can be deleted without its id, and there is nothing to delete.
        for (const served of [stored, open]) {
          if (
            served === open &&
            "$delete" in operation &&
            Object.keys(operation).length === 1 &&
            path === "/articles/1"
          )
            continue;
          const { status, body: response } = await served.call(method, path, body(operation));
          expect(status, JSON.stringify([method, path, response])).toBe(400);
        }
      }
      expect(await dump()).toBe(before);
    },
  );
});

describe("limits of nested writes", () => {
  const nested = (depth: number): Record<string, unknown> =>
    depth === 0 ? { title: "leaf" } : { title: "t", related: [nested(depth - 1)] };

  it("C13 relations can be nested three levels deep", async () => {
    expect((await open.call("POST", "/articles", nested(3))).status).toBe(201);
    const response = await rejected(open, "POST", "/articles", nested(4));
    expect(paths(response)).toEqual(["/related/0/related/0/related/0/related"]);
    await rejected(open, "POST", "/articles", nested(12));
  });

  it("C14 at most as many related rows as a bulk request has items, in all lists together", async () => {
    const notes = (count: number) => Array.from({ length: count }, () => ({ text: "x" }));
    expect((await open.call("POST", "/articles", { title: "x", notes: notes(50) })).status).toBe(201);
    const one = await rejected(open, "POST", "/articles", { title: "x", notes: notes(51) });
    expect([one.status, one.body.code]).toEqual([413, "BulkTooLarge"]);
    const two = await rejected(open, "POST", "/articles/many", [
      { title: "x", notes: notes(30) },
      { title: "y", notes: notes(21) },
    ]);
    expect(two.status).toBe(413);
    expect((await rejected(stored, "POST", "/articles", { title: "x", notes: notes(30_000) })).status).toBe(413);
  });

  it("a cycle of relations may lead back to the row itself, and its response is the final row", async () => {
    await stored.sql(`INSERT INTO "_ArticleToLabel" ("A", "B") VALUES (1, 'red')`);
    const around = await open.call("PATCH", "/labels/red", {
      color: "first",
      articles: [{ id: 1, title: "renamed", labels: [{ name: "red", color: "last" }] }],
    });
    expect([around.status, around.body.data.color]).toEqual([200, "last"]);
    const back = await open.call("PATCH", "/articles/1", {
      title: "outer",
      owner: { id: 1, articles: [{ id: 1, title: "inner" }] },
    });
    expect([back.status, back.body.data.title]).toEqual([200, "outer"]);
    const settled = await rejected(open, "PATCH", "/owners/1", { articles: [{ id: 1, owner: { id: 2, name: "x" } }] });
    expect(paths(settled)).toEqual(["/articles/0/owner"]);
  });

  it("C17 one of two concurrent equal connects succeeds", async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        open.call("POST", "/summaries", { text: `s${index}`, article: { id: 1 } }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });
});

describe("C12 bodies", () => {
  it("C11 C64 accepts a write-only field, and a password of any model, and never returns it", async () => {
    const made = await stored.call("POST", "/doors", { label: "a", pin: "1234" });
    expect([made.status, made.body.data]).toEqual([201, { id: 1, label: "a" }]);
    expect(await stored.sql(`SELECT pin, password FROM "Door"`)).toEqual([{ pin: "1234", password: "sesame" }]);
    const changed = await stored.call("PATCH", "/doors/1", { password: "x" });
    expect([changed.status, changed.body.data]).toEqual([200, { id: 1, label: "a" }]);
    expect(await stored.sql(`SELECT password FROM "Door"`)).toEqual([{ password: "x" }]);
    await rejected(stored, "GET", "/doors?password=x", undefined);
    await rejected(open, "PATCH", "/users/1", { password: "x" });
  });

  it("C12 an empty string is not an id", async () => {
    const response = await rejected(open, "POST", "/labels", { name: "" });
    expect(paths(response)).toEqual(["/name"]);
    await rejected(open, "POST", "/articles", { title: "x", labels: [{ name: "", color: "y" }] });
  });

  it("C4 rejects a rounded JSON number with its place", async () => {
    for (const [text, place] of [
      ['{"total":1.00000000000000000001}', "/total"],
      ['{"total":1,"lines":[{"quantity":1,"price":2.0000000000000000001,"productId":1}]}', "/lines/0/price"],
      ['{"total":"1","rate":0.1234567890123456789}', "/rate"],
    ] as const) {
      const response = await rejected(open, "POST", "/orders", text);
      expect(paths(response)).toEqual([place]);
    }
    expect((await open.call("POST", "/orders", '{"total":1.50000000000000000000}')).body.data.total).toBe("1.50");
  });
});

describe("any relation input", () => {
  const key = fc.constantFrom(
    ...[
      "id",
      "title",
      "slug",
      "owner",
      "ownerId",
      "notes",
      "labels",
      "summary",
      "related",
      "user",
      "name",
      "text",
      "rank",
    ],
    ...[
      "replies",
      "article",
      "articles",
      "$delete",
      "$disconnect",
      "connect",
      "set",
      "email",
      "secret",
      "inner",
      "constructor",
    ],
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 1.5, "red", "x", "", "2020-01-01"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    ),
  }));
  it("gets a status below 500, and changes no hidden or read-only column and no user", async () => {
    const guarded = async () => [
      await stored.sql(`SELECT secret FROM "Owner" WHERE id < 3 ORDER BY id`),
      await stored.sql(`SELECT password, role FROM "User" ORDER BY id`),
      await stored.sql(`SELECT "inner" FROM "Note" WHERE "inner" IS NOT NULL AND "inner" NOT IN ('i1', 'i2')`),
      await stored.sql(`SELECT id FROM "Note" WHERE stars <> 0`),
      await stored.sql(`SELECT id FROM "Article" WHERE score <> 0`),
    ];
    const body = fc.dictionary(key, value, { minKeys: 1, maxKeys: 5 });
    const target = fc.constantFrom<[string, string]>(
      ["POST", "/articles"],
      ["PATCH", "/articles/1"],
      ["PATCH", "/notes/1"],
      ["POST", "/labels"],
      ["PATCH", "/summaries/6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11"],
    );
    await fc.assert(
      fc.asyncProperty(target, body, async ([method, path], sent) => {
        const { status } = await open.call(method, path, { title: "t", ...sent });
        expect(status).toBeLessThan(500);
      }),
      { numRuns: 150 },
    );
    const [secrets, users, ...changed] = await guarded();
    for (const { secret } of secrets as { secret: string }[]) expect(["s1", "s2"]).toContain(secret);
    expect(users?.[0]).toEqual({ password: "hash", role: "reader" });
    expect(changed).toEqual([[], [], []]);
    expect(open.logged).toEqual([]);
  });
});

import { httpErrors } from "@servicekit/core";
import { type RouteStep } from "@servicekit/router";
import { setCaller } from "@servicekit/router/internal";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { ModelConfig } from "../src/index.js";
import { type Relations, startRelations } from "./relations.js";
import type { Served, TestResponse } from "./serve-models.js";

let stored: Relations;
let ruled: Served;

const writable: Readonly<Record<string, ModelConfig>> = {
  Article: { writable: ["notes", "owner", "labels"] },
  Owner: { writable: ["articles"] },
};

/**
 * Callers read the owners with an even id, the articles of Bob, and only the red label; they change only their own
 * notes.
 */
const rules: Readonly<Record<string, ModelConfig>> = {
  Owner: { ...writable.Owner, auth: { findMany: { where: () => ({ id: 2 }) } } },
  Article: { ...writable.Article, auth: { findMany: { where: () => ({ ownerId: 2 }) } } },
  Label: { auth: { findMany: { where: () => ({ name: "red" }) } } },
  Note: {
    auth: {
      createOne: { where: () => ({ text: { startsWith: "mine" } }) },
      updateOne: { where: () => ({ text: { startsWith: "mine" } }) },
      deleteOne: { where: () => ({ rank: 1 }) },
    },
  },
  Summary: { auth: { updateOne: { where: () => ({ text: { startsWith: "mine" } }) } } },
  User: { auth: { findMany: { where: () => false } } },
};

const signed: RouteStep = {
  key: "caller",
  handlers: () => [
    (request, _response, next) => {
      setCaller(request, { id: 2, roles: [], isSuperUser: false, user: { id: 2 } });
      next();
    },
  ],
};

beforeAll(async () => {
  stored = await startRelations(inject("postgresUrl"), { models: writable });
  ruled = await stored.serve({ models: rules }, {}, [signed]);
});
afterAll(() => stored?.close());

beforeEach(async () => {
  await stored.clear();
  await stored.sql(`INSERT INTO "User" (email, password) VALUES ('a@x', 'h'), ('b@x', 'h')`);
  await stored.sql(`INSERT INTO "Owner" (name, email, secret) VALUES ('Ann', 'ann@x', 's1'), ('Bob', 'bob@x', 's2')`);
  await stored.sql(`INSERT INTO "Article" (title, "ownerId") VALUES ('one', 1), ('two', 2)`);
  await stored.sql(
    `INSERT INTO "Note" (text, rank, "articleId") VALUES ('mine', 1, 2), ('other', 2, 2), ('mine too', 3, 2)`,
  );
  await stored.sql(`INSERT INTO "Label" (name) VALUES ('red'), ('blue')`);
});

const paths = ({ body }: TestResponse): string[] => body.errors?.map(({ path }: { path: string }) => path);

describe("C13 connects only to rows that the caller may read", () => {
  it.each<[string, string, string, unknown, string]>([
    ["by the id", "POST", "/articles", { title: "x", owner: { id: 1 } }, "/owner"],
    ["by another unique field", "POST", "/articles", { title: "x", owner: { email: "ann@x" } }, "/owner"],
    ["by the plain foreign key", "POST", "/articles", { title: "x", ownerId: 1 }, "/ownerId"],
    ["in a change", "PATCH", "/articles/2", { ownerId: 1 }, "/ownerId"],
    ["in many", "POST", "/articles/many", [{ title: "x" }, { title: "y", owner: { id: 1 } }], "/1/owner"],
    [
      "in many by plain foreign keys",
      "POST",
      "/articles/many",
      { data: [{ title: "x" }, { title: "y", ownerId: 1 }] },
      "/data/1/ownerId",
    ],
    ["from the other side", "POST", "/owners", { name: "C", email: "c@x", articles: [{ id: 1 }] }, "/articles/0"],
    ["many-to-many", "PATCH", "/articles/2", { labels: [{ name: "blue" }] }, "/labels/0"],
    [
      "in a nested row",
      "POST",
      "/owners",
      { name: "C", email: "c@x", articles: [{ title: "x", labels: [{ name: "blue" }] }] },
      "/articles/0/labels/0",
    ],
    [
      "in a nested row by a plain foreign key",
      "PATCH",
      "/articles/2",
      { notes: [{ text: "mine 4", parentId: 99 }] },
      "/notes/0/parentId",
    ],
    ["to a user, where no user may be read", "PATCH", "/articles/2", { userId: 1 }, "/userId"],
  ])("C13 %s", async (_title, method, path, body, place) => {
    const response = await ruled.call(method, path, body);
    expect([response.status, response.body.code, paths(response)]).toEqual([400, "RelatedRecordNotFound", [place]]);
    const absent = await ruled.call(
      method,
      path,
      JSON.parse(
        JSON.stringify(body).replace(/"id":1|"ann@x"|"blue"/, (found) => (found === '"id":1' ? '"id":99' : '"none"')),
      ),
    );
    expect([absent.status, absent.body.detail, absent.body.errors]).toEqual([
      400,
      response.body.detail,
      response.body.errors,
    ]);
    expect(await stored.sql(`SELECT 1 FROM "Article" WHERE id > 2`)).toEqual([]);
    expect(await stored.sql(`SELECT 1 FROM "Owner" WHERE id > 2`)).toEqual([]);
  });

  it("C13 readable rows connect", async () => {
    expect((await ruled.call("POST", "/articles", { title: "x", owner: { id: 2 } })).body.data.ownerId).toBe(2);
    expect((await ruled.call("POST", "/articles", { title: "x", ownerId: 2 })).status).toBe(201);
    expect((await ruled.call("PATCH", "/articles/2", { labels: [{ name: "red" }] })).status).toBe(200);
  });

  it("C13 callers may reference themselves, even if they may read no user", async () => {
    expect((await ruled.call("PATCH", "/articles/2", { userId: 2 })).body.data.userId).toBe(2);
  });
});

describe("C30 row rules apply to rows that are written through others", () => {
  const notes = (...items: unknown[]) => ruled.call("PATCH", "/articles/2", { notes: items });
  const texts = async () => (await stored.sql(`SELECT text FROM "Note" ORDER BY id`)).map(({ text }) => text);

  it("C30 a new row must match the rule", async () => {
    expect((await notes({ text: "mine as well" })).status).toBe(200);
    const response = await notes({ text: "mine 5" }, { text: "foreign" });
    expect([response.status, response.body.code]).toEqual([403, "Forbidden"]);
    expect(await texts()).toEqual(["mine", "other", "mine too", "mine as well"]);
  });

  it("C30 an updated row must match the rule, before and after", async () => {
    expect((await notes({ id: 1, text: "mine now" })).status).toBe(200);
    const before = await notes({ id: 2, text: "mine now" });
    expect([before.status, paths(before)]).toEqual([400, ["/notes/0"]]);
    expect((await notes({ id: 1, text: "given away" })).status).toBe(403);
    expect(await texts()).toEqual(["mine now", "other", "mine too"]);
  });

  it("C30 the rule of the row itself applies when its relations are written", async () => {
    expect((await ruled.call("PATCH", "/notes/1", { article: { id: 2 }, parent: { id: 3 } })).status).toBe(200);
    expect((await ruled.call("PATCH", "/notes/2", { article: { id: 2 } })).status).toBe(404);
    expect((await ruled.call("PATCH", "/notes/1", { text: "given away", article: { id: 2 } })).status).toBe(403);
    expect(await texts()).toEqual(["mine", "other", "mine too"]);
  });

  it("C30 a row that the caller may not change is not replaced", async () => {
    await stored.sql(`INSERT INTO "Summary" (id, text, "articleId") VALUES
      ('6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11', 'other', 2), ('6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a12', 'mine', NULL)`);
    const taken = await ruled.call("PATCH", "/articles/2", { summary: { id: "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a12" } });
    expect([taken.status, taken.body.code, paths(taken)]).toEqual([409, "RelationConstraint", ["/summary"]]);
    expect((await ruled.call("PATCH", "/articles/2", { summary: null })).status).toBe(200);
    const foreign = await ruled.call("PATCH", "/articles/1", {
      summary: { id: "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11" },
    });
    expect([foreign.status, paths(foreign)]).toEqual([400, ["/summary"]]);
    expect(await stored.sql(`SELECT text, "articleId" FROM "Summary" ORDER BY text`)).toEqual([
      { text: "mine", articleId: null },
      { text: "other", articleId: 2 },
    ]);
  });

  it("C30 only rows that the caller may delete are deleted", async () => {
    expect((await notes({ $delete: true, id: 1 })).status).toBe(200);
    const response = await notes({ $delete: true, id: 3 });
    expect([response.status, paths(response)]).toEqual([400, ["/notes/0"]]);
    expect(await texts()).toEqual(["other", "mine too"]);
  });
});

describe("C30 a relation whose foreign key and relation the caller does not see in the other row", () => {
  const notes = { notes: [{ text: "new" }] };
  const serveNotes = (...names: readonly string[]) =>
    stored.serve({ models: { ...writable, Note: { auth: { fields: { "*": ["id", "text", ...names] } } } } }, {}, [
      signed,
    ]);

  it("C30 does not exist: no row is created or connected through it", async () => {
    const served = await serveNotes();
    const bodies = [notes, { notes: [{ id: 1 }] }, { notes: [{ id: 1, $disconnect: true }] }];
    for (const body of bodies) {
      const response = await served.call("PATCH", "/articles/1", body);
      expect([body, response.status, paths(response)]).toEqual([body, 400, [expect.stringMatching(/^\/notes/)]]);
    }
    expect(await stored.sql(`SELECT count(*)::int AS n FROM "Note" WHERE "articleId" = 1`)).toEqual([{ n: 0 }]);
  });

  it.each(["articleId", "article"])("C30 exists with %s", async (name) => {
    const served = await serveNotes(name);
    expect((await served.call("PATCH", "/articles/1", notes)).status).toBe(200);
    expect(await stored.sql(`SELECT text FROM "Note" WHERE "articleId" = 1`)).toEqual([{ text: "new" }]);
  });
});

describe("C11 every path that writes a row transforms its data", () => {
  let hashing: Served;
  const received: [string, unknown][] = [];
  beforeAll(async () => {
    hashing = await stored.serve(
      { models: { ...writable, Article: { writable: ["user", "notes"] }, User: { writable: ["articles", "badge"] } } },
      {
        transformWrite: async (model, data) => {
          received.push([model, { ...data }]);
          if (model !== "User" || typeof data.password !== "string") return data;
          if (data.password.length < 8) throw httpErrors.ValidationError("Too short.");
          return { ...data, password: `hash of ${data.password}` };
        },
      },
    );
  });
  const passwords = async () =>
    (await stored.sql(`SELECT password FROM "User" WHERE id > 2 ORDER BY id`)).map(({ password }) => password);

  it("C11 create, update, bulk and nested rows store the transformed password, and return nothing", async () => {
    const made = await hashing.call("POST", "/users", { email: "c@x", password: "long enough" });
    expect([made.status, Object.keys(made.body.data)]).toEqual([201, ["id", "email", "role", "isActive"]]);
    await hashing.call("POST", "/users/many", [
      { email: "d@x", password: "password d" },
      { email: "e@x", password: "password e", articles: [{ title: "t" }] },
    ]);
    expect(await passwords()).toEqual(["hash of long enough", "hash of password d", "hash of password e"]);
    await hashing.call("PATCH", "/users/3", { password: "another one" });
    await hashing.call("PATCH", "/users/many", [
      { id: 4, password: "password 4" },
      { id: 5, email: "f@x" },
    ]);
    expect(await passwords()).toEqual(["hash of another one", "hash of password 4", "hash of password e"]);
    await hashing.call("PATCH", "/users/many?id__gt=4", { password: "the same for all" });
    await hashing.call("PATCH", "/users/3", { password: "with an article", articles: [{ title: "t" }] });
    const nested = await hashing.call("POST", "/articles", {
      title: "x",
      user: { email: "g@x", password: "password g" },
    });
    expect(nested.status).toBe(201);
    expect(await passwords()).toEqual([
      "hash of with an article",
      "hash of password 4",
      "hash of the same for all",
      "hash of password g",
    ]);
  });

  it("C11 a password that the transformation rejects stores nothing", async () => {
    const { status } = await hashing.call("POST", "/articles", {
      title: "x",
      user: { email: "h@x", password: "short" },
    });
    expect(status).toBe(400);
    expect(await passwords()).toEqual([]);
  });

  it("C11 a password is not an operation, list or null; and without the transformation it cannot be set at all", async () => {
    for (const password of [{ set: "long enough" }, ["long enough"], null, 12345678, ""]) {
      expect((await hashing.call("PATCH", "/users/1", { password })).status).toBe(400);
    }
    const closed = await stored.call("PATCH", "/users/1", { password: "long enough" });
    expect([closed.status, closed.body.errors[0].path]).toEqual([400, "/password"]);
  });

  it("C13 the transformation gets each row with its own model, including nested ones", async () => {
    received.length = 0;
    await hashing.call("POST", "/articles/many", [
      { title: "x", notes: [{ text: "n" }] },
      { title: "y", user: { email: "i@x", password: "password i" } },
    ]);
    expect(received.map(([model]) => model).sort()).toEqual(["Article", "Article", "Note", "User"]);
    expect(received).toContainEqual(["Note", { text: "n" }]);
  });
});

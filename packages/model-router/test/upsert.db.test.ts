import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import type { ModelConfig, ModelRouterSettings } from "../src/index.js";
import { type Guarded, makeWorld, type Who, type World } from "./guarded.js";

let world: World;
let served: Guarded;

const upsert: ModelConfig = { upsert: true };
const models = {
  ...{ TextKey: upsert, PairKey: upsert, UuidKey: upsert, Writer: upsert, UniqueKey: upsert },
  Book: { ...upsert, writable: ["id"] },
};

beforeAll(async () => {
  world = await makeWorld(inject("postgresUrl"));
  served = await world.serve({ models });
});
beforeEach(async () => {
  await world.sql(emptyTables("TextKey", "PairKey", "UuidKey", "Writer", "UniqueKey", "Book", "Publisher"));
});
afterAll(async () => {
  expect(served?.logged).toEqual([]);
  await world?.close();
});

const on =
  (service: () => Guarded) =>
  async (path: string, body: unknown, headers: Record<string, string> = {}, who?: Who, method = "PUT") => {
    const { text, ...rest } = await service().call(method, path, body, who, headers);
    return { ...rest, body: text === "" ? undefined : JSON.parse(text) };
  };
const put = on(() => served);
const places = (body: { errors?: { in: string; path: string }[] }) =>
  body.errors?.map((issue) => `${issue.in} ${issue.path}`);
const notes = () => world.sql(`SELECT id, note FROM "TextKey" ORDER BY id`);

describe("C99 PUT of one row", () => {
  it("creates a row that does not exist, and replaces it afterwards", async () => {
    const created = await put("/text-keys/a", { note: "one" });
    expect(created).toMatchObject({
      ...{ status: 201, location: "/api/text-keys/a" },
      body: { data: { id: "a", note: "one" } },
    });
    expect(created.etag).toMatch(/^"/);
    const replaced = await put("/text-keys/a", { id: "a", note: "two" });
    expect(replaced).toMatchObject({ status: 200, location: undefined, body: { data: { id: "a", note: "two" } } });
    expect(await put("/text-keys/a", {})).toMatchObject({ status: 200, body: { data: { id: "a", note: null } } });
    expect(await notes()).toEqual([{ id: "a", note: null }]);
  });

  it("sets missing fields to their default or null, and keeps generated values", async () => {
    const [publisher] = await world.sql<{ id: number }>(
      `INSERT INTO "Publisher" ("full name", secret) VALUES ('P', 's') RETURNING id`,
    );
    const full = { title: "T", isbn: "1", pages: 3, size: "LARGE", publisherId: publisher?.id, price: "1.50" };
    const first = await put("/books/7", full);
    expect(first).toMatchObject({ status: 201, body: { data: { id: 7, ...full } } });
    const { body } = await put("/books/7", { title: "U" });
    expect(body.data).toMatchObject({ id: 7, title: "U", isbn: null, pages: null, size: null, publisherId: null });
    expect(body.data.createdAt).toBe(first.body.data.createdAt);
    const missing = await put("/books/7", { pages: 1 });
    expect([missing.status, places(missing.body)]).toEqual([400, ["body /title"]]);
  });

  it("finds rows by every kind of key", async () => {
    const pair = "/pair-keys/x%2Cy,2020-02-03,LARGE";
    expect(await put(pair, { note: "n" })).toMatchObject({
      status: 201,
      body: { data: { text: "x,y", day: "2020-02-03T00:00:00.000Z", size: "LARGE", note: "n" } },
    });
    expect(await put(pair, { text: "x,y", note: "m" })).toMatchObject({ status: 200, body: { data: { note: "m" } } });
    const uuid = "0B5B1D1E-6B1C-4C60-9D6A-0F6F3C0F5A11";
    expect((await put(`/uuid-keys/${uuid}`, {})).status).toBe(201);
    expect(await put(`/uuid-keys/${uuid.toLowerCase()}`, { note: "n" })).toMatchObject({ status: 200 });
    expect(await put(`/uuid-keys/${uuid}`, { id: uuid, note: "o" })).toMatchObject({ status: 200 });
    expect((await put("/unique-keys/k", { nick: "n" })).status).toBe(201);
    expect((await put("/unique-keys/l", { nick: "n" })).status).toBe(409);
    expect(await put("/unique-keys/k", {})).toMatchObject({ status: 200, body: { data: { code: "k", nick: null } } });
  });

  it("only replaces rows whose id the database sets", async () => {
    const [row] = await world.sql<{ id: number }>(`INSERT INTO "Writer" (name) VALUES ('a') RETURNING id`);
    expect((await put(`/writers/${row?.id}`, { name: "b" })).body.data).toEqual({ id: row?.id, name: "b" });
    const { status, body } = await put("/writers/4711", { name: "b" });
    expect([status, places(body)]).toEqual([404, ["params /id"]]);
    expect((await put("/writers/x", { name: "b" })).status).toBe(404);
  });

  it("rejects another key in the body, keys that paths cannot contain, relations and parameters", async () => {
    expect(places((await put("/text-keys/a", { id: "b" })).body)).toEqual(["body /id"]);
    expect(places((await put("/text-keys/%2E", {})).body)).toEqual(["params /id"]);
    expect(places((await put("/books/1", { title: "t", tags: [{ name: "a" }] })).body)).toEqual(["body /tags"]);
    expect(places((await put("/text-keys/a?fields=id", {})).body)).toEqual(["query /fields"]);
    expect(places((await put("/text-keys/a", { nte: "b" })).body)).toEqual(["body /nte"]);
    expect(await notes()).toEqual([]);
  });

  it("does not exist without the configuration, and not for /many", async () => {
    const plain = await world.serve({ models: {} });
    expect((await plain.call("PUT", "/text-keys/a", {})).status).toBe(405);
    expect((await put("/text-keys/many", {})).status).toBe(405);
    expect(places((await put("/text-keys/man%79", {})).body)).toEqual(["params /id"]);
  });
});

describe("C99 conditions of a PUT", () => {
  it("creates only with If-None-Match: *", async () => {
    const only = { "if-none-match": "*" };
    expect((await put("/text-keys/a", { note: "1" }, only)).status).toBe(201);
    const again = await put("/text-keys/a", { note: "2" }, only);
    expect([again.status, places(again.body)]).toEqual([412, ["headers /if-none-match"]]);
    expect(await notes()).toEqual([{ id: "a", note: "1" }]);
  });

  it("replaces only the version of If-Match", async () => {
    const absent = await put("/text-keys/a", {}, { "if-match": "*" });
    expect([absent.status, places(absent.body)]).toEqual([412, ["headers /if-match"]]);
    expect((await put("/text-keys/a", {}, { "if-match": "broken" })).status).toBe(400);
    const { etag = "" } = await put("/text-keys/a", { note: "1" });
    expect((await put("/text-keys/a", { note: "2" }, { "if-match": etag })).status).toBe(200);
    expect((await put("/text-keys/a", { note: "3" }, { "if-match": etag })).status).toBe(412);
    expect(await notes()).toEqual([{ id: "a", note: "2" }]);
  });
});

describe("C99 concurrent PUTs", () => {
  it("create one row, and replace it otherwise", async () => {
    const each = Array.from({ length: 100 }, (_, index) => put("/text-keys/a", { note: `${index}` }));
    const statuses = (await Promise.all(each)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array(99).fill(200), 201]);
    expect(await notes()).toHaveLength(1);
  });

  it("create one row with If-None-Match: *", async () => {
    const only = { "if-none-match": "*" };
    const each = Array.from({ length: 100 }, () => put("/text-keys/a", {}, only));
    const statuses = (await Promise.all(each)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, ...Array(99).fill(412)]);
  });

  it("never fail while another client deletes the row", async () => {
    const each = Array.from({ length: 60 }, (_, index) =>
      index % 3 === 0 ? put("/text-keys/a", undefined, {}, undefined, "DELETE") : put("/text-keys/a", {}),
    );
    const statuses = (await Promise.all(each)).map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 201, 204, 404].includes(status))).toEqual([]);
  });
});

describe("C99 rights of a PUT", () => {
  const serve = (auth: NonNullable<ModelConfig["auth"]>, more: Partial<ModelRouterSettings> = {}) =>
    world.serve({ models: { TextKey: { upsert: true, auth } }, ...more }, true);

  it("needs the right to create and the right to update", async () => {
    const guarded = await serve({ read: false, createOne: ["maker"], updateOne: ["changer"] });
    const to = on(() => guarded);
    const statusOf = async (who: Who) => (await to("/text-keys/a", {}, {}, who)).status;
    expect(await statusOf(undefined)).toBe(401);
    expect(await statusOf(["maker"])).toBe(403);
    expect(await statusOf(["changer"])).toBe(403);
    expect(await statusOf(["maker", "changer"])).toBe(201);
    expect(await statusOf("root")).toBe(200);
    const open = on(() => half);
    const half = await serve({ read: false, createOne: ["maker"], updateOne: false });
    expect((await open("/text-keys/a", {})).status).toBe(401);
    expect((await open("/text-keys/a", {}, {}, ["maker"])).status).toBe(200);
  });

  it("treats a row outside the rule as missing, and never overwrites it", async () => {
    await world.sql(`INSERT INTO "TextKey" VALUES ('hidden', 'theirs'), ('own', 'mine')`);
    const guarded = await serve({ all: true, where: () => ({ note: "mine" }) });
    const to = on(() => guarded);
    const user = ["user"];
    expect((await to("/text-keys/hidden", { note: "mine" }, {}, user)).status).toBe(404);
    expect((await to("/text-keys/hidden", { note: "mine" }, { "if-none-match": "*" }, user)).status).toBe(404);
    for (const id of ["hidden", "absent"])
      expect((await to(`/text-keys/${id}`, { note: "mine" }, { "if-match": "*" }, user)).status).toBe(412);
    expect((await to("/text-keys/own", { note: "theirs" }, {}, user)).status).toBe(403);
    expect((await to("/text-keys/new", { note: "theirs" }, {}, user)).status).toBe(403);
    expect((await to("/text-keys/new", { note: "mine" }, {}, user)).status).toBe(201);
    expect(await notes()).toEqual([
      { id: "hidden", note: "theirs" },
      { id: "new", note: "mine" },
      { id: "own", note: "mine" },
    ]);
  });

  it("creates a row that another request deletes before its rule is compared", async () => {
    await world.sql(`INSERT INTO "TextKey" VALUES ('own', 'mine')`);
    const where = async () => {
      await world.sql(`DELETE FROM "TextKey"`);
      return { note: "mine" };
    };
    const guarded = await serve({ all: true, where });
    expect((await on(() => guarded)("/text-keys/own", { note: "mine" }, {}, ["user"])).status).toBe(201);
  });

  it("does not touch fields that the caller cannot see", async () => {
    const guarded = await world.serve(
      {
        models: {
          Book: {
            upsert: true,
            writable: ["id"],
            auth: { all: true, fields: { "*": ["id", "title"], all: ["pages"] } },
          },
        },
      },
      true,
    );
    const to = on(() => guarded);
    expect((await to("/books/1", { title: "t", pages: 3 }, {}, ["all"])).status).toBe(201);
    expect((await to("/books/1", { title: "u" }, {}, ["user"])).body.data).toEqual({ id: 1, title: "u" });
    expect(await world.sql(`SELECT title, pages FROM "Book"`)).toEqual([{ title: "u", pages: 3 }]);
    expect((await to("/books/1", { title: "u", pages: 4 }, {}, ["user"])).status).toBe(400);
    expect((await to("/books/1", { title: "u" }, {}, ["all"])).body.data.pages).toBe(null);
  });
});

describe("C99 hooks of a PUT", () => {
  it("are those of the create or of the update", async () => {
    const ran: string[] = [];
    const hook = (name: string) => (request: { body: unknown }, _response: unknown, next: () => void) => {
      ran.push(`${name} ${JSON.stringify(request.body)}`);
      next();
    };
    const names = ["beforeCreateOne", "afterCreateOne", "beforeUpdateOne", "afterUpdateOne"];
    const hooks = Object.fromEntries(names.map((name) => [name, hook(name)]));
    const hooked = await world.serve({ models: { TextKey: { upsert: true, hooks } } });
    await hooked.call("PUT", "/text-keys/a", { note: "1" });
    await hooked.call("PUT", "/text-keys/a", {});
    expect(ran).toEqual([
      'beforeCreateOne {"note":"1","id":"a"}',
      'afterCreateOne {"note":"1","id":"a"}',
      'beforeUpdateOne {"note":null}',
      'afterUpdateOne {"note":null}',
    ]);
  });

  it("can respond, and reject the request", async () => {
    const hooks: ModelConfig["hooks"] = {
      beforeCreateOne: (_request, response) => response.status(202).json({ queued: true }),
      beforeUpdateOne: () => {
        throw Object.assign(new Error("no"), { status: 418 });
      },
    };
    const hooked = await world.serve({ models: { TextKey: { upsert: true, hooks } } });
    expect((await hooked.call("PUT", "/text-keys/a", {})).text).toBe('{"queued":true}');
    expect(await notes()).toEqual([]);
  });
});

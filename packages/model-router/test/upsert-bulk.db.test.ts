import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import type { ModelConfig } from "../src/index.js";
import { type Guarded, makeWorld, type Who, type World } from "./guarded.js";

let world: World;
let served: Guarded;

const upsert: ModelConfig = { upsert: true };

beforeAll(async () => {
  world = await makeWorld(inject("postgresUrl"));
  served = await world.serve({
    models: {
      TextKey: upsert,
      Publisher: upsert,
      Book: upsert,
      UniqueKey: upsert,
      SetKey: upsert,
      UuidKey: upsert,
      Writer: { upsert: true },
    },
  });
});
beforeEach(async () => {
  await world.sql(emptyTables("TextKey", "Publisher", "Book", "UniqueKey", "SetKey", "UuidKey"));
});
afterAll(async () => {
  expect(served?.logged).toEqual([]);
  await world?.close();
});

const on = (service: () => Guarded) => async (path: string, body: unknown, who?: Who) => {
  const { status, text } = await service().call("POST", path, body, who);
  return { status, body: text === "" ? undefined : JSON.parse(text) };
};
const post = on(() => served);
const issues = (body: { errors?: { path: string; code: string }[] }) =>
  body.errors?.map(({ path, code }) => `${path} ${code}`);
const publishers = () => world.sql(`SELECT "full name" AS name, city FROM "Publisher" ORDER BY name`);
const byName = "/publishers/many?onConflict=name";

describe("C99 bulk upserts", () => {
  it("create missing rows and update existing ones, in the order of the items, with the status of each", async () => {
    const first = await post(byName, [{ name: "b", city: "Bern" }, { name: "a" }]);
    expect(first).toMatchObject({ status: 201, body: { meta: { count: 2, statuses: [201, 201] } } });
    expect(first.body.data.map(({ name }: { name: string }) => name)).toEqual(["b", "a"]);
    const second = await post(byName, { data: [{ name: "c" }, { name: "a", city: "Aarau" }, { name: "b" }] });
    expect(second).toMatchObject({ status: 201, body: { meta: { count: 3, statuses: [201, 200, 200] } } });
    expect(second.body.data.map(({ name, city }: Record<string, unknown>) => [name, city])).toEqual([
      ["c", null],
      ["a", "Aarau"],
      ["b", "Bern"],
    ]);
    const third = await post(byName, [{ name: "a", city: null }]);
    expect(third).toMatchObject({ status: 200, body: { meta: { statuses: [200] } } });
    expect(await publishers()).toEqual([
      { name: "a", city: null },
      { name: "b", city: "Bern" },
      { name: "c", city: null },
    ]);
  });

  it("update rows whose UUID is written in upper case", async () => {
    const id = "0B5B1D1E-6B1C-4C60-9D6A-0F6F3C0F5A11";
    expect((await post("/uuid-keys/many?onConflict=id", [{ id }])).status).toBe(201);
    for (const text of [id, id.toLowerCase()]) {
      const { status, body } = await post("/uuid-keys/many?onConflict=id", [{ id: text, note: "n" }]);
      expect([status, body.data]).toMatchObject([200, [{ id: id.toLowerCase(), note: "n" }]]);
    }
  });

  it("skip existing rows with resolution=ignore, and return them", async () => {
    await post(byName, [{ name: "a", city: "Aarau" }]);
    const { status, body } = await post(`${byName}&resolution=ignore`, [{ name: "b" }, { name: "a", city: "Bern" }]);
    expect([status, body.meta.statuses]).toEqual([201, [201, 200]]);
    expect(body.data).toMatchObject([{ name: "b" }, { name: "a", city: "Aarau" }]);
    expect((await post(`${byName}&resolution=ignore`, [{ name: "a" }])).status).toBe(200);
    expect(await publishers()).toMatchObject([{ name: "a", city: "Aarau" }, { name: "b" }]);
  });

  it("use compound keys, in any order of their fields, and the id", async () => {
    const path = "/set-keys/many?onConflict=right,left";
    const items = [
      { left: 1, right: "a,b", note: "1" },
      { left: 1, right: "c", note: "2" },
    ];
    expect((await post(path, items)).status).toBe(201);
    expect(await post(path, [{ left: 1, right: "a,b", note: "3" }])).toMatchObject({
      body: { data: [{ left: 1, right: "a,b", note: "3" }], meta: { statuses: [200] } },
    });
    await post("/text-keys/many?onConflict=id", [{ id: "x", note: "1" }]);
    expect((await post("/text-keys/many?onConflict=id", [{ id: "x" }])).body.data).toEqual([{ id: "x", note: "1" }]);
    await post("/unique-keys/many?onConflict=nick", [{ nick: "n", code: "1" }]);
    const changed = await post("/unique-keys/many?onConflict=nick", [{ nick: "n", code: "2" }]);
    expect(changed.body).toMatchObject({ data: [{ nick: "n", code: "2" }], meta: { statuses: [200] } });
  });

  it("change nothing if one item is invalid, and name the item", async () => {
    await post("/unique-keys/many", [{ nick: "n", code: "taken" }]);
    await post("/unique-keys/many", [{ nick: "m", code: "other" }]);
    const path = "/unique-keys/many?onConflict=nick";
    const created = await post(path, [
      { nick: "n", code: "x" },
      { nick: "zz", code: "y" },
      { nick: "new", code: "other" },
    ]);
    expect([created.status, issues(created.body)]).toEqual([409, ["/2/code UniqueConstraint"]]);
    const updated = await post(path, {
      data: [
        { nick: "zz", code: "y" },
        { nick: "n", code: "other" },
      ],
    });
    expect([updated.status, issues(updated.body)]).toEqual([409, ["/data/1/code UniqueConstraint"]]);
    expect(await world.sql(`SELECT nick, code FROM "UniqueKey" ORDER BY 1`)).toEqual([
      { nick: "m", code: "other" },
      { nick: "n", code: "taken" },
    ]);
  });

  it("name the item that the database rejects if it is the only one, and else the entire body", async () => {
    await world.sql(`CREATE FUNCTION reject_city() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.city = 'nowhere' THEN RAISE EXCEPTION 'no such city'; END IF; RETURN NEW; END $$`);
    await world.sql(
      `CREATE TRIGGER reject_city BEFORE INSERT OR UPDATE ON "Publisher" FOR EACH ROW EXECUTE FUNCTION reject_city()`,
    );
    try {
      await post(byName, [{ name: "a" }, { name: "b" }]);
      const rejected = { name: "b", city: "nowhere" };
      const places = async (items: object[]) => issues((await post(byName, items)).body);
      expect(await places([{ name: "a" }, rejected])).toEqual([" RejectedByDatabase"]);
      expect(await places([{ name: "c" }, rejected])).toEqual(["/1 RejectedByDatabase"]);
    } finally {
      await world.sql(`DROP FUNCTION reject_city CASCADE`);
    }
  });

  it("reject items without a value of the key, with the same one, and relations", async () => {
    expect(
      issues((await post("/unique-keys/many?onConflict=nick", [{ code: "1" }, { nick: null, code: "2" }])).body),
    ).toEqual(["/0/nick RequiredValue", "/1/nick RequiredValue"]);
    expect(issues((await post(byName, { data: [{ name: "a" }, { name: "b" }, { name: "a" }] })).body)).toEqual([
      "/data/0/name Duplicate",
      "/data/2/name Duplicate",
    ]);
    const path = "/books/many?onConflict=isbn";
    const { status, body } = await post(path, [{ title: "t", isbn: "1", tags: [{ name: "a" }] }]);
    expect([status, issues(body)]).toEqual([400, ["/0/tags InvalidValue"]]);
    expect((await post(byName, [{ city: "Bern" }])).body.errors[0].path).toBe("/0/name");
  });

  it("reject unknown keys and values of the query", async () => {
    const messages = async (path: string) =>
      (await post(path, [{ name: "a" }])).body.errors?.map((issue: { path: string; message: string }) => [
        issue.path,
        issue.message,
      ]);
    expect(await messages("/publishers/many?onConflict=nam")).toEqual([
      ["/onConflict", "nam is not a unique key that a body can set. Did you mean name?"],
    ]);
    expect(await messages("/publishers/many?onConflict=secret")).toEqual([
      ["/onConflict", "secret is not a unique key that a body can set. Expected one of name."],
    ]);
    expect(await messages("/publishers/many?resolution=merge")).toEqual([
      ["/onConflict", "resolution needs onConflict, the unique key that finds existing rows."],
    ]);
    expect(await messages(`${byName}&resolution=replace&x=1&onConflict=city`)).toEqual([
      ["/onConflict", "onConflict must appear only once. Separate the fields of a key by commas."],
      ["/resolution", "Expected merge or ignore."],
      ["/x", "Unknown parameter x; expected onConflict or resolution."],
    ]);
    expect(await messages("/writers/many?onConflict=id")).toEqual([
      ["/onConflict", "Unknown parameter onConflict; expected no parameters."],
    ]);
    expect(await publishers()).toEqual([]);
  });
});

describe("C99 partial items of a bulk upsert", () => {
  const byIsbn = "/books/many?onConflict=isbn";
  const books = () => world.sql(`SELECT isbn, title, pages FROM "Book" ORDER BY id`);
  const places = (body: { errors?: { path: string; code: string }[] }) => issues(body)?.toSorted();
  beforeEach(async () => {
    expect((await post("/books/many", [{ isbn: "1", title: "one", pages: 1 }])).status).toBe(201);
  });

  it("update the fields that they contain in existing rows", async () => {
    const { status, body } = await post(byIsbn, [
      { isbn: "2", title: "two" },
      { isbn: "1", pages: 5 },
    ]);
    expect([status, body.meta.statuses]).toEqual([201, [201, 200]]);
    expect(await books()).toEqual([
      { isbn: "1", title: "one", pages: 5 },
      { isbn: "2", title: "two", pages: null },
    ]);
    expect((await post(byIsbn, { data: [{ isbn: "1" }] })).body.meta.statuses).toEqual([200]);
    expect((await post(`${byIsbn}&resolution=ignore`, [{ isbn: "1", pages: 9 }])).body.data[0].pages).toBe(5);
  });

  it("are rejected if the row does not exist, with the missing fields", async () => {
    const items = [{ isbn: "1", pages: 5 }, { isbn: "3", pages: 6 }, { isbn: "4" }];
    const listed = await post(byIsbn, items);
    expect([listed.status, listed.body.code]).toEqual([400, "ValidationError"]);
    expect(places(listed.body)).toEqual(["/1/title RequiredValue", "/2/title RequiredValue"]);
    const inData = await post(byIsbn, { data: items });
    expect(places(inData.body)).toEqual(["/data/1/title RequiredValue", "/data/2/title RequiredValue"]);
    expect(places((await post(`${byIsbn}&resolution=ignore`, [{ isbn: "3" }])).body)).toEqual([
      "/0/title RequiredValue",
    ]);
    expect(await books()).toEqual([{ isbn: "1", title: "one", pages: 1 }]);
  });

  it("are validated, and required without onConflict or with another key", async () => {
    expect(places((await post(byIsbn, [{ isbn: "1", pages: "x" }])).body)).toContain("/0/pages InvalidType");
    expect(places((await post(byIsbn, [{ isbn: "1", titel: "x" }])).body)?.join()).toContain("/0/titel UnknownField");
    expect(places((await post(byIsbn, [{ isbn: "1", title: null }])).body)).toHaveLength(1);
    expect(places((await post(byIsbn, [{ pages: 1 }])).body)).toEqual(["/0/isbn RequiredValue"]);
    expect(places((await post("/books/many", [{ isbn: "1", pages: 5 }])).body)).toEqual(["/0/title RequiredValue"]);
    expect((await post("/books/many?onConflict=nothing", [{ isbn: "1", pages: 5 }])).status).toBe(400);
    expect(await books()).toEqual([{ isbn: "1", title: "one", pages: 1 }]);
  });

  it("are validated by the schema of updates of the module, and new rows by that of creates", async () => {
    const pages = z.number().max(10).optional();
    const guarded = await world.serve({
      models: {
        Book: {
          upsert: true,
          schemas: {
            create: z.object({ isbn: z.string(), title: z.string().min(3), pages }),
            update: z.object({ title: z.string().optional(), pages }),
          },
        },
      },
    });
    const to = on(() => guarded);
    expect((await to(byIsbn, [{ isbn: "1", pages: 7 }])).body.meta.statuses).toEqual([200]);
    expect(places((await to(byIsbn, [{ isbn: "1", pages: 11 }])).body)).toContain("/0/pages TooBig");
    expect((await to(byIsbn, [{ isbn: "1", title: "t" }])).status).toBe(200);
    expect(places((await to(byIsbn, [{ isbn: "2", title: "t" }])).body)).toEqual(["/0/title TooSmall"]);
  });
});

describe("C99 concurrent bulk upserts", () => {
  it("create one row of each key, in any order of the items", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const each = Array.from({ length: 100 }, (_, index) => {
      const rotated = names.map((_name, at) => names[(at + index) % names.length] as string);
      const items = (index % 2 === 0 ? rotated : rotated.toReversed()).map((name) => ({ name, city: `${index}` }));
      return post(byName, items);
    });
    const responses = await Promise.all(each);
    expect(responses.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
    const created = responses.flatMap(({ body }) => body.meta.statuses).filter((status) => status === 201);
    expect(created).toHaveLength(names.length);
    expect(await publishers()).toHaveLength(names.length);
  });

  it("create one row if the others ignore it", async () => {
    const each = Array.from({ length: 100 }, () => post(`${byName}&resolution=ignore`, [{ name: "a" }]));
    const statuses = (await Promise.all(each)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array(99).fill(200), 201]);
  });
});

describe("C99 rights of a bulk upsert", () => {
  const serve = (auth: NonNullable<ModelConfig["auth"]>) =>
    world.serve({ models: { Publisher: { upsert: true, auth } } }, true);

  it("needs the right to create and the right to update", async () => {
    const guarded = await serve({ read: false, createMany: ["maker"], updateMany: ["changer"] });
    const to = on(() => guarded);
    const statusOf = async (who: Who) => (await to(byName, [{ name: "a" }], who)).status;
    expect(await statusOf(undefined)).toBe(401);
    expect(await statusOf(["maker"])).toBe(403);
    expect(await statusOf(["changer"])).toBe(403);
    expect(await statusOf(["maker", "changer"])).toBe(201);
    expect(await statusOf("root")).toBe(200);
    expect((await to("/publishers/many", [{ name: "b" }], ["maker"])).status).toBe(201);
  });

  it("reports a row outside the rule as a create does, and changes nothing", async () => {
    await world.sql(
      `INSERT INTO "Publisher" ("full name", secret, city) VALUES ('theirs', 's', 'Bern'), ('own', 't', 'Aarau')`,
    );
    const guarded = await serve({ all: true, where: () => ({ city: "Aarau" }) });
    const to = on(() => guarded);
    const items = [
      { name: "own", city: "Aarau" },
      { name: "new", city: "Aarau" },
      { name: "theirs", city: "Aarau" },
    ];
    const plain = await to("/publishers/many", items.slice(2), ["user"]);
    for (const resolution of ["merge", "ignore"]) {
      const { status, body } = await to(`${byName}&resolution=${resolution}`, items, ["user"]);
      expect([status, body.code, body.detail]).toEqual([409, plain.body.code, plain.body.detail]);
      expect(issues(body)).toEqual(["/2/name UniqueConstraint"]);
    }
    expect((await to(byName, [{ name: "own", city: "Bern" }], ["user"])).status).toBe(403);
    expect((await to(byName, [{ name: "new", city: "Bern" }], ["user"])).status).toBe(403);
    expect(await publishers()).toEqual([
      { name: "own", city: "Aarau" },
      { name: "theirs", city: "Bern" },
    ]);
  });

  it("returns of each row what the caller may read of it", async () => {
    const guarded = await serve({ write: true, read: ["reader"], where: () => true });
    const to = on(() => guarded);
    const items = [{ name: "a" }, { name: "b" }];
    expect(await to(byName, items.slice(1), ["user"])).toEqual({ status: 201, body: undefined });
    expect(await to(byName, items.slice(1), ["user"])).toEqual({ status: 204, body: undefined });
    expect((await to(`${byName}&resolution=ignore`, items.slice(1), ["user"])).body).toBe(undefined);
    expect((await to(byName, items, ["reader"])).body.data).toMatchObject(items);
    const ruled = await serve({ write: true, findMany: { rule: true, where: () => ({ city: "Bern" }) } });
    const seen = await on(() => ruled)(
      byName,
      [{ name: "c", city: "Bern" }, { name: "a" }, { name: "b", city: "Bern" }],
      ["user"],
    );
    expect(seen.body.data.map(({ name }: { name: string }) => name)).toEqual(["c", "b"]);
  });

  it("offers no key with a field that the caller cannot see", async () => {
    const guarded = await serve({ all: true, fields: { "*": ["id", "city"], editor: ["name"] } });
    const { status, body } = await on(() => guarded)(byName, [{ city: "Bern" }], ["user"]);
    expect([status, issues(body)]).toEqual([403, undefined]);
  });
});

describe("C99 hooks of a bulk upsert", () => {
  it("are those of the creates and of the updates, each with their own items", async () => {
    const ran: string[] = [];
    const hook =
      (name: string) => (request: { body: unknown }, response: { locals: { data?: unknown } }, next: () => void) => {
        const rows = name.startsWith("before") ? request.body : response.locals.data;
        ran.push(
          `${name} ${(rows as { name?: string; city?: string }[]).map((row) => `${row.name} ${row.city}`).join()}`,
        );
        next();
      };
    const names = ["beforeCreateMany", "afterCreateMany", "beforeUpdateMany", "afterUpdateMany"];
    const hooks = Object.fromEntries(names.map((name) => [name, hook(name)]));
    const hooked = on(() => guarded);
    const guarded = await world.serve({ models: { Publisher: { upsert: true, hooks } } });
    await hooked(byName, [{ name: "a", city: "1" }]);
    await hooked(byName, [
      { name: "b", city: "2" },
      { name: "a", city: "3" },
      { name: "c", city: "4" },
    ]);
    await hooked(`${byName}&resolution=ignore`, [{ name: "a", city: "5" }]);
    expect(ran).toEqual([
      "beforeCreateMany a 1",
      "afterCreateMany a 1",
      "beforeCreateMany b 2,c 4",
      "beforeUpdateMany undefined 3",
      "afterCreateMany b 2,c 4",
      "afterUpdateMany a 3",
    ]);
  });

  it("may change the items of the body and the rows of the response", async () => {
    const hooks: ModelConfig["hooks"] = {
      beforeCreateMany: (request, _response, next) => {
        for (const row of request.body) row.city = "made";
        next();
      },
      afterUpdateMany: (_request, response, next) => {
        response.locals.data = response.locals.data.map((row) => ({ ...row, city: "shown" }));
        next();
      },
    };
    const guarded = await world.serve({ models: { Publisher: { upsert: true, hooks } } });
    const hooked = on(() => guarded);
    await hooked(byName, [{ name: "a" }]);
    const { body } = await hooked(byName, [{ name: "a" }, { name: "b" }]);
    expect(body.data).toMatchObject([
      { name: "a", city: "shown" },
      { name: "b", city: "made" },
    ]);
  });
});

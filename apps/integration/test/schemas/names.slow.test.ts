import path from "node:path";
import type { ModelsData } from "@servicekit/prisma";
import { service } from "@servicekit/service";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type ServedSchema, serveSchema } from "../../../../packages/service/test/served-schema.js";
import { alone } from "../../../../packages/service/test/start.js";
import { makeExerciser } from "./exercise-models.js";

let served: ServedSchema;
beforeAll(async () => {
  served = await serveSchema(inject("postgresUrl"), {
    generated: path.join(import.meta.dirname, "../generated/hard-names"),
    schema: { directory: path.join(import.meta.dirname, "../fixtures/hard-names") },
  });
});
afterAll(() => served?.close());

/** Models of one name and one string field, which are otherwise equal. */
const english = new Map(
  Object.entries({
    Categories: "categories",
    Series: "series",
    News: "news",
    Sheep: "sheep",
    Fish: "fish",
    Criteria: "criteria",
    Status: "statuses",
    Address: "addresses",
    Company: "companies",
    Person: "people",
    Analysis: "analyses",
    Equipment: "equipment",
  }),
);

describe("models and fields with unusual names", () => {
  it("C6 every model works, whatever its name and field names", { timeout: 300_000 }, async () => {
    const { models, call } = served;
    const exerciser = makeExerciser(models, call);
    for (const model of models.values()) {
      const isPlain = english.has(model.name) || model.name === "Logic";
      await exerciser.exercise(model, isPlain ? "operations" : "all");
    }
    expect(exerciser.problems).toEqual([]);
  });

  it.each([...english])("C6 %s has the path /%s", async (name, target) => {
    const id = 4_000;
    const created = await served.call("POST", `/${target}`, { id, name });
    expect([created.status, created.headers.get("location")]).toEqual([201, `/api/${target}/${id}`]);
    expect((await served.call("GET", `/${target}/${id}`)).body).toEqual({ data: { id, name } });
  });

  it.each([
    ["user_account", "user-accounts"],
    ["order_line_item", "order-line-items"],
    ["HTTPRequest", "http-requests"],
    ["OAuth2Client", "o-auth2-clients"],
    ["Data", "data"],
    ["Many", "manies"],
    ["Query", "queries"],
  ])("C6 %s has the path /%s", async (_name, target) => {
    expect((await served.call("GET", `/${target}`)).status).toBe(200);
  });

  it("C12, C20 a field named constructor may be omitted, set, null, and is read as it was written", async () => {
    const { call } = served;
    await call("POST", "/symbols", { id: "9007199254740993" });
    const none = await call("POST", "/objects", {});
    expect([none.status, none.body.data.constructor, none.body.data.toString]).toEqual([201, null, null]);
    const some = await call("POST", "/objects", { constructor: "a", toString: "b", symbolId: "9007199254740993" });
    expect([some.status, some.body.data.symbolId]).toEqual([201, "9007199254740993"]);
    const one = await call("GET", `/objects/${some.body.data.id}?include=symbol`);
    expect(one.body.data).toMatchObject({ constructor: "a", toString: "b", symbol: { id: "9007199254740993" } });
    const many = await call("PATCH", "/objects/many", [{ id: some.body.data.id, constructor: null, toString: "c" }]);
    expect(many.body.data[0]).toMatchObject({ constructor: null, toString: "c", symbolId: "9007199254740993" });
    const wrong = await call("POST", "/objects", { constructor: 1 });
    expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, "/constructor"]);
  });

  it("C13 a relation named constructor connects, and is returned", async () => {
    const { call } = served;
    const built = await call("POST", "/constructors", { name: "Object" });
    const made = await call("POST", "/prototypes", { title: "one", constructor: { id: built.body.data.id } });
    expect([made.status, made.body.data.constructorId]).toEqual([201, built.body.data.id]);
    const shown = await call("GET", `/prototypes/${made.body.data.id}?include=constructor`);
    expect(shown.body.data.constructor).toEqual(built.body.data);
    const missing = await call("POST", "/prototypes", { title: "none" });
    expect([missing.status, missing.body.errors[0].path]).toEqual([400, "/constructorId"]);
  });

  it("C8 fields with the names of parameters are filtered by an operator, and sorted, selected and searched", async () => {
    const { call } = served;
    const body = { number: 1, sort: "up", page: 7, limit: 3, cursor: "c", fields: "f", include: "i", search: "needle" };
    expect((await call("POST", "/parameters", { ...body, count: 5, or: "o", and: 2, not: true })).status).toBe(201);
    const filter =
      "sort__equals=up&page__gte=7&limit__equals=3&cursor__equals=c&fields__in=f,g&include[contains]=i&search__equals=needle&count__lt=6";
    const list = await call(
      "GET",
      `/parameters?${filter}&limit=1&page=1&sort=-sort,limit&fields=limit,sort&search=needle`,
    );
    expect([list.status, list.body.data]).toEqual([200, [{ sort: "up", limit: 3 }]]);
    expect((await call("GET", "/parameters?or[0][limit__equals]=3&or[1][page__equals]=0")).body.meta.total).toBe(1);
  });

  it("C10 a model with hidden fields AND, OR and NOT supports one condition at a time, and never fails", async () => {
    const { call } = served;
    const created = await call("POST", "/logics", {});
    expect(Object.keys(created.body.data)).toEqual(["id"]);
    expect((await call("GET", `/logics?id=${created.body.data.id}&sort=-id`)).body.data).toEqual([created.body.data]);
    expect((await call("POST", "/logics", { OR: "a" })).status).toBe(400);
    expect((await call("GET", "/logics?AND=1")).status).toBe(400);
    expect((await call("GET", "/logics?or[0][id]=1&or[1][id]=2")).status).toBe(400);
  });

  it.each(["many", "Many"])("C7 a row with the id %s is read, updated and deleted by itself", async (name) => {
    const { call } = served;
    expect((await call("POST", "/services", { name })).status).toBe(400);
    await served.sql(`INSERT INTO "Service" (name) VALUES ('${name}')`);
    const at = `/services/%${name.charCodeAt(0).toString(16)}any`;
    expect((await call("GET", at)).body.data).toEqual({ name, config: null });
    expect((await call("PATCH", at, { config: [1] })).body.data).toEqual({ name, config: [1] });
    expect((await call("PATCH", "/services/many", [{ id: name, config: [2] }])).body.data[0].config).toEqual([2]);
    expect((await call("DELETE", at)).status).toBe(204);
  });
});

describe("models with one plural", () => {
  it("C6 prevent startup, which names both", async () => {
    const generated = path.join(import.meta.dirname, "../generated/same-plurals");
    const { PrismaClient } = await import(path.join(generated, "client/client.ts"));
    const { models } = (await import(path.join(generated, "models.ts"))) as { models: ModelsData };
    const environment = { ...alone.environment, DATABASE_URL: inject("postgresUrl") };
    const start = service.create(
      { database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) } },
      { ...alone, environment },
    );
    const message = await start.then(
      () => "started",
      (error: Error) => error.message,
    );
    expect(message).toContain(
      "/users: The models User and Users would share this path. Rename one of them in the schema; @@map preserves its table.",
    );
    expect(message).toContain(
      "/blog-posts: The models BlogPost and blog_posts would share this path. Rename one of them in the schema; @@map preserves its table.",
    );
    expect(message).toContain(
      "/data: The models Datum and Data would share this path. Rename one of them in the schema; @@map preserves its table.",
    );
    expect(message).not.toContain("Sheep");
  });
});

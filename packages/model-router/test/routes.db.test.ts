import { readModels } from "@servicekit/prisma";
import { resourcePath } from "@servicekit/prisma/internal";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { serveModels } from "./serve-models.js";
import { issuesOf, type Shelf, shelfModels, startShelf } from "./shelf.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
});
afterAll(async () => {
  expect(shelf?.logged).toEqual([]);
  await shelf?.close();
});

describe("C6 paths", () => {
  it.each([
    ["Value", "values"],
    ["Person", "people"],
    ["Series", "series"],
    ["HTTPLog2", "http-log2s"],
    ["BigIntKey", "big-int-keys"],
    ["NoteCount", "note-counts"],
    ["Authorship", "authorships"],
  ])("%s is at /%s", async (name, path) => {
    const model = shelfModels.get(name);
    expect(model && resourcePath(model)).toBe(path);
    expect((await shelf.call("GET", `/${path}`)).status).toBe(200);
  });

  it("prevents startup with two models of one path, and names both", () => {
    const field = { kind: "scalar", name: "id", type: "Int" } as const;
    const keys = [{ kind: "id", fields: ["id"] }] as const;
    const models = readModels({
      format: 1,
      enums: [],
      models: [
        { name: "Person", fields: [field], keys },
        { name: "People", fields: [field], keys },
        { name: "Other", fields: [field], keys },
      ],
    });
    expect(issuesOf(shelf, {}, models)).toEqual([
      { where: "/people", message: expect.stringContaining("Person and People") },
    ]);
  });
});

describe("C1, C2 the eight operations", () => {
  it("return their status and shape", async () => {
    const created = await shelf.call("POST", "/people", { name: "Ann" });
    expect([created.status, created.body]).toEqual([201, { data: { id: 1, name: "Ann" } }]);
    expect(created.headers.get("location")).toBe("/api/people/1");
    expect(created.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect((await shelf.call("GET", "/people/1")).body).toEqual({ data: { id: 1, name: "Ann" } });
    expect((await shelf.call("GET", "/people")).body).toEqual({
      data: [{ id: 1, name: "Ann" }],
      meta: { total: 1, count: 1, limit: 20, page: 1, pages: 1 },
    });
    const changed = await shelf.call("PATCH", "/people/1", { name: "Bea" });
    expect([changed.status, changed.body]).toEqual([200, { data: { id: 1, name: "Bea" } }]);
    expect((await shelf.call("PATCH", "/people/1", {})).body).toEqual({ data: { id: 1, name: "Bea" } });
    const removed = await shelf.call("DELETE", "/people/1");
    expect([removed.status, removed.body, removed.headers.get("content-length")]).toEqual([204, undefined, null]);
    for (const [method, body] of [["GET"], ["PATCH", { name: "x" }], ["DELETE"]] as const) {
      const { status, body: problem, headers } = await shelf.call(method, "/people/1", body);
      expect([status, problem.code, headers.get("content-type")]).toEqual([
        404,
        "NotFound",
        "application/problem+json",
      ]);
    }
  });

  it("C4 return Decimal and BigInt as text, DateTime in UTC, Bytes as base64", async () => {
    const body = { decimal: 12.5, bigInt: 7, dateTime: "2024-01-01T01:00:00+01:00", bytes: "AP8=", json: { a: 1 } };
    const { body: response } = await shelf.call("POST", "/values", body);
    expect(response.data).toMatchObject({
      decimal: "12.5",
      bigInt: "7",
      dateTime: "2024-01-01T00:00:00.000Z",
      bytes: "AP8=",
      json: { a: 1 },
    });
  });

  it("C5 HEAD has the headers of GET, OPTIONS and 405 have Allow", async () => {
    const get = await shelf.call("GET", "/series");
    const head = await shelf.call("HEAD", "/series");
    expect([head.status, head.body, head.headers.get("content-length")]).toEqual([
      200,
      undefined,
      get.headers.get("content-length"),
    ]);
    const options = await shelf.call("OPTIONS", "/series");
    expect([options.status, options.headers.get("allow")]).toEqual([
      204,
      expect.stringMatching(/GET.*HEAD.*POST|POST.*GET/),
    ]);
    for (const [method, path, allowed] of [
      ["PUT", "/series", ["GET", "POST"]],
      ["DELETE", "/series", ["GET", "POST"]],
      ["POST", "/series/1", ["DELETE", "GET", "PATCH"]],
      ["PUT", "/series/many", ["DELETE", "PATCH", "POST"]],
    ] as const) {
      const { status, headers } = await shelf.call(method, path);
      expect([method, path, status]).toEqual([method, path, 405]);
      expect(headers.get("allow")?.split(", ")).toEqual(expect.arrayContaining([...allowed]));
    }
    expect((await shelf.call("GET", "/nothing")).status).toBe(404);
    expect((await shelf.call("GET", "/series/1/more")).status).toBe(404);
  });

  it("accept a body only where there is one, and only JSON", async () => {
    for (const body of ["", "[]", "null", '"x"', "{", "[1]"])
      expect((await shelf.call("POST", "/people", body)).status).toBe(400);
    expect((await shelf.call("POST", "/people?name=x", { name: "x" })).status).toBe(400);
    expect((await shelf.call("PATCH", "/people/1?fields=id", { name: "x" })).status).toBe(400);
    expect((await shelf.call("DELETE", "/people/1?x=1")).status).toBe(400);
  });
});

describe("C7 ids of every type", () => {
  const cases: [string, unknown, string, string[]][] = [
    ["/int-keys", -(2 ** 31), "-2147483648", ["-2147483649", "1.0", "1e1", "", "%31%20", "0x1", "%E0%A5%A7"]],
    ["/big-int-keys", "9223372036854775807", "9223372036854775807", ["9223372036854775808", "1n", "1.5"]],
    ["/text-keys", "a/b,c%?#é🎵 \\", "a%2Fb%2Cc%25%3F%23%C3%A9%F0%9F%8E%B5%20%5C", ["a", "%00", "A%2Fb"]],
    [
      "/uuid-keys",
      "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11",
      "6F2C1F0E-6A9E-4A52-9A0E-0D1E4B3F2A11",
      ["6f2c1f0e", "{6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11}"],
    ],
    ["/char-keys", "ab", "ab", ["abc", "AB", "toolong"]],
    ["/enum-keys", "LARGE", "LARGE", ["XL", "large", "toString", "MEDIUM"]],
    [
      "/date-time-keys",
      "2024-01-01T12:00:00.123Z",
      "2024-01-01T13:00:00.123%2B01:00",
      ["2024-01-01", "now", "2024-13-01"],
    ],
    ["/day-keys", "2024-02-29", "2024-02-29", ["2024-02-30", "2024-02-29T12:00:00Z", "0000-01-01"]],
    ["/decimal-keys", "-12.50", "-12.5", ["-12.51", "1e3", "9999999999999999999999", "NaN"]],
    ["/float-keys", 0.30000000000000004, "0.30000000000000004", ["0.3", "Infinity", "1e400"]],
    ["/bytes-keys", "/+8=", "%2F%2B8%3D", ["x", "%2F%2B8", "AA%3D%3D"]],
    ["/inet-keys", "10.0.0.1", "10.0.0.1%2F32", ["10.0.0.2", "10.0.0", "localhost"]],
    ["/boolean-keys", true, "true", ["false", "1", "TRUE"]],
  ];

  it("are decoded once in the added routes of a row", async () => {
    const { call, stop } = await serveModels(shelf.client, shelfModels, {}, [], {
      rowRoutes: {
        TextKey: [
          {
            ...{ method: "get", suffix: "/notes/:noteId", name: "findNote", accessOf: "findOne" },
            run: async ({ id }, request) => ({ data: { id, noteId: request.params.noteId } }),
            documentation: { summary: "Returns a note.", description: "" },
            response: { data: {} },
          },
        ],
      },
    });
    try {
      for (const id of ["100%25", "100%"]) {
        await shelf.client.textKey.create({ data: { id } });
        const { status, body } = await call("GET", `/text-keys/${encodeURIComponent(id)}/notes/7/`);
        expect([status, body.data]).toEqual([200, { id, noteId: "7" }]);
      }
    } finally {
      await shelf.client.textKey.deleteMany({ where: { id: { startsWith: "100%" } } });
      await stop();
    }
  });

  it.each(cases)("%s %j", async (path, id, segment, absent) => {
    const created = await shelf.call("POST", path, { id, note: "new" });
    expect(created.status).toBe(201);
    expect((await shelf.call("GET", `${created.headers.get("location")?.slice(4)}`)).body).toEqual(created.body);
    expect((await shelf.call("GET", `${path}/${segment}`)).body).toEqual(created.body);
    for (const wrong of absent.filter((one) => one !== "")) {
      for (const method of ["GET", "DELETE"])
        expect([wrong, (await shelf.call(method, `${path}/${wrong}`)).status]).toEqual([wrong, 404]);
    }
    expect((await shelf.call("PATCH", `${path}/${segment}`, { note: "changed" })).body.data).toEqual({
      ...created.body.data,
      note: "changed",
    });
    expect((await shelf.call("POST", path, { id })).body).toMatchObject({
      status: 409,
      code: "UniqueConstraint",
      errors: [{ path: "/id" }],
    });
    expect((await shelf.call("DELETE", `${path}/${segment}`)).status).toBe(204);
    expect((await shelf.call("GET", path)).body.meta.total).toBe(0);
  });

  it.each(["", "many", "MANY", ".", ".."])("no row gets the text id %j, which paths cannot contain", async (id) => {
    await shelf.call("POST", "/text-keys", { id: "...", note: "it is a text like others" });
    const requested = [
      ["POST", "/text-keys", { id }, "/id"],
      ["POST", "/text-keys/many", [{ id }], "/0/id"],
      ["PATCH", "/text-keys/...", { id }, "/id"],
    ] as const;
    for (const [method, path, body, pointer] of requested) {
      const response = await shelf.call(method, path, body);
      expect([response.status, response.body.errors]).toMatchObject([400, [{ path: pointer }]]);
    }
    expect(await shelf.sql(`DELETE FROM "TextKey" RETURNING id`)).toEqual([{ id: "..." }]);
  });

  it("a text id equal to the bulk path segment is read by its path and updated through it", async () => {
    await shelf.sql(`INSERT INTO "TextKey" (id) VALUES ('many')`);
    expect((await shelf.call("GET", "/text-keys/many")).body.data.id).toBe("many");
    expect((await shelf.call("PATCH", "/text-keys/many", [{ id: "many", note: "x" }])).body.data[0].note).toBe("x");
    expect((await shelf.call("DELETE", "/text-keys/many", { ids: ["many"] })).body.meta.count).toBe(1);
  });

  it("a compound id has the order of the schema, each part encoded separately", async () => {
    await shelf.call("POST", "/pair-keys", { size: "SMALL", day: "2024-01-01", text: "a,b" });
    expect((await shelf.call("GET", "/pair-keys/a%2Cb,2024-01-01,SMALL")).body.data.text).toBe("a,b");
    for (const id of [
      "a,b,2024-01-01,SMALL",
      "a%2Cb%2C2024-01-01%2CSMALL",
      "a%2Cb,2024-01-01",
      "a%2Cb,2024-01-01,SMALL,",
      "2024-01-01,a%2Cb,SMALL",
      ",,",
      "a%2Cb",
    ]) {
      expect([id, (await shelf.call("GET", `/pair-keys/${id}`)).status]).toEqual([id, 404]);
    }
    expect(
      (await shelf.call("PATCH", "/pair-keys/a%2Cb,2024-01-01,SMALL", { note: "x", size: "LARGE" })).body.data,
    ).toMatchObject({ note: "x", size: "LARGE" });
    expect((await shelf.call("DELETE", "/pair-keys/a%2Cb,2024-01-01,LARGE/")).status).toBe(204);
  });

  it("without an id the first unique field or set of fields identifies a row", async () => {
    await shelf.call("POST", "/unique-keys", { code: "c", nick: "n" });
    expect((await shelf.call("GET", "/unique-keys/c")).status).toBe(200);
    expect((await shelf.call("GET", "/unique-keys/n")).status).toBe(404);
    await shelf.call("POST", "/set-keys", { left: 1, right: "x" });
    expect((await shelf.call("GET", "/set-keys/1,x")).status).toBe(200);
    expect((await shelf.call("GET", "/set-keys/x,1")).status).toBe(404);
  });

  it("a view or a model without a key has only the list; a view with a key can be read", async () => {
    await shelf.call("POST", "/int-keys/many", [
      { id: 1, note: "long note" },
      { id: 2, note: "x" },
    ]);
    await shelf.call("POST", "/text-keys", { id: "t", note: "n" });
    expect((await shelf.call("GET", "/note-counts")).body.data).toEqual([{ note: "n", count: "1" }]);
    expect((await shelf.call("GET", "/note-counts?count__gt=0&sort=-count&search=n")).body.meta.total).toBe(1);
    expect((await shelf.call("GET", "/long-notes/1")).body.data).toEqual({ id: 1, note: "long note" });
    expect((await shelf.call("GET", "/long-notes")).body.meta.total).toBe(1);
    expect((await shelf.call("GET", "/no-keys")).body.data).toEqual([]);
    for (const [method, path, status] of [
      ["GET", "/note-counts/1", 404],
      ["POST", "/note-counts", 405],
      ["POST", "/note-counts/many", 404],
      ["DELETE", "/note-counts/many", 404],
      ["POST", "/long-notes", 405],
      ["PATCH", "/long-notes/1", 405],
      ["DELETE", "/long-notes/1", 405],
      ["PATCH", "/long-notes/many", 405],
      ["GET", "/no-keys/1", 404],
      ["POST", "/no-keys", 405],
      ["POST", "/uncreatables", 405],
      ["POST", "/uncreatables/many", 405],
    ] as const) {
      expect([method, path, (await shelf.call(method, path, {})).status]).toEqual([method, path, status]);
    }
    await shelf.sql(`INSERT INTO "Uncreatable" (id, shape) VALUES (1, '(1,2)')`);
    expect((await shelf.call("PATCH", "/uncreatables/1", { note: "x" })).body).toEqual({ data: { id: 1, note: "x" } });
    expect((await shelf.call("PATCH", "/uncreatables/many", [{ id: 1, note: "y" }])).body.data).toEqual([
      { id: 1, note: "y" },
    ]);
  });
});

describe("C11, C12 bodies", () => {
  type Issue = { path: string; code: string; message: string };

  it("report a missing value in one way, whatever was expected", async () => {
    const { status, body } = await shelf.call("POST", "/musts", {});
    expect(status).toBe(400);
    expect(body.errors.length).toBeGreaterThan(10);
    const text = body.errors.map(({ code, message }: Issue) => `${code} ${message}`);
    expect(new Set(text)).toEqual(new Set(["RequiredValue This is required."]));
  });

  it("suggest the nearest name for a misspelled key, in a bulk too", async () => {
    const hints = async (method: string, path: string, body: unknown) =>
      (await shelf.call(method, path, body)).body.errors
        .filter(({ code }: Issue) => code === "UnknownField")
        .map(({ path, message }: Issue) => `${path} ${message}`);
    const meant = (name: string) => `Unknown key. Did you mean ${name}?`;
    expect(await hints("POST", "/tags", { naem: "x" })).toEqual([`/naem ${meant("name")}`]);
    expect(await hints("POST", "/books", { title: "x", pags: 1 })).toEqual([`/pags ${meant("pages")}`]);
    expect(await hints("PATCH", "/books/1", { titel: "x" })).toEqual([`/titel ${meant("title")}`]);
    expect(await hints("POST", "/books/many", [{ title: "x" }, { title: "x", isnb: "1" }])).toEqual([
      `/1/isnb ${meant("isbn")}`,
    ]);
    expect(await hints("PATCH", "/books/many", [{ id: 1, subtitel: "x" }])).toEqual([
      `/0/subtitel ${meant("subtitle")}`,
    ]);
    expect(await hints("POST", "/books", { title: "x", secret: 1 })).toEqual(["/secret Unknown key."]);
  });

  it("reject ids with a default, timestamps and hidden fields, and never return them", async () => {
    for (const body of [
      { id: 5 },
      { createdAt: "2024-01-01T00:00:00Z" },
      { updatedAt: "2024-01-01T00:00:00Z" },
      { nope: { id: 1 } },
      { "": [] },
    ]) {
      const { status, body: problem } = await shelf.call("POST", "/books", { title: "x", ...body });
      expect([status, problem.errors]).toEqual([
        400,
        [{ in: "body", path: `/${Object.keys(body)[0]}`, code: "UnknownField", message: expect.any(String) }],
      ]);
    }
    expect((await shelf.call("POST", "/publishers", { name: "P", secret: "x" })).status).toBe(400);
    const { body } = await shelf.call("POST", "/publishers", { name: "P" });
    expect(body.data).toEqual({ id: expect.any(Number), name: "P", city: null });
    expect((await shelf.call("GET", "/publishers?fields=secret")).status).toBe(400);
    expect((await shelf.call("GET", "/publishers?sort=secret")).status).toBe(400);
  });

  it("C17 a missing related row is 400 that names the field, a duplicate value 409", async () => {
    expect((await shelf.call("POST", "/books", { title: "x", publisherId: 99 })).body).toMatchObject({
      status: 400,
      code: "RelatedRecordNotFound",
      errors: [{ path: "/publisherId" }],
    });
    await shelf.call("POST", "/books", { title: "x", isbn: "i" });
    expect((await shelf.call("POST", "/books", { title: "y", isbn: "i" })).body).toMatchObject({
      status: 409,
      code: "UniqueConstraint",
      errors: [{ path: "/isbn" }],
    });
  });
});

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { ModelRouterSettings } from "../src/index.js";
import { issuesOf, type Shelf, startShelf } from "./shelf.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
});
afterAll(async () => {
  expect(shelf?.logged).toEqual([]);
  await shelf?.close();
});

describe("C15 omitted routes", () => {
  const statuses = async (settings: Partial<ModelRouterSettings>, path = "/people") => {
    const other = await shelf.serve(settings);
    const calls = [
      ["GET", path],
      ["POST", `${path}/many`],
      ["PATCH", `${path}/many`],
      ["DELETE", `${path}/many`],
      ["GET", `${path}/1`],
    ] as const;
    return Promise.all(
      calls.map(
        async ([method, target]) =>
          (await other.call(method, target, method === "PATCH" ? { name: "x" } : undefined)).status,
      ),
    );
  };

  it("strict registers none, no-bulk omits the /many routes, a model enables single ones again", async () => {
    expect(await statuses({})).toEqual([200, 400, 400, 400, 404]);
    expect(await statuses({ strict: true })).toEqual([404, 404, 404, 404, 404]);
    expect(await statuses({ strict: "no-bulk" })).toEqual([200, 405, 405, 405, 404]);
    expect(await statuses({ strict: "no-bulk", models: { Person: { operations: { deleteMany: true } } } })).toEqual([
      200, 405, 405, 400, 404,
    ]);
    expect(await statuses({ models: { Person: { operations: { findMany: false, updateMany: false } } } })).toEqual([
      405, 400, 405, 400, 404,
    ]);
    expect(await statuses({ strict: true, models: { Person: { operations: { findMany: true } } } })).toEqual([
      404, 404, 404, 404, 404,
    ]);
  });

  it("C7 a disabled bulk operation is 405, and never read as a row with the id many", async () => {
    const models = { TextKey: { operations: { updateMany: false } }, Person: { operations: { deleteMany: false } } };
    const other = await shelf.serve({ models });
    await shelf.sql(`INSERT INTO "TextKey" (id) VALUES ('many')`);
    for (const body of [[{ id: "many", note: "x" }], { note: "x" }]) {
      const { status, headers } = await other.call("PATCH", "/text-keys/MANY?id=many", body);
      expect([status, headers.get("allow")]).toEqual([405, "DELETE, GET, HEAD, POST"]);
    }
    expect((await other.call("PATCH", "/text-keys/%6Dany", { note: "y" })).body.data).toEqual({
      id: "many",
      note: "y",
    });
    const { status, headers } = await other.call("DELETE", "/people/many", { ids: [1] });
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, PATCH, POST"]);
    for (const [path, allow] of [
      ["/text-keys/many", "DELETE, GET, HEAD, POST"],
      ["/text-keys/MANY/", "DELETE, GET, HEAD, POST"],
      ["/people/many", "GET, HEAD, PATCH, POST"],
      ["/people/1", "DELETE, GET, HEAD, PATCH"],
      ["/books/many", "DELETE, GET, HEAD, PATCH, POST"],
    ] as const) {
      for (const [method, code] of [
        ["OPTIONS", 204],
        ["PUT", 405],
      ] as const) {
        const response = await other.call(method, path);
        expect([method, path, response.status, response.headers.get("allow")]).toEqual([method, path, code, allow]);
      }
    }
  });

  it("read, write and all disable and enable several, and a more specific name wins", async () => {
    const of = (operations: Readonly<Record<string, boolean>>, strict?: "no-bulk") =>
      statuses({ ...(strict === undefined ? {} : { strict }), models: { Person: { operations } } });
    expect(await of({ write: false })).toEqual([200, 405, 405, 405, 404]);
    expect(await of({ all: false, findMany: true })).toEqual([200, 404, 404, 404, 404]);
    expect(await of({ read: false, findMany: true })).toEqual([200, 400, 400, 400, 405]);
    expect(await of({ write: true }, "no-bulk")).toEqual([200, 400, 400, 400, 404]);
  });

  it("a misspelled short name is reported with the nearest, and an invalid value at its own place", () => {
    const models = { Book: { operations: { wirte: false, read: 1 }, auth: { raed: false, al: true, write: 5 } } };
    const issues = issuesOf(shelf, { models: models as never });
    expect(issues).toHaveLength(5);
    expect(issues).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ where: "models.Book.auth.al", message: "Unknown key. Did you mean all?" }),
        expect.objectContaining({
          where: "models.Book.auth.raed",
          message: "Unknown key. Did you mean read?",
        }),
        expect.objectContaining({ where: "models.Book.auth.write" }),
        expect.objectContaining({ where: "models.Book.operations.read" }),
        expect.objectContaining({
          where: "models.Book.operations.wirte",
          message: "Unknown key. Did you mean write?",
        }),
      ]),
    );
  });

  it("C44 unknown models, keys and operations prevent startup, all together, with the nearest name", () => {
    const models = { Persn: {}, Book: { operation: {}, operations: { findAll: true, createOn: false } } };
    expect(issuesOf(shelf, { models: models as never })).toMatchObject([
      { where: "models", message: "Unknown model Persn. Did you mean Person?" },
      { where: "models.Book.operations.findAll", message: expect.stringContaining("Unknown key; expected one of") },
      { where: "models.Book.operations.createOn", message: "Unknown key. Did you mean createOne?" },
      { where: "models.Book.operation", message: "Unknown key. Did you mean operations?" },
    ]);
  });
});

import type { RequestHandler } from "express";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Relations, startRelations } from "./relations.js";
import type { TestResponse } from "./serve-models.js";

let stored: Relations;
beforeAll(async () => {
  stored = await startRelations(inject("postgresUrl"), { models: { Firm: { writable: ["tickets"] } } });
});
afterAll(() => stored?.close());

beforeEach(async () => {
  await stored.clear();
  await stored.sql(`INSERT INTO "Firm" (id) VALUES (1), (2)`);
  await stored.sql(`INSERT INTO "Desk" ("firmId", id, label) VALUES (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c')`);
  await stored.sql(`INSERT INTO "Ticket" ("firmId", "openerId") VALUES (1, 1), (1, 2)`);
});

const call = (method: string, path: string, body: unknown) => stored.call(method, path, body);
const paths = ({ body }: TestResponse) => body.errors?.map(({ path }: { path: string }) => path);
const labels = async () =>
  (await stored.sql(`SELECT label FROM "Desk" ORDER BY "firmId", id`)).map(({ label }) => label);

describe("a missing related row of overlapping foreign keys is reported at the place that the client wrote", () => {
  it.each([
    ["POST", "/tickets", { firmId: 1, openerId: 9 }, ["/firmId", "/openerId"]],
    ["POST", "/tickets", { firmId: 9, openerId: 1 }, ["/firmId"]],
    ["PATCH", "/tickets/1", { openerId: 9 }, ["/openerId"]],
    ["PATCH", "/tickets/1", { solverId: 9 }, ["/solverId"]],
    ["PATCH", "/tickets/1", { title: "x", solver: { firmId: 1, id: 9 } }, ["/solver"]],
    ["POST", "/tickets", { firm: { id: 9 }, opener: { firmId: 9, id: 1 } }, ["/firm"]],
    ["POST", "/tickets", { firm: { id: 1 }, opener: { firmId: 1, id: 9 } }, ["/opener"]],
    [
      "PATCH",
      "/tickets/many",
      [
        { id: 1, openerId: 2 },
        { id: 2, solverId: 9 },
      ],
      ["/1/solverId"],
    ],
    ["PATCH", "/tickets/many?id=1", { solverId: 9 }, ["/solverId"]],
    ["POST", "/tickets/many", [{ firmId: 1, openerId: 1, solverId: 9 }], ["/0/firmId", "/0/solverId"]],
    ["PATCH", "/firms/1", { tickets: [{ id: 1, solverId: 9 }] }, ["/tickets/0/solverId"]],
  ])("%s %s %j", async (method, path, body, expected) => {
    const response = await call(method, path, body);
    expect([response.status, response.body.code, paths(response)]).toEqual([400, "RelatedRecordNotFound", expected]);
  });

  it("a constraint with a custom name is reported in the same way", async () => {
    await stored.sql(`ALTER TABLE "Ticket" RENAME CONSTRAINT "Ticket_firmId_solverId_fkey" TO own`);
    const response = await call("PATCH", "/tickets/1", { solverId: 9 });
    await stored.sql(`ALTER TABLE "Ticket" RENAME CONSTRAINT own TO "Ticket_firmId_solverId_fkey"`);
    expect([response.body.code, paths(response)]).toEqual(["RelatedRecordNotFound", ["/solverId"]]);
  });
});

it("C13 a relation that sets a field of two foreign keys is enough for both", async () => {
  const { status, body } = await call("POST", "/tickets", { opener: { firmId: 1, id: 2 } });
  expect([status, body.data]).toMatchObject([201, { firmId: 1, openerId: 2, solverId: null }]);
  const both = await call("POST", "/tickets", { firm: { id: 2 }, opener: { firmId: 2, id: 1 } });
  expect([both.status, both.body.data]).toMatchObject([201, { firmId: 2, openerId: 1 }]);
  const other = await call("POST", "/tickets", { firm: { id: 2 }, opener: { firmId: 1, id: 1 } });
  expect([other.status, paths(other)]).toEqual([400, ["/opener"]]);
  const none = await call("POST", "/tickets", { solver: { firmId: 1, id: 2 } });
  expect([none.status, paths(none)]).toEqual([400, ["/firmId", "/openerId"]]);
});

describe("items of a bulk where a part of the key is called id", () => {
  it("identify their rows as these were read", async () => {
    const { body } = await stored.call("GET", "/desks?firmId=1");
    const rows = body.data.map((row: object, index: number) => ({ ...row, label: `new ${index}` }));
    const { status, body: changed } = await call("PATCH", "/desks/many", rows);
    expect([status, changed.data]).toEqual([200, rows]);
    expect(await labels()).toEqual(["new 0", "new 1", "c"]);
  });

  it("and a relation next to the parts changes one of them", async () => {
    const { status, body } = await call("PATCH", "/desks/many", [{ firmId: 1, id: 2, firm: { id: 2 } }]);
    expect([status, body.data]).toEqual([200, [{ firmId: 2, id: 2, label: "b", deletedAt: null }]]);
  });

  it("or by the id as in a path, next to their changes", async () => {
    const { status } = await call("PATCH", "/desks/many", [{ id: "2,1", label: "x" }]);
    expect([status, await labels()]).toEqual([200, ["a", "b", "x"]]);
  });

  it.each([
    ["the part alone", [{ id: 1, label: "x" }], 400, ["/0/id"]],
    ["an id as in a path beside the other part", [{ id: "1,2", firmId: 1 }], 400, ["/0/id"]],
    ["another part that is invalid", [{ id: 1, firmId: "one" }], 400, ["/0/firmId"]],
    ["a row that does not exist", [{ id: 9, firmId: 1, label: "x" }], 404, ["/0/id"]],
    ["the same row twice", [{ id: 1, firmId: 1 }, { id: "1,1" }], 400, ["/1/id"]],
  ])("are rejected with %s", async (_, body, status, expected) => {
    const response = await call("PATCH", "/desks/many", body);
    expect([response.status, paths(response)]).toEqual([status, expected]);
    expect(await labels()).toEqual(["a", "b", "c"]);
  });
});

describe("C101 a foreign key of two fields", () => {
  const deleteDesk: RequestHandler = async (_request, _response, next) => {
    await stored.sql(`UPDATE "Desk" SET "deletedAt" = now() WHERE "firmId" = 1 AND id = 2`);
    next();
  };
  const serve = (hook: RequestHandler) =>
    stored.serve({
      models: { Desk: { softDelete: true }, Ticket: { hooks: { beforeUpdateOne: hook, beforeUpdateMany: hook } } },
    });

  it.each([
    ["/tickets/1", { firmId: 1, openerId: 2, solverId: 1 }, ["/firmId", "/openerId"]],
    ["/tickets/1", { firmId: 1, solverId: 2, openerId: 1 }, ["/firmId", "/solverId"]],
    [
      "/tickets/many",
      [
        { id: 2, title: "x" },
        { id: 1, firmId: 1, openerId: 2, solverId: 1 },
      ],
      ["/1/firmId", "/1/openerId"],
    ],
    ["/tickets/many?id=1", { firmId: 1, openerId: 2, solverId: 1 }, ["/firmId", "/openerId"]],
  ])("references no row that is deleted before the write, with PATCH %s %j", async (path, body, expected) => {
    const other = await serve(deleteDesk);
    const response = await other.call("PATCH", path, body);
    expect([response.status, response.body.code, paths(response)]).toEqual([400, "RelatedRecordNotFound", expected]);
    const present = await other.call("PATCH", "/tickets/1", { firmId: 1, openerId: 1, solverId: 1 });
    expect(present.status).toBe(200);
  });

  it("references no deleted row if a hook sets a part of it", async () => {
    const setPart: RequestHandler = (request, response, next) => {
      request.body = { openerId: 2 };
      return deleteDesk(request, response, next);
    };
    const other = await serve(setPart);
    expect((await other.call("PATCH", "/tickets/1", { title: "x" })).status).toBe(500);
    expect((await other.call("PATCH", "/tickets/many?id=1", { title: "x" })).status).toBe(500);
    expect(await stored.sql(`SELECT "openerId" FROM "Ticket" WHERE id = 1`)).toEqual([{ openerId: 1 }]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Relations, startRelations } from "./relations.js";
import type { Answer } from "./serve-models.js";

let kept: Relations;
beforeAll(async () => {
  kept = await startRelations(inject("postgresUrl"), { models: { Firm: { writable: ["tickets"] } } });
});
afterAll(() => kept?.close());

beforeEach(async () => {
  await kept.clear();
  await kept.sql(`INSERT INTO "Firm" (id) VALUES (1), (2)`);
  await kept.sql(`INSERT INTO "Desk" ("firmId", id, label) VALUES (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c')`);
  await kept.sql(`INSERT INTO "Ticket" ("firmId", "openerId") VALUES (1, 1), (1, 2)`);
});

const ask = (method: string, path: string, body: unknown) => kept.call(method, path, body);
const paths = ({ body }: Answer) => body.errors?.map(({ path }: { path: string }) => path);
const labels = async () => (await kept.sql(`SELECT label FROM "Desk" ORDER BY "firmId", id`)).map(({ label }) => label);

describe("F43 a missing related row where foreign keys overlap is told at what the client wrote", () => {
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
    const answer = await ask(method, path, body);
    expect([answer.status, answer.body.code, paths(answer)]).toEqual([400, "RelatedRecordNotFound", expected]);
  });

  it("also where the constraint has a name of its own", async () => {
    await kept.sql(`ALTER TABLE "Ticket" RENAME CONSTRAINT "Ticket_firmId_solverId_fkey" TO own`);
    const answer = await ask("PATCH", "/tickets/1", { solverId: 9 });
    await kept.sql(`ALTER TABLE "Ticket" RENAME CONSTRAINT own TO "Ticket_firmId_solverId_fkey"`);
    expect([answer.body.code, paths(answer)]).toEqual(["RelatedRecordNotFound", ["/solverId"]]);
  });
});

it("F43 C13 a relation that sets a field of two foreign keys is enough for both", async () => {
  const { status, body } = await ask("POST", "/tickets", { opener: { firmId: 1, id: 2 } });
  expect([status, body.data]).toMatchObject([201, { firmId: 1, openerId: 2, solverId: null }]);
  const both = await ask("POST", "/tickets", { firm: { id: 2 }, opener: { firmId: 2, id: 1 } });
  expect([both.status, both.body.data]).toMatchObject([201, { firmId: 2, openerId: 1 }]);
  const other = await ask("POST", "/tickets", { firm: { id: 2 }, opener: { firmId: 1, id: 1 } });
  expect([other.status, paths(other)]).toEqual([400, ["/opener"]]);
  const none = await ask("POST", "/tickets", { solver: { firmId: 1, id: 2 } });
  expect([none.status, paths(none)]).toEqual([400, ["/firmId", "/openerId"]]);
});

describe("F43 items of a bulk where a part of the key is called id", () => {
  it("name their rows as these were read", async () => {
    const { body } = await kept.call("GET", "/desks?firmId=1");
    const rows = body.data.map((row: object, index: number) => ({ ...row, label: `new ${index}` }));
    const { status, body: changed } = await ask("PATCH", "/desks/many", rows);
    expect([status, changed.data]).toEqual([200, rows]);
    expect(await labels()).toEqual(["new 0", "new 1", "c"]);
  });

  it("and a relation beside the parts changes one of them", async () => {
    const { status, body } = await ask("PATCH", "/desks/many", [{ firmId: 1, id: 2, firm: { id: 2 } }]);
    expect([status, body.data]).toEqual([200, [{ firmId: 2, id: 2, label: "b" }]]);
  });

  it("or by the id as in a path, beside what they change", async () => {
    const { status } = await ask("PATCH", "/desks/many", [{ id: "2,1", label: "x" }]);
    expect([status, await labels()]).toEqual([200, ["a", "b", "x"]]);
  });

  it.each([
    ["the part alone", [{ id: 1, label: "x" }], 400, ["/0/id"]],
    ["an id as in a path beside the other part", [{ id: "1,2", firmId: 1 }], 400, ["/0/id"]],
    ["another part that is none", [{ id: 1, firmId: "one" }], 400, ["/0/firmId"]],
    ["a row that is not there", [{ id: 9, firmId: 1, label: "x" }], 404, ["/0/id"]],
    ["the same row twice", [{ id: 1, firmId: 1 }, { id: "1,1" }], 400, ["/1/id"]],
  ])("are refused with %s", async (_, body, status, expected) => {
    const answer = await ask("PATCH", "/desks/many", body);
    expect([answer.status, paths(answer)]).toEqual([status, expected]);
    expect(await labels()).toEqual(["a", "b", "c"]);
  });
});

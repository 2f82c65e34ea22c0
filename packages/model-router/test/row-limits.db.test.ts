import { afterAll, beforeAll, beforeEach, expect, inject, it } from "vitest";
import { type Records, type ServedRecords, startRecords } from "./records.js";

let records: Records;
let served: ServedRecords;
beforeAll(async () => {
  records = await startRecords(inject("postgresUrl"));
  served = await records.serve(
    { Project: { softDelete: { keep: ["tasks", "notes"] } }, Company: { writable: ["projects"] } },
    { rowLimits: { Project: [{ max: 2, fields: ["companyId"], message: "A company has at most 2 projects." }] } },
  );
});
beforeEach(async () => {
  await records.clear();
  for (const name of ["a", "b"]) expect(await statusOf("POST", "/companies", { name })).toBe(201);
  for (const title of ["1", "2"]) expect(await create(1, title)).toBe(201);
});
afterAll(() => records?.close());

const statusOf = async (method: string, at: string, body?: unknown): Promise<number> => {
  const { status, body: sent } = await served.call(method, at, { ...(body === undefined ? {} : { body }) });
  if (status === 409) expect(sent).toMatchObject({ code: "Conflict", detail: "A company has at most 2 projects." });
  return status;
};
const create = (companyId: number | null, title = "more") => statusOf("POST", "/projects", { title, companyId });
const counted = async (companyId: number) =>
  (await served.call("GET", `/projects?companyId=${companyId}&limit=1`)).body.meta.total;

it("C112 counts the rows with the same values, and none without", async () => {
  expect(await create(1)).toBe(409);
  for (let n = 0; n < 3; n++) expect(await create(null)).toBe(201);
  for (let n = 0; n < 2; n++) expect(await create(2)).toBe(201);
  expect(await create(2)).toBe(409);
  expect([await counted(1), await counted(2)]).toEqual([2, 2]);
});

it.each([
  ["an update", "PATCH", "/projects/3", { companyId: 1 }],
  [
    "a bulk update by key",
    "PATCH",
    "/projects/many",
    [
      { id: 1, title: "x" },
      { id: 3, companyId: 1 },
    ],
  ],
  ["a bulk update by filter", "PATCH", "/projects/many?id=3", { companyId: 1 }],
  ["a connect", "PATCH", "/companies/1", { projects: [{ id: 3 }] }],
  ["a connect of the row", "PATCH", "/projects/3", { company: { id: 1 } }],
  ["a nested create", "PATCH", "/companies/1", { projects: [{ title: "nested" }] }],
])("C112 limits rows that move to other values by %s", async (_name, method, at, body) => {
  expect(await create(2)).toBe(201);
  expect(await statusOf(method, at, body)).toBe(409);
  expect([await counted(1), await counted(2)]).toEqual([2, 1]);
  expect(await statusOf("DELETE", "/projects/2")).toBe(204);
  expect(await statusOf(method, at, body)).toBe(200);
  expect(await counted(1)).toBe(2);
});

it("C112 does not count deleted rows, and limits their restore", async () => {
  expect(await statusOf("DELETE", "/projects/1")).toBe(204);
  expect(await create(1)).toBe(201);
  expect(await statusOf("POST", "/projects/1/restore")).toBe(409);
  expect(await statusOf("DELETE", "/projects/2")).toBe(204);
  expect(await statusOf("POST", "/projects/1/restore")).toBe(200);
  expect(await counted(1)).toBe(2);
});

it("C112 does not limit other changes of rows that are too many", async () => {
  await records.sql(
    `INSERT INTO "Project" (title, "companyId", "updatedAt") SELECT 'x', 1, now() FROM generate_series(1, 3)`,
  );
  expect(await statusOf("PATCH", "/projects/1", { title: "y" })).toBe(200);
  expect(await statusOf("PATCH", "/projects/many?companyId=1", { title: "z" })).toBe(200);
  expect(await statusOf("DELETE", "/projects/1")).toBe(204);
  expect(await create(1)).toBe(409);
});

it("C112 is not exceeded by concurrent creates", async () => {
  const statuses = await Promise.all(Array.from({ length: 20 }, () => create(2)));
  expect(statuses.filter((status) => status === 201)).toHaveLength(2);
  expect(await counted(2)).toBe(2);
});

import { afterAll, beforeAll, expect, inject, it } from "vitest";
import type { HistorySource, ModelConfig } from "../src/index.js";
import { type Records, type ServedRecords, startRecords } from "./records.js";

let records: Records;
let options: Parameters<Records["serve"]>[1];
beforeAll(async () => {
  records = await startRecords(inject("postgresUrl"));
  const history: HistorySource = {
    read: async () => ({ changes: [], hasMore: false }),
    matchStates: records.matchStates,
  };
  const events = {
    matchStates: records.matchStates,
    closing: new AbortController().signal,
    secrets: async () => ["secret"],
    follow: () => ({ next: async () => undefined }),
  };
  options = { history, events };
});
afterAll(() => records?.close());

/** The declared routes of a model, with what other packages read of them. */
const routesOf = ({ routes }: ServedRecords, model: string): readonly string[] =>
  routes.table().entries.flatMap(({ method, path, route }) => {
    if (route === undefined || route.origin.model !== model) return [];
    const { authentication, queryParser, compression, validation } = route.config;
    const { operation, hasRowRule, rights, mediaTypes, bodyFormats } = route.origin;
    const parts = Object.entries({
      ...{ authentication, queryParser, compression, hasRowRule, rights, mediaTypes },
      validation: validation && Object.keys(validation),
      bodyFormats: bodyFormats?.map(({ type }) => type),
    }).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${JSON.stringify(value)}`]));
    return [[`${method} ${path.replace("/api", "")}`, operation, ...parts].join(" | ")];
  });

const everything: ModelConfig = {
  ...{ aggregate: true, upsert: true, export: true, import: true, softDelete: { keep: ["notes", "tasks"] } },
  changes: { history: true, events: true },
};

it("declares the routes of a model with every feature, with their access", async () => {
  const roles = (name: string): readonly string[] => [name];
  const auth = {
    ...{ findMany: roles("lister"), findOne: roles("reader"), createOne: roles("creator"), updateOne: roles("writer") },
    ...{
      deleteOne: roles("deleter"),
      restoreOne: roles("restorer"),
      findDeleted: roles("archivist"),
      deletePermanently: false,
    },
  } as const;
  const guarded = await records.serve({ Project: { ...everything, auth } }, options, true);
  expect(routesOf(guarded, "Project")).toMatchInlineSnapshot(`
    [
      "GET /projects | findMany | authentication {"resource":"project","action":"View","rule":{"roles":["lister"]}} | queryParser false | rights [{"name":"findDeleted","authentication":{"resource":"project","action":"ViewDeleted","rule":{"roles":["archivist"]}}}] | mediaTypes ["text/csv","application/x-ndjson"]",
      "POST /projects | createOne | authentication {"resource":"project","action":"Create","rule":{"roles":["creator"]}} | queryParser false | validation ["body"]",
      "POST /projects/many | createMany | authentication {"resource":"project","action":"Create"} | queryParser false | validation ["body"] | bodyFormats ["text/csv","application/x-ndjson"]",
      "PATCH /projects/many | updateMany | authentication {"resource":"project","action":"Update"} | queryParser false | validation ["body"]",
      "DELETE /projects/many | deleteMany | authentication {"resource":"project","action":"Delete"} | queryParser false | rights [{"name":"deletePermanently","authentication":false}] | validation ["body"]",
      "POST /projects/:id/restore | restoreOne | authentication {"resource":"project","action":"Restore","rule":{"roles":["restorer"]}} | queryParser false",
      "GET /projects/aggregate | aggregate | authentication {"resource":"project","action":"View","rule":{"roles":["lister"]}} | queryParser false",
      "GET /projects/events | events | authentication {"resource":"project","action":"View","rule":{"roles":["lister"]}} | queryParser false | compression false | mediaTypes ["text/event-stream"]",
      "GET /projects/:id | findOne | authentication {"resource":"project","action":"View","rule":{"roles":["reader"]}} | queryParser false | rights [{"name":"findDeleted","authentication":{"resource":"project","action":"ViewDeleted","rule":{"roles":["archivist"]}}}]",
      "PATCH /projects/:id | updateOne | authentication {"resource":"project","action":"Update","rule":{"roles":["writer"]}} | queryParser false | validation ["body"]",
      "DELETE /projects/:id | deleteOne | authentication {"resource":"project","action":"Delete","rule":{"roles":["deleter"]}} | queryParser false | rights [{"name":"deletePermanently","authentication":false}]",
      "PUT /projects/:id | replaceOne | authentication {"resource":"project","action":"Update","rule":{"roles":["writer"]}} | queryParser false | validation ["body"]",
      "GET /projects/:id/history | history | authentication {"resource":"project","action":"View","rule":{"roles":["reader"]}} | queryParser false",
      "POST /projects/:id/history/:changeId/restore | restoreState | authentication {"resource":"project","action":"Update","rule":{"roles":["writer"]}} | queryParser false",
    ]
  `);
  expect(routesOf(guarded, "Country")).toMatchInlineSnapshot(`
    [
      "GET /countries | findMany | authentication {"resource":"country","action":"View"} | queryParser false",
      "POST /countries | createOne | authentication {"resource":"country","action":"Create"} | queryParser false | validation ["body"]",
      "POST /countries/many | createMany | authentication {"resource":"country","action":"Create"} | queryParser false | validation ["body"]",
      "PATCH /countries/many | updateMany | authentication {"resource":"country","action":"Update"} | queryParser false | validation ["body"]",
      "DELETE /countries/many | deleteMany | authentication {"resource":"country","action":"Delete"} | queryParser false | validation ["body"]",
      "GET /countries/:id | findOne | authentication {"resource":"country","action":"View"} | queryParser false",
      "PATCH /countries/:id | updateOne | authentication {"resource":"country","action":"Update"} | queryParser false | validation ["body"]",
      "DELETE /countries/:id | deleteOne | authentication {"resource":"country","action":"Delete"} | queryParser false",
    ]
  `);
});

it("declares no access without authentication", async () => {
  const open = await records.serve({ Project: everything }, options);
  expect(routesOf(open, "Project").filter((line) => / \| (authentication|hasRowRule) /.test(line))).toEqual([]);
  expect(routesOf(open, "Project").map((line) => line.split(" | ").slice(0, 2).join(" "))).toMatchInlineSnapshot(`
    [
      "GET /projects findMany",
      "POST /projects createOne",
      "POST /projects/many createMany",
      "PATCH /projects/many updateMany",
      "DELETE /projects/many deleteMany",
      "POST /projects/:id/restore restoreOne",
      "GET /projects/aggregate aggregate",
      "GET /projects/events events",
      "GET /projects/:id findOne",
      "PATCH /projects/:id updateOne",
      "DELETE /projects/:id deleteOne",
      "PUT /projects/:id replaceOne",
      "GET /projects/:id/history history",
      "POST /projects/:id/history/:changeId/restore restoreState",
    ]
  `);
});

it("declares which routes have the row rule of an operation", async () => {
  const ruled = async (auth: ModelConfig["auth"]) => {
    const served = await records.serve({ Project: { ...everything, auth } as ModelConfig }, options);
    const lines = routesOf(served, "Project").filter((line) => line.includes("hasRowRule true"));
    return lines.map((line) => line.split(" | ")[1]).join(" ");
  };
  const where = () => true;
  expect(await ruled({ findMany: { where } })).toMatchInlineSnapshot(`"findMany aggregate events"`);
  expect(await ruled({ findOne: { where } })).toMatchInlineSnapshot(`"findOne history restoreState"`);
  expect(await ruled({ createOne: { where } })).toMatchInlineSnapshot(`"createOne"`);
  expect(await ruled({ updateOne: { where } })).toMatchInlineSnapshot(`"updateOne replaceOne restoreState"`);
  expect(await ruled({ deleteOne: { where } })).toMatchInlineSnapshot(`"deleteOne"`);
  expect(await ruled({ where })).toMatchInlineSnapshot(
    `"findMany createOne createMany updateMany deleteMany restoreOne aggregate events findOne updateOne deleteOne replaceOne history restoreState"`,
  );
});

it("omits routes whose operations or features are disabled", async () => {
  const names = async (config: ModelConfig, settings = {}) =>
    routesOf(await records.serve({ Project: config }, { ...options, settings }), "Project")
      .map((line) => line.split(" | ")[1])
      .join(" ");
  expect(await names({})).toMatchInlineSnapshot(
    `"findMany createOne createMany updateMany deleteMany findOne updateOne deleteOne"`,
  );
  expect(await names({ operations: { write: false } })).toMatchInlineSnapshot(`"findMany findOne"`);
  expect(await names({ operations: { read: false, createOne: false } })).toMatchInlineSnapshot(
    `"createMany updateMany deleteMany updateOne deleteOne"`,
  );
  expect(await names({ ...everything, upsert: false, operations: { updateOne: false } })).toMatchInlineSnapshot(
    `"findMany createOne createMany updateMany deleteMany restoreOne aggregate events findOne deleteOne history"`,
  );
  expect(
    await names({ ...everything, operations: { deleteOne: false, deleteMany: false, restoreOne: false } }),
  ).toMatchInlineSnapshot(
    `"findMany createOne createMany updateMany aggregate events findOne updateOne replaceOne history restoreState"`,
  );
  expect(await names(everything, { strict: true })).toMatchInlineSnapshot(`""`);
});

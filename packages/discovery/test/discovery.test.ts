import { readModels } from "@servicekit/prisma";
import {
  makeErrorHandler,
  makeRouteTable,
  makeValidationStep,
  type RouteConfig,
  ServiceRouter,
} from "@servicekit/router";
import { bindRoutes, declareRoute } from "@servicekit/router/internal";
import express from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { type Allows, listAuthActions, makeAvailableRoutes } from "../src/index.js";
import { makeAuthActions, makeAvailableResources } from "../src/internal.js";

const models = readModels({
  format: 1,
  enums: [{ name: "Genre", values: [{ name: "ROCK" }, { name: "JAZZ" }] }],
  models: [
    {
      name: "MediaType",
      fields: [
        { kind: "scalar", name: "id", type: "Int", default: { function: "autoincrement" } },
        { kind: "scalar", name: "name", type: "String" },
        { kind: "scalar", name: "password", type: "String" },
        { kind: "scalar", name: "tags", type: "String", isList: true },
        { kind: "enum", name: "genre", type: "Genre", isOptional: true },
        { kind: "relation", name: "tracks", type: "Track", isList: true, relation: { name: "r" } },
      ],
      keys: [
        { kind: "id", fields: ["id"] },
        { kind: "unique", fields: ["name"] },
      ],
    },
    {
      name: "Track",
      fields: [
        { kind: "scalar", name: "id", type: "Int" },
        { kind: "scalar", name: "typeId", type: "Int" },
        {
          kind: "relation",
          name: "type",
          type: "MediaType",
          relation: { name: "r", fields: ["typeId"], references: ["id"] },
        },
      ],
      keys: [{ kind: "id", fields: ["id"] }],
    },
  ],
});

/** The visible parts of two related models for a caller. */
const relatedFields = { MediaType: ["tracks"], Track: ["id", "typeId", "type"] };
const visibleFields = new Set(["id", "name", "tags", "genre", "tracks"]);

/** An application with a few routes and the discovery routes, as the service mounts them. */
function makeApp(allows?: Allows, fieldsOf?: Readonly<Record<string, readonly string[]>>) {
  const app = express();
  // Accepts every request: `allows` decides about access here.
  const routes = bindRoutes(app, {
    global: [],
    route: [{ key: "authentication", handlers: () => [] }, makeValidationStep()],
  });
  app.use(routes.match);
  const api = ServiceRouter();
  const generated = (method: "get" | "post", path: string, operation: string, model = "MediaType") =>
    declareRoute(api, {
      method,
      config: {
        path,
        authentication: { resource: "media-type", action: operation === "createOne" ? "Create" : "View" },
      },
      handlers: [(_request, response) => void response.end()],
      origin: { place: `the model ${model}`, resource: "media-type", operation, model },
    });
  generated("get", "/media-types", "findMany");
  generated("get", "/media-types/:id", "findOne");
  generated("post", "/media-types", "createOne");
  if (fieldsOf !== undefined) generated("get", "/tracks", "findMany", "Track");
  api.post(
    {
      path: "/tracks/:id/publish",
      authentication: {
        resource: "track",
        action: "Publish",
        rule: { roles: ["editor"], name: "Publish a track", description: "Shows it to everyone." },
      },
      experimental: { openapi: { summary: "Publishes a track." } },
    },
    (_request, response) => void response.end(),
  );
  api.get({ path: "/gone", disabled: true }, (_request, response) => void response.end());
  api.get("/plain", (_request, response) => void response.end());
  app.use("/api", api);
  const table = makeRouteTable(app.router);
  const visible = () =>
    [...models.values()].map((model) => ({
      model,
      fields: fieldsOf === undefined ? visibleFields : new Set(fieldsOf[model.name]),
      operators: new Map(),
    }));
  app.use("/api", makeAvailableRoutes({ table, allows }));
  app.use("/api", makeAvailableResources({ table, models, visible, allows }));
  if (allows !== undefined) app.use("/api", makeAuthActions({ table, allows }));
  app.use(makeErrorHandler());
  return { app, table };
}

describe("C46 GET /api/available-routes", () => {
  it("lists every route with its declaration, without disabled ones", async () => {
    const { body } = await request(makeApp().app).get("/api/available-routes").expect(200);
    expect(body.data.slice(0, 5)).toEqual([
      {
        method: "GET",
        path: "/api/media-types",
        resource: "media-type",
        operation: "findMany",
        authentication: { resource: "media-type", action: "View" },
        description: null,
      },
      expect.objectContaining({ path: "/api/media-types/:id", operation: "findOne" }),
      expect.objectContaining({ method: "POST", path: "/api/media-types", operation: "createOne" }),
      {
        method: "POST",
        path: "/api/tracks/:id/publish",
        resource: "track",
        operation: "Publish",
        authentication: { resource: "track", action: "Publish" },
        description: "Publishes a track.",
      },
      { method: "GET", path: "/api/plain", resource: null, operation: null, authentication: null, description: null },
    ]);
    expect(body.data.map(({ path }: { path: string }) => path)).toContain("/api/available-resources");
    expect(JSON.stringify(body)).not.toContain("gone");
  });

  it("has for every entry whether the caller may use it, if authentication is on", async () => {
    const mayView: Allows = (_request, access) =>
      typeof access === "boolean" ? true : Promise.resolve(access.action === "View");
    const { body } = await request(makeApp(mayView).app).get("/api/available-routes").expect(200);
    const allowed = Object.fromEntries(
      body.data.map((route: { method: string; path: string; allowed: boolean }) => [
        `${route.method} ${route.path}`,
        route.allowed,
      ]),
    );
    expect(allowed).toMatchObject({
      "GET /api/media-types": true,
      "POST /api/media-types": false,
      "POST /api/tracks/:id/publish": false,
      "GET /api/plain": true,
    });
  });

  it("requires a signed-in user only if authentication is on", () => {
    const declared = (allows?: Allows) =>
      makeApp(allows).table.entries.flatMap(({ path, route }) =>
        /available|actions/.test(path) ? [route?.config.authentication] : [],
      );
    expect(declared()).toEqual([undefined, undefined]);
    expect(declared(() => true)).toEqual([true, true, true]);
  });
});

describe("C46 GET /api/available-resources", () => {
  it("lists each model that has a route, with its visible fields and its operations", async () => {
    const { body } = await request(makeApp().app).get("/api/available-resources").expect(200);
    expect(body.data).toEqual([
      {
        name: "media-type",
        path: "/api/media-types",
        key: ["id"],
        fields: [
          { name: "id", type: "Int", required: true, unique: true, list: false },
          { name: "name", type: "String", required: true, unique: true, list: false },
          { name: "tags", type: "String", required: true, unique: false, list: true },
          { name: "genre", type: "Genre", required: false, unique: false, list: false, values: ["ROCK", "JAZZ"] },
          { name: "tracks", type: "Track", required: true, unique: false, list: true, relation: "track" },
        ],
        operations: [
          { name: "findMany", method: "GET", path: "/api/media-types" },
          { name: "findOne", method: "GET", path: "/api/media-types/:id" },
          { name: "createOne", method: "POST", path: "/api/media-types" },
        ],
      },
    ]);
  });

  it("C76 contains the fields of a key and the foreign keys of a relation, as far as the caller may read them", async () => {
    const { body } = await request(makeApp(undefined, relatedFields).app).get("/api/available-resources");
    expect(body.data).toMatchObject([
      { name: "media-type", key: [], fields: [{ name: "tracks", opposite: "type" }] },
      {
        name: "track",
        key: ["id"],
        fields: [{ name: "id" }, { name: "typeId" }, { name: "type", opposite: "tracks" }],
      },
    ]);
    // The referenced field is not visible to this caller.
    expect(body.data[1].fields[2]).not.toHaveProperty("references");
    const all = { MediaType: [...relatedFields.MediaType, "id"], Track: relatedFields.Track };
    const complete = await request(makeApp(undefined, all).app).get("/api/available-resources");
    expect(complete.body.data[1].fields[2]).toMatchObject({ references: { typeId: "id" } });
    const half = { ...all, Track: ["id", "type"] };
    const closed = await request(makeApp(undefined, half).app).get("/api/available-resources");
    expect(closed.body.data[1].fields[1]).not.toHaveProperty("references");
    const blind = { MediaType: ["id"], Track: relatedFields.Track };
    const { text } = await request(makeApp(undefined, blind).app).get("/api/available-resources");
    expect(text).not.toContain('"opposite":"tracks"');
  });

  it("C11 never contains a hidden field", async () => {
    const response = await request(makeApp().app).get("/api/available-resources");
    expect(response.text).not.toContain("password");
  });

  it("contains what the caller may do with a resource", async () => {
    const never = await request(makeApp((_request, access) => access === true).app).get("/api/available-resources");
    expect(never.body.data[0]).toMatchObject({ allowed: false, operations: [{ allowed: false }, {}, {}] });
    const reader: Allows = (_request, access) => typeof access === "object" && access.action === "View";
    const some = await request(makeApp(reader).app).get("/api/available-resources");
    expect(some.body.data[0]).toMatchObject({
      allowed: true,
      operations: [{ allowed: true }, { allowed: true }, { allowed: false }],
    });
  });
});

describe("C46 the access of other roles", () => {
  const right = { resource: "track", action: "View" };
  const given: readonly (readonly [string, RouteConfig["authentication"], boolean])[] = [
    ["findMany", false, false],
    ["findOne", true, true],
    ["createOne", { ...right, rule: ["editor", "reader"] }, false],
    ["updateOne", { ...right, rule: { roles: ["editor"] } }, true],
    ["deleteOne", right, false],
  ];
  const app = express();
  const api = ServiceRouter();
  for (const [operation, authentication, hasRowRule] of given) {
    declareRoute(api, {
      method: "get",
      config: { path: `/tracks/${operation}`, ...(authentication === undefined ? {} : { authentication }) },
      handlers: [(_request, response) => void response.end()],
      origin: { place: "the model Track", operation, model: "Track", ...(hasRowRule ? { hasRowRule } : {}) },
    });
  }
  app.use("/api", api);
  const table = makeRouteTable(app.router);
  const visible = () =>
    [...models.values()].map((model) => ({
      ...{ model, fields: new Set(["id"]), operators: new Map() },
      counting: model.name === "Track" ? ("estimated" as const) : ("exact" as const),
    }));
  const describesAccess = ({ headers }: { readonly headers: object }) => "x-superuser" in headers;
  app.use("/api", makeAvailableResources({ table, models, visible, describesAccess }));

  it("C125 lists how lists count their rows, if not exactly", async () => {
    const { body } = await request(app).get("/api/available-resources");
    expect(body.data.map(({ name, count }: { name: string; count?: string }) => [name, count])).toEqual([
      ["track", "estimated"],
    ]);
  });

  it("C76 is listed only for callers that the service selects, with the row rules", async () => {
    const reported = await request(app).get("/api/available-resources").set("x-superuser", "1");
    expect(reported.body.data[0].operations.map(({ access }: { access: object }) => access)).toEqual([
      { open: true, roles: [], rows: false },
      { open: false, roles: ["*"], rows: true },
      { open: false, roles: ["editor", "reader"], rows: false },
      { open: false, roles: ["editor"], rows: true },
      { open: false, roles: [], rows: false },
    ]);
    const { text } = await request(app).get("/api/available-resources");
    expect(text).not.toMatch(/access|editor/);
  });
});

describe("C29 GET /api/auth-actions", () => {
  it("lists every permission once, sorted, with its rule", async () => {
    const { body } = await request(makeApp(() => true).app)
      .get("/api/auth-actions")
      .expect(200);
    expect(body).toEqual({
      data: [
        { resource: "media-type", action: "Create", name: null, description: null },
        { resource: "media-type", action: "View", name: null, description: null },
        { resource: "track", action: "Publish", name: "Publish a track", description: "Shows it to everyone." },
      ],
    });
  });

  it("is also exported, for seeds that assign permissions to roles", () => {
    expect(listAuthActions(makeApp().table).map(({ resource, action }) => `${resource}.${action}`)).toEqual([
      "media-type.Create",
      "media-type.View",
      "track.Publish",
    ]);
  });
});

it("C46 GET /api/auth-actions is sorted by resource, then by action, each pair once", () => {
  const router = ServiceRouter();
  const pairs = [
    ["b", "View"],
    ["a", "View"],
    ["b", "Create"],
    ["a", "Create"],
    ["b", "View"],
    ["a", "Delete"],
  ] as const;
  for (const [index, [resource, action]] of pairs.entries())
    router.get(
      { path: `/${index}`, authentication: { resource, action } },
      (_request, response) => void response.end(),
    );
  expect(listAuthActions(makeRouteTable(router)).map(({ resource, action }) => `${resource} ${action}`)).toEqual([
    ...["a Create", "a Delete", "a View", "b Create", "b View"],
  ]);
});

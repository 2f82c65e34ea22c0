import { describe, expect } from "vitest";
import { get, type Row, verifyRows } from "./key-rows.js";

const many = Array.from({ length: 3 }, () => ({ nothing: 1 }));

const rows: Readonly<Record<string, Row>> = {
  "routers.welcomeRoute false": {
    file: { routers: { welcomeRoute: false } },
    call: get("/api"),
    sees: { status: 404 },
    otherwise: { status: 200 },
  },
  "routers.disable": {
    file: { routers: { disable: ["welcome-endpoint", "health"] } },
    code: { routers: { disable: ["welcomeEndpoint", "health"] } },
    call: get("/api/health/live"),
    sees: { status: 404 },
    otherwise: { status: 200 },
  },
  "routers.disable, the model router": {
    file: { routers: { disable: ["model-router"] } },
    code: { routers: { disable: ["modelRouter"] } },
    call: get("/api/notes?nothing=1"),
    sees: { status: 404 },
    otherwise: { status: 400 },
  },
  "routers.strict": {
    file: { routers: { strict: true } },
    call: get("/api/notes?nothing=1"),
    sees: { status: 404 },
    otherwise: { status: 400 },
  },
  "routers.strict no-bulk": {
    file: { routers: { strict: "no-bulk" } },
    call: (client) => client.delete("/api/notes/many"),
    sees: { status: 405, code: "MethodNotAllowed" },
    otherwise: { status: 400, code: "MissingFilter" },
  },
  "models.<Model>.operations": {
    file: { models: { Note: { operations: { findMany: false } } } },
    call: get("/api/notes?nothing=1"),
    sees: { status: 405, allow: "POST" },
    otherwise: { status: 400 },
  },
  "models.<Model>.bulkItems": {
    file: { models: { Note: { bulkItems: 2 } } },
    call: (client) => client.post("/api/notes/many").send(many),
    sees: { status: 413 },
    otherwise: { status: 400 },
  },
  "limits.bulkItems": {
    file: { limits: { bulkItems: 2 } },
    call: (client) => client.post("/api/notes/many").send(many),
    sees: { status: 413 },
    otherwise: { status: 400 },
  },
  "limits.page": {
    file: { limits: { page: { default: 1, max: 2 } } },
    call: get("/api/notes?limit=3&nothing=1"),
    sees: { errors: expect.arrayContaining([expect.objectContaining({ path: "/limit" })]) },
    otherwise: { errors: [expect.objectContaining({ path: "/nothing" })] },
  },
  "limits.include": {
    file: { limits: { include: { depth: 1 } } },
    call: get("/api/notes?include=top.top&nothing=1"),
    sees: { errors: expect.arrayContaining([expect.objectContaining({ path: "/include" })]) },
    otherwise: { errors: [expect.objectContaining({ path: "/nothing" })] },
  },
  "limits.sortKeys": {
    file: { limits: { sortKeys: 1 } },
    call: get("/api/notes?sort=text,id&nothing=1"),
    sees: { errors: expect.arrayContaining([expect.objectContaining({ path: "/sort" })]) },
    otherwise: { errors: [expect.objectContaining({ path: "/nothing" })] },
  },
  "limits.relationHops": {
    file: { limits: { relationHops: 1 } },
    call: get("/api/notes?top__top__text=x&nothing=1"),
    sees: { code: "QueryLimitExceeded" },
    otherwise: { errors: [expect.objectContaining({ path: "/nothing" })] },
  },
  "limits.terms": {
    file: { limits: { terms: 1 } },
    call: get("/query?a=1&b=2"),
    sees: { status: 400 },
    otherwise: { status: 200 },
  },
  "limits.listItems": {
    file: { limits: { listItems: 2 } },
    call: get("/query?a=1,2,3"),
    sees: { status: 400 },
    otherwise: { status: 200 },
  },
  "limits.groups": {
    file: { limits: { groups: 1 } },
    call: get("/api/notes?or[0][and][0][or][0][text]=x&nothing=1"),
    sees: { code: "QueryLimitExceeded" },
    otherwise: { errors: [expect.objectContaining({ path: "/nothing" })] },
  },
  "limits.filterCost": {
    file: { limits: { filterCost: 3 } },
    call: get("/api/notes?text__contains=x"),
    sees: { status: 400, code: "QueryLimitExceeded" },
    // There is no database.
    otherwise: { status: 500 },
  },
  "limits.urlBytes": {
    file: { limits: { urlBytes: 30 } },
    call: get(`/query?a=${"x".repeat(30)}`),
    sees: { status: 414 },
    otherwise: { status: 200 },
  },
  "timeouts.request": {
    file: { timeouts: { request: 100 } },
    call: get("/slow"),
    sees: { status: 504, code: "GatewayTimeout" },
    otherwise: { status: 200 },
  },
  trustProxy: {
    file: { trustProxy: 1 },
    call: (client) => client.get("/client").set({ "X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https" }),
    sees: { data: ["192.0.2.7", "https"] },
    otherwise: { data: ["127.0.0.1", "http"] },
  },
};

describe("C38 C51 C55 each key of routers, models, limits and times, in every form", () => {
  verifyRows(rows);
});

import express from "express";
import request from "supertest";
import { expect, it } from "vitest";
import { makeErrorHandler, makeRouteTable, ServiceRouter } from "../src/index.js";
import { makeNotFound } from "../src/internal.js";
import { type MayEnter } from "../src/table/nearest-path.js";

const reply = (_request: unknown, response: { end(): void }): void => response.end();

function makeApp(mayEnter?: MayEnter) {
  const app = express();
  const router = ServiceRouter();
  router.get({ path: "/products" }, reply);
  router.get({ path: "/products/:id" }, reply);
  router.post({ path: "/products/:id/publish" }, reply);
  router.get({ path: "/salaries", authentication: { resource: "salary", action: "Read" } }, reply);
  router.get({ path: "/internals", experimental: { openapi: false } }, reply);
  router.get({ path: "/files{/:name}" }, reply);
  app.use("/api", router);
  app.get("/api/plain", reply);
  const table = makeRouteTable(app.router);
  app.use(makeNotFound(table, { mayEnter }), makeErrorHandler());
  return app;
}

const detailOf = async (path: string, mayEnter?: MayEnter): Promise<string> => {
  const { status, body } = await request(makeApp(mayEnter)).get(path);
  expect([status, body.code]).toEqual([404, "NotFound"]);
  return body.detail;
};

it.each([
  ["/api/produts", "/api/products"],
  ["/api/Prodcuts/7", "/api/products/7"],
  ["/apy/products", "/api/products"],
  ["/api/products/7/publsh", "/api/products/7/publish"],
])("suggests the nearest path to %s", async (path, near) => {
  expect(await detailOf(path)).toBe(`No resource exists at this path. Did you mean ${near}?`);
});

it.each([
  "/",
  "/api",
  "/api/produts/7/8/9",
  "/apy/produts",
  "/api/zzz",
  "/api/internal",
  "/api/plian",
  `/api/${"p".repeat(60)}`,
  "/api/%70roduts%00",
])("suggests nothing to %s", async (path) => {
  expect(await detailOf(path)).toBe("No resource exists at this path.");
});

it("suggests no route that the caller may not use", async () => {
  expect(await detailOf("/api/salarys")).toBe("No resource exists at this path.");
  expect(await detailOf("/api/salarys", () => false)).toBe("No resource exists at this path.");
  expect(await detailOf("/api/salarys", async () => true)).toBe(
    "No resource exists at this path. Did you mean /api/salaries?",
  );
});

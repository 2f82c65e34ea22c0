import express from "express";
import request from "supertest";
import { expect, it } from "vitest";
import { makeErrorHandler, makeRouteTable, ServiceRouter } from "../src/index.js";
import { makeNotFound } from "../src/internal.js";
import { type MayEnter } from "../src/table/nearest-path.js";

const answer = (_request: unknown, response: { end(): void }): void => response.end();

function makeApp(mayEnter?: MayEnter) {
  const app = express();
  const router = ServiceRouter();
  router.get({ path: "/products" }, answer);
  router.get({ path: "/products/:id" }, answer);
  router.post({ path: "/products/:id/publish" }, answer);
  router.get({ path: "/salaries", authentication: { resource: "salary", action: "Read" } }, answer);
  router.get({ path: "/internals", experimental: { openapi: false } }, answer);
  router.get({ path: "/files{/:name}" }, answer);
  app.use("/api", router);
  app.get("/api/plain", answer);
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
])("F42 tells %s the nearest path", async (path, near) => {
  expect(await detailOf(path)).toBe(`There is nothing here; did you mean ${near}?`);
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
])("F42 tells %s nothing", async (path) => {
  expect(await detailOf(path)).toBe("There is nothing here.");
});

it("F42 names no route that the caller may not enter", async () => {
  expect(await detailOf("/api/salarys")).toBe("There is nothing here.");
  expect(await detailOf("/api/salarys", () => false)).toBe("There is nothing here.");
  expect(await detailOf("/api/salarys", async () => true)).toBe("There is nothing here; did you mean /api/salaries?");
});

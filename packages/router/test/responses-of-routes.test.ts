import express from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { makeErrorHandler, type RouteStep, ServiceRouter } from "../src/index.js";
import { bindRoutes, declareRoute } from "../src/internal.js";

function makeApp(step?: RouteStep) {
  const app = express();
  const routes = bindRoutes(app, { global: [], route: step === undefined ? [] : [step] });
  const router = ServiceRouter();
  const reply = (type: string) => ({
    200: { description: "It.", content: { [type]: { schema: { type: "string" } } } },
  });
  const send = (_request: unknown, response: { send(body: string): void }) => response.send("x");
  router.get({ path: "/any", experimental: { openapi: { responses: reply("*/*") } } }, send as never);
  router.get({ path: "/text", experimental: { openapi: { responses: reply("text/plain") } } }, send as never);
  router.get({ path: "/untold", experimental: { openapi: false } }, send as never);
  declareRoute(router, {
    method: "get",
    config: { path: "/generated", experimental: { openapi: false } },
    handlers: [send as never],
    origin: { place: "the test", documentation: () => ({}) },
  });
  router.post({ path: "/taken", rateLimit: { max: 3, windowMs: 1 } }, send as never);
  app.use(routes.match, routes.afterUse, router, makeErrorHandler());
  return { app, routes };
}

describe("the responses of a route", () => {
  it("C5 a route that documents any media type accepts every Accept, one with its own media types does not", async () => {
    const { app } = makeApp();
    for (const accept of ["image/png", "text/css", "*/*"]) {
      expect((await request(app).get("/any").set("accept", accept)).status).toBe(200);
    }
    expect((await request(app).get("/text").set("accept", "text/*")).status).toBe(200);
    expect((await request(app).get("/text").set("accept", "image/png")).status).toBe(406);
  });

  it("C5 a route without documentation accepts every Accept", async () => {
    const { app } = makeApp();
    for (const accept of ["text/plain", "image/png", "application/json"]) {
      expect((await request(app).get("/untold").set("accept", accept)).status).toBe(200);
    }
    // The media type is known, but not documented.
    expect((await request(app).get("/generated").set("accept", "image/png")).status).toBe(406);
  });

  it("C47 a step returns the errors that it can cause on a route, by the route's declaration", () => {
    const full = { status: 429, code: "TooManyRequests", description: "Too many." };
    const { routes } = makeApp({
      key: "rateLimit",
      handlers: () => [],
      errors: (value) => (value === undefined ? [] : [full]),
    });
    const errors = routes.table().entries.map(({ path, route }) => [path, route && routes.errorsOf(route)]);
    expect(errors).toEqual([
      ["/any", []],
      ["/text", []],
      ["/untold", []],
      ["/generated", []],
      ["/taken", [full]],
    ]);
  });
});

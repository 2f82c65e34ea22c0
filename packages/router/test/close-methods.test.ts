import type { RequestHandler } from "express";
import request from "supertest";
import { expect, it } from "vitest";
import { makeApp, mountRoutes, ServiceRouter } from "../src/index.js";
import { closeMethods, matchOf } from "../src/internal.js";

const answer: RequestHandler = (asked, response) => {
  response.json({ id: asked.params.id ?? null, template: matchOf(asked)?.template });
};

function served() {
  const app = makeApp();
  const inner = ServiceRouter();
  inner.post({ path: "/things/many" }, answer);
  inner.use("/things/many", closeMethods(["PATCH", "DELETE"]));
  inner.get({ path: "/things/:id" }, answer).patch({ path: "/things/:id" }, answer).delete("/things/:id", answer);
  const behind = ServiceRouter();
  behind.delete({ path: "/things/many" }, answer);
  const routes = mountRoutes(app, { global: [], route: [], mount: () => app.use("/api", inner, behind) });
  return { app, table: routes.table() };
}

it("F35 C5 a closed method is taken by no later route of its router, and Allow says so everywhere", async () => {
  const { app, table } = served();
  const allow = "DELETE, GET, HEAD, POST";
  for (const path of ["/api/things/many", "/api/things/many/", "/api/Things/MANY"]) {
    expect(table.methodsAt(path).join(", ")).toBe(allow);
    expect(table.find("PATCH", path)).toBeUndefined();
    const [refused, told] = [await request(app).patch(path), await request(app).options(path)];
    expect([refused.status, refused.headers.allow, told.status, told.headers.allow]).toEqual([405, allow, 204, allow]);
  }
  expect(table.methodsAt("/api/things/1").join(", ")).toBe("DELETE, GET, HEAD, PATCH");
  expect((await request(app).patch("/api/things/1")).body).toEqual({ id: "1", template: "/api/things/:id" });
  // What stands behind the router is its own.
  expect((await request(app).delete("/api/things/many")).body).toEqual({ id: null, template: "/api/things/many" });
  expect((await request(app).get("/api/things/many")).body.id).toBe("many");
});

import type { RequestHandler } from "express";
import request from "supertest";
import { expect, it } from "vitest";
import { makeApp, mountRoutes, ServiceRouter } from "../src/index.js";
import { closeMethods, matchOf } from "../src/internal.js";

const reply: RequestHandler = (requested, response) => {
  response.json({ id: requested.params.id ?? null, template: matchOf(requested)?.template });
};

function served() {
  const app = makeApp();
  const inner = ServiceRouter();
  inner.post({ path: "/things/many" }, reply);
  inner.use("/things/many", closeMethods(["PATCH", "DELETE"]));
  inner.get({ path: "/things/:id" }, reply).patch({ path: "/things/:id" }, reply).delete("/things/:id", reply);
  const behind = ServiceRouter();
  behind.delete({ path: "/things/many" }, reply);
  const routes = mountRoutes(app, { global: [], route: [], mount: () => app.use("/api", inner, behind) });
  return { app, table: routes.table() };
}

it("C5 a disabled method is matched by no later route of its router, and every Allow reflects it", async () => {
  const { app, table } = served();
  const allow = "DELETE, GET, HEAD, POST";
  for (const path of ["/api/things/many", "/api/things/many/", "/api/Things/MANY"]) {
    expect(table.methodsAt(path).join(", ")).toBe(allow);
    expect(table.find("PATCH", path)).toBeUndefined();
    const [rejected, reported] = [await request(app).patch(path), await request(app).options(path)];
    expect([rejected.status, rejected.headers.allow, reported.status, reported.headers.allow]).toEqual([
      405,
      allow,
      204,
      allow,
    ]);
  }
  expect(table.methodsAt("/api/things/1").join(", ")).toBe("DELETE, GET, HEAD, PATCH");
  expect((await request(app).patch("/api/things/1")).body).toEqual({ id: "1", template: "/api/things/:id" });
  // The routes after the router are independent.
  expect((await request(app).delete("/api/things/many")).body).toEqual({ id: null, template: "/api/things/many" });
  expect((await request(app).get("/api/things/many")).body.id).toBe("many");
});

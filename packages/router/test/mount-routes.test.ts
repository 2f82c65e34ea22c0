import { httpErrors, StartupError } from "@servicekit/core";
import type { Express, Request } from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { makeApp, makeBodyParserStep, makeValidationStep, mountRoutes, ServiceRouter } from "../src/index.js";
import { matchOf } from "../src/internal.js";

const router = ServiceRouter();
router.get({ path: "/things/:id" }, (requested, response) => void response.json({ id: requested.params.id }));
router.post({ path: "/faults" }, () => {
  throw new Error("It is broken.");
});

function mounted() {
  const app = makeApp();
  const logged: unknown[] = [];
  const seen: (string | undefined)[] = [];
  const routes = mountRoutes(app, {
    global: [makeBodyParserStep()],
    route: [makeValidationStep()],
    before: () =>
      app.use((requested: Request, _response, next) => {
        seen.push(matchOf(requested)?.template);
        requested.url = requested.url.replace("/old", "/api");
        next();
      }),
    mount: () => app.use("/api", router),
    log: (error) => logged.push(error),
  });
  return { app, logged, seen, routes };
}

it("mounts a complete application: match, handlers after the match, routers, 404 and 405, the error handler", async () => {
  const { app, logged, seen, routes } = mounted();
  expect((await request(app).get("/api/things/7")).body).toEqual({ id: "7" });
  expect((await request(app).get("/old/things/7")).body).toEqual({ id: "7" });
  expect(seen).toEqual(["/api/things/:id", undefined]);
  const missing = await request(app).get("/api/others");
  expect([missing.status, missing.type]).toEqual([404, "application/problem+json"]);
  const rejected = await request(app).delete("/api/things/7");
  expect([rejected.status, rejected.headers.allow]).toEqual([405, "GET, HEAD"]);
  expect((await request(app).post("/api/faults")).status).toBe(500);
  expect(logged).toEqual([expect.objectContaining({ message: "It is broken." })]);
  expect(routes.table().entries.map(({ path }) => path)).toEqual(["/api/things/:id", "/api/faults"]);
});

it("translates errors of other libraries before they become responses", async () => {
  const app = makeApp();
  mountRoutes(app, {
    global: [],
    route: [],
    mount: () => app.use("/api", router),
    translate: (error) => httpErrors.Conflict((error as Error).message),
  });
  const { status, body } = await request(app).post("/api/faults");
  expect([status, body.detail]).toEqual([409, "It is broken."]);
});

it("reports every issue of a declaration", () => {
  const wrong = ServiceRouter();
  wrong.get({ path: "/a", rateLimt: {} } as never, () => undefined);
  const app = makeApp();
  expect(() => mountRoutes(app, { global: [], route: [], mount: () => app.use(wrong) })).toThrow(StartupError);
});

describe("an application inside another one", () => {
  /** Both applications serve `authentication`: each logs which one ran its step. */
  function nested(mount: (outer: Express, inner: Express) => void) {
    const steps: string[] = [];
    const make = (name: string, routes: ServiceRouter, more: (app: Express) => void = () => undefined) => {
      const app = makeApp();
      mountRoutes(app, {
        global: [],
        route: [
          {
            key: "authentication",
            handlers: () => [
              (requested, _response, next) => next(void steps.push(`${name} ${matchOf(requested)?.template}`)),
            ],
          },
        ],
        mount: () => {
          more(app);
          app.use(routes);
        },
      });
      return app;
    };
    const routes = (path: string) =>
      ServiceRouter().get({ path, authentication: false }, (_request, response) => void response.json({}));
    const inner = make("inner", routes("/inner"));
    const outer = make("outer", routes("/outer"), (app) => mount(app, inner));
    return { outer, steps };
  }

  it.each<[string, string, (outer: Express, inner: Express) => void]>([
    ["at the root", "", (outer, inner) => outer.use(inner)],
    ["at a path", "/in", (outer, inner) => outer.use("/in", inner)],
    ["in a router at a path", "/in", (outer, inner) => outer.use("/in", ServiceRouter().use(inner))],
    ["in a handler at a path", "/in", (outer, inner) => outer.use("/in", (q, s, next) => inner(q, s, next))],
  ])("runs the steps of the application that has the route: %s", async (_where, prefix, mount) => {
    const { outer, steps } = nested(mount);
    expect((await request(outer).get(`${prefix}/inner`)).status).toBe(200);
    expect((await request(outer).get("/outer")).status).toBe(200);
    expect(steps).toEqual(["inner /inner", "outer /outer"]);
    expect((await request(outer).get(`${prefix}/missing`)).status).toBe(404);
  });
});

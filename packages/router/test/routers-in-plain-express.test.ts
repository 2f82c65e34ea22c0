import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { makeApp, mountRoutes, type RouteConfig, ServiceRouter } from "../src/index.js";

const ok: RequestHandler = (requested, response) =>
  void response.json({ query: requested.query, body: requested.body });
const wrapped =
  (router: RequestHandler): RequestHandler =>
  (requested, response, next) =>
    router(requested, response, next);

const ways: readonly (readonly [way: string, mount: (app: Express, router: ServiceRouter) => unknown])[] = [
  ["mounted", (app, router) => app.use(router)],
  ["in a plain router", (app, router) => app.use(Router().use(router))],
  ["in a router with a prefix", (app, router) => app.use(ServiceRouter().use("/", router))],
  ["in an inner application", (app, router) => app.use(express().use(router))],
  ["wrapped in a handler", (app, router) => app.use(wrapped(router))],
  [
    "behind an application that has handed the request on",
    (app, router) => {
      const service = makeApp();
      mountRoutes(service, {
        global: [],
        route: [{ key: "authentication", handlers: () => [] }],
        mount: () => service.use(ServiceRouter().get({ path: "/own" }, ok)),
      });
      app.use(service, router);
    },
  ],
];

/** A plain application with one declared route, and the errors of its error handler. */
function serveRoute(mount: (app: Express, router: ServiceRouter) => unknown, config: Omit<RouteConfig, "path">) {
  const app = express();
  const router = ServiceRouter().post({ path: "/a", ...config }, ok);
  mount(app, router);
  const errors: string[] = [];
  const fail: ErrorRequestHandler = (error: Error, _request, response, _next) => {
    errors.push(error.message);
    response.status((error as { status?: number }).status ?? 500).end();
  };
  app.use(fail);
  return { app, errors };
}

const access = { resource: "book", action: "Print", rule: ["ADMIN"] };
const rejected: readonly (readonly [key: string, config: Omit<RouteConfig, "path">])[] = [
  ["authentication", { authentication: true }],
  ["authentication", { authentication: "optional" }],
  ["authentication", { authentication: access }],
  ["experimental.uploads", { experimental: { uploads: { type: "single", field: "photo" } } }],
  ["idempotency", { idempotency: true }],
];

describe.each(ways)("C82 a declared route without an application that serves its keys, %s", (_way, mount) => {
  it.each(rejected)("C82 returns 500 if it declares %s, and names the key: %j", async (key, config) => {
    const { app, errors } = serveRoute(mount, config);
    for (let at = 0; at < 2; at++) expect((await request(app).post("/a")).status).toBe(500);
    const line = `POST /a \\(packages/router/test/routers-in-plain-express\\.test\\.ts:\\d+\\): ${key} is declared, but`;
    expect(errors).toEqual(Array(2).fill(expect.stringMatching(new RegExp(line))));
  });

  it("C82 responds if every key that needs a step is disabled", async () => {
    const { app } = serveRoute(mount, { authentication: false, idempotency: false });
    expect((await request(app).post("/a")).status).toBe(200);
  });

  it("C82 applies rate limit, body parser, query parser, validation and compression", async () => {
    const { app } = serveRoute(mount, {
      rateLimit: { windowMs: 60_000, max: 3 },
      bodyParser: [{ parser: "json", options: { limit: 60 } }],
      queryParser: { parseNumber: false },
      validation: { body: z.object({ name: z.string() }) },
      compression: { threshold: 1 },
    });
    const good = await request(app).post("/a?a=1").set("accept-encoding", "gzip").send({ name: "x" });
    expect(good.body).toEqual({ query: { a: "1" }, body: { name: "x" } });
    expect(good.headers["content-encoding"]).toBe("gzip");
    expect((await request(app).post("/a").send({ name: 1 })).status).toBe(400);
    expect(
      (
        await request(app)
          .post("/a")
          .send({ name: "x".repeat(60) })
      ).status,
    ).toBe(413);
    expect((await request(app).post("/a").send({ name: "x" })).status).toBe(429);
  });

  it.each<[string, NonNullable<RouteConfig["bodyParser"]>]>([
    ["a limit", [{ parser: "json", options: { limit: 10 } }]],
    ["no parser", false],
  ])("C82 returns 500 if a handler before it has read the body, and it declares %s", async (_name, bodyParser) => {
    const { app, errors } = serveRoute((app, router) => mount(app.use(express.json()), router), { bodyParser });
    expect((await request(app).post("/a").send({ name: "x" })).status).toBe(500);
    expect(errors).toEqual([expect.stringMatching(/^The body of POST \/a .* was read before its bodyParser/)]);
    expect((await request(app).post("/a")).status).toBe(200);
  });
});

it("C82 checks a route that is added to a bound application at run time at its first request", async () => {
  const app = makeApp();
  const router = ServiceRouter();
  const logged: unknown[] = [];
  mountRoutes(app, { global: [], route: [], log: (error) => logged.push(error), mount: () => app.use(router) });
  router.get({ path: "/late", authentication: true }, ok);
  router.get({ path: "/misspelt", authenticaton: true } as never, ok);
  router.get({ path: "/fine" }, ok);
  for (const path of ["/late", "/late", "/misspelt"]) expect((await request(app).get(path)).status).toBe(500);
  expect((await request(app).get("/fine")).status).toBe(200);
  expect(logged.map(String)).toEqual([
    expect.stringContaining("authentication is declared, but"),
    expect.stringContaining("authentication is declared, but"),
    expect.stringContaining("authentication"),
  ]);
});

import { StartupError } from "@servicekit/core";
import express, { type RequestHandler, Router } from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { makeErrorHandler, makeRouteTable, type RouteStep, ServiceRouter } from "../src/index.js";
import { declareRoute, matchOf } from "../src/internal.js";
import { routeIssues } from "../src/routers/check-routes.js";
import { makeDefaultSteps } from "../src/routers/standalone-steps.js";
import { serve } from "./serve.js";

const ok: RequestHandler = (_request, response) => {
  response.json({ ok: true });
};

function issuesOf(run: () => void): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof StartupError) return error.issues.map(({ message }) => message);
    throw error;
  }
  return [];
}

describe("a declared route", () => {
  it("is a frozen value with the place of its declaration", () => {
    const router = ServiceRouter();
    const route = declareRoute(router, { method: "GET", config: { path: "/a" }, handlers: [ok, [ok]] });
    expect(route).toMatchObject({ method: "GET", path: "/a", config: { path: "/a" } });
    expect(route?.handlers).toHaveLength(2);
    expect(route?.origin.place).toMatch(/packages\/router\/test\/declared-routes\.test\.ts:\d+$/);
    expect(Object.isFrozen(route)).toBe(true);
    const given = declareRoute(router, {
      method: "post",
      config: { path: "/a" },
      handlers: [ok],
      origin: { place: "the model Track", model: "Track", operation: "createOne" },
    });
    expect(given?.origin).toEqual({ place: "the model Track", model: "Track", operation: "createOne" });
  });

  it("contains the line of the verb that declared it", () => {
    const router = ServiceRouter();
    router.get({ path: "/a" }, ok);
    const [entry] = makeRouteTable(router).entries;
    expect(entry?.route?.origin.place).toMatch(/declared-routes\.test\.ts:\d+$/);
  });

  it("requires a path", () => {
    for (const config of [{}, { path: 7 }, { path: undefined }, { path: null }]) {
      expect(() => ServiceRouter().get(config as never, ok)).toThrow(TypeError);
    }
    expect(() => ServiceRouter().get({ path: "/a*" }, ok)).toThrow(/Missing parameter name/);
  });

  it("is not registered if it is disabled", async () => {
    const app = serve((app) => {
      const router = ServiceRouter();
      router.get({ path: "/a", disabled: true }, ok).get({ path: "/b", disabled: false }, ok);
      app.use(router);
    });
    expect((await request(app).get("/a")).status).toBe(404);
    expect((await request(app).get("/b")).status).toBe(200);
  });

  it("requires a handler", () => {
    expect(() => ServiceRouter().get({ path: "/a" })).toThrow("GET /a has no handler");
    expect(() => ServiceRouter().get({ path: "/a" }, {} as never)).toThrow(
      /^GET \/a \(.*declared-routes\.test\.ts:\d+\): handler 1: found an object, expected a function\.$/,
    );
  });

  it("names the route of a handler that is not a function, also without a declaration", () => {
    const missing = undefined as never;
    expect(() => ServiceRouter().get({ path: "/a" }, ok, [ok, missing])).toThrow(
      /^GET \/a \(.*\.ts:\d+\): handler 3: found nothing, expected a function\.$/,
    );
    expect(() => ServiceRouter().post("/a", ok, missing)).toThrow(
      /^POST \/a \(.*\.ts:\d+\): handler 2: found nothing, expected a function\.$/,
    );
  });

  it("shows the form of a declaration if the configuration follows the path", () => {
    expect(() => ServiceRouter().get("/a", { authentication: true } as never, ok)).toThrow(
      /^GET \/a \(.*\): found an object after the path\. Declare the path in the object: get\(\{ path: "\/a", … \}, handler\)\.$/,
    );
  });

  it("names the place of a declaration whose path is not a string", () => {
    expect(() => ServiceRouter().get({ path: /a/ } as never, ok)).toThrow(
      /^GET \(.*declared-routes\.test\.ts:\d+\): path: found a regular expression, expected a string\.$/,
    );
  });

  it("works on a plain Express router too", async () => {
    const router = Router();
    declareRoute(router, { method: "GET", config: { path: "/a/:x" }, handlers: [ok] });
    const app = serve((app) => app.use("/plain", router));
    expect((await request(app).get("/plain/a/1")).body).toEqual({ ok: true });
    expect((await request(app).post("/plain/a/1")).status).toBe(405);
  });
});

describe("in plain Express", () => {
  it("a declared route runs the steps of this package by itself", async () => {
    const router = ServiceRouter();
    router.post(
      { path: "/a", validation: { body: z.strictObject({ n: z.number() }), query: z.looseObject({}) } },
      (request, response) => {
        response.json([request.body, request.query]);
      },
    );
    router.post({ path: "/limited", rateLimit: { windowMs: 60_000, max: 1 } }, ok);
    const app = express().use(router).use(makeErrorHandler());
    expect((await request(app).post("/a?x__gte=2").send({ n: 1 })).body).toEqual([{ n: 1 }, { x: { gte: 2 } }]);
    expect((await request(app).post("/a").send({ n: "1" })).status).toBe(400);
    expect((await request(app).post("/limited")).status).toBe(200);
    expect((await request(app).post("/limited")).status).toBe(429);
  });

  it("does not change a body that the application has parsed", async () => {
    const router = ServiceRouter();
    router.post({ path: "/a" }, (request, response) => {
      response.json(request.body);
    });
    const app = express().use(express.json({ reviver: (_key, value) => (value === 1 ? "one" : value) }), router);
    expect((await request(app).post("/a").send({ n: 1 })).body).toEqual({ n: "one" });
  });

  it("finds keys that a router without bindRoutes does not serve", () => {
    const router = ServiceRouter();
    router.get({ path: "/a", authentication: true }, ok);
    router.get({ path: "/b", rateLimt: {} } as never, ok);
    const messages = (given: object) => routeIssues(given, makeDefaultSteps()).map(({ message }) => message);
    expect(messages(router)).toEqual([
      'authentication is declared, but this application has no step for it. Mount the router in a service, or pass a step for "authentication" to mountRoutes.',
      "rateLimt: Unknown key. Did you mean rateLimit?",
    ]);
    expect(messages(ServiceRouter().get({ path: "/a" }, ok))).toEqual([]);
  });
});

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

describe("the startup check", () => {
  it("C54 rejects the same method and path twice and names both places", () => {
    const one = ServiceRouter().get({ path: "/users/:id" }, ok);
    const two = ServiceRouter().get({ path: "/Users/:name/" }, ok).post({ path: "/users/:id" }, ok);
    const error = (() => {
      try {
        serve((app) => app.use("/api", one).use("/api", two));
      } catch (thrown) {
        return thrown as StartupError;
      }
      return undefined;
    })();
    expect(error).toBeInstanceOf(StartupError);
    expect(error?.issues).toHaveLength(1);
    expect(error?.message).toMatch(/GET \/api\/Users\/:name\/ \(.*test\.ts:\d+\): .*test\.ts:\d+ as GET \/users\/:id/);
  });

  it("C54 distinguishes what a router distinguishes", () => {
    const exact = ServiceRouter({ caseSensitive: true, strict: true });
    exact.get({ path: "/a" }, ok).get({ path: "/A" }, ok).get({ path: "/a/" }, ok).post({ path: "/a" }, ok);
    const other = ServiceRouter().get({ path: "/a" }, ok).get({ path: "/:x" }, ok).get({ path: "/*x" }, ok);
    expect(issuesOf(() => serve((app) => app.use("/1", exact).use("/2", other).use("/3", other)))).toEqual([]);
    exact.get({ path: "/a" }, ok);
    expect(issuesOf(() => serve((app) => app.use("/1", exact)))).toHaveLength(1);
  });

  it("reports all issues of all routes together", () => {
    const router = ServiceRouter();
    router.get({ path: "/a", validation: { boddy: {} }, compression: { level: 11 } } as never, ok);
    router.post({ path: "/b/:id", validation: { params: z.object({ di: z.string() }) } }, ok);
    const issues = issuesOf(() => serve((app) => app.use(router)));
    expect(issues).toEqual([
      "validation.boddy: Unknown key. Did you mean body?",
      "compression.level: found 11 (a number), expected an integer from -1 to 9.",
      'compression is declared, but this application has no step for it. Mount the router in a service, or pass a step for "compression" to mountRoutes.',
      "The path has :id, which is missing in validation.params.",
    ]);
  });

  it.each([
    ["/files/*", "/files/*splat"],
    ["*", "*splat"],
    ["/files/(.*)", "/files/*splat"],
    ["/users/:id?", "/users{/:id}"],
    ["/:file.:kind?", "/:file{.:kind}"],
    ["/users/:id(\\d+)", "/users/:id"],
    ["/users/:id(\\d+)?", "/users{/:id}"],
  ])("reports the Express 4 pattern %s with its place, and its new spelling %s", (path, meant) => {
    const output = new RegExp(
      `GET ${literally(path)} \\(.*declared-routes\\.test\\.ts:\\d+\\): .*Did you mean "${literally(meant)}"\\?`,
    );
    expect(() => ServiceRouter().get({ path }, ok)).toThrow(StartupError);
    expect(() => ServiceRouter().get({ path }, ok)).toThrow(output);
    expect(() => ServiceRouter().get(path, ok)).toThrow(output);
    expect(() => ServiceRouter().get(meant, ok)).not.toThrow();
  });

  it("reports a pattern without a new spelling", () => {
    expect(() => ServiceRouter().get({ path: "/a/(b|c)" }, ok)).toThrow(
      /Express 5 does not accept the path "\/a\/\(b\|c\)"\. Its error:/,
    );
  });

  it("includes the checks of the steps", () => {
    const picky: RouteStep = {
      key: "authentication",
      handlers: () => [],
      check: (value, route) => (value === true ? [{ where: route.path, message: "Nobody can sign in here." }] : []),
    };
    const mount = (app: express.Express) => app.use(ServiceRouter().get({ path: "/a", authentication: true }, ok));
    expect(issuesOf(() => serve(mount, { route: [picky] }))).toEqual(["Nobody can sign in here."]);
  });

  it("accepts the keys of other packages", async () => {
    const step: RouteStep = {
      key: "idempotency",
      handlers: (value) => [
        (_q, response, next) => {
          response.setHeader("x-idempotent", String(value));
          next();
        },
      ],
    };
    const mount = (app: express.Express) =>
      app.use(ServiceRouter().get({ path: "/a", idempotency: true, owner: "me" } as never, ok));
    expect(issuesOf(() => serve(mount, { route: [step] }))).toHaveLength(1);
    const app = serve(mount, { route: [step], servedElsewhere: ["owner"] });
    expect((await request(app).get("/a")).headers["x-idempotent"]).toBe("true");
  });
});

describe("bound routes", () => {
  const note = (key: string, trail: string[]): RouteStep => ({
    key,
    handlers: (value, route) => [
      (_request, _response, next) => {
        trail.push(`${key}:${JSON.stringify(value)}@${route?.path ?? "-"}`);
        next();
      },
    ],
  });

  it("run the global steps with the values of the first route, and again for another route if its values differ", async () => {
    const trail: string[] = [];
    const router = ServiceRouter();
    router.get({ path: "/a/:x", rateLimit: { windowMs: 1, max: 1 } }, (_request, _response, next) => next("route"));
    router.get({ path: "/a/b", compression: false }, (request, response) => {
      response.json(matchOf(request)?.template);
    });
    const app = serve((app) => app.use("/api", router), {
      global: [note("rateLimit", trail), note("compression", trail)],
      route: [note("validation", trail)],
    });
    expect((await request(app).get("/api/a/b")).body).toBe("/api/a/b");
    expect(trail).toEqual([
      'rateLimit:{"windowMs":1,"max":1}@/a/:x',
      "compression:undefined@/a/:x",
      "validation:undefined@/a/:x",
      "rateLimit:undefined@/a/b",
      "compression:false@/a/b",
      "validation:undefined@/a/b",
    ]);
    trail.length = 0;
    expect((await request(app).get("/nowhere")).status).toBe(404);
    expect(trail).toEqual(["rateLimit:undefined@-", "compression:undefined@-"]);
  });

  it("match again after a rewritten URL, and run the steps of the new route", async () => {
    const trail: string[] = [];
    const router = ServiceRouter();
    router.get({ path: "/new", rateLimit: { windowMs: 1, max: 1 } }, (request, response) => {
      response.json(matchOf(request)?.route?.path);
    });
    const app = serve((app) => app.use(router), {
      global: [note("rateLimit", trail), note("compression", trail)],
      before: (app) =>
        app.use((request, _response, next) => {
          request.url = request.url.replace("/old", "/new");
          next();
        }),
    });
    expect((await request(app).get("/old")).body).toBe("/new");
    expect(trail).toEqual([
      "rateLimit:undefined@-",
      "compression:undefined@-",
      'rateLimit:{"windowMs":1,"max":1}@/new',
    ]);
  });

  it("create the handlers of a route once, at its first request", async () => {
    let made = 0;
    const step: RouteStep = {
      key: "validation",
      handlers: () => {
        made++;
        return [];
      },
    };
    const app = serve((app) => app.use(ServiceRouter().get({ path: "/a" }, ok).get({ path: "/b" }, ok)), {
      route: [step],
    });
    expect(made).toBe(0);
    for (let index = 0; index < 3; index++) await request(app).get("/a");
    expect(made).toBe(1);
  });

  it("pass exceptions and rejections of a step to the error handler", async () => {
    const failing = (run: RequestHandler): RouteStep => ({ key: "x", handlers: () => [run, run] });
    const logged: unknown[] = [];
    for (const run of [
      () => {
        throw new Error("secret");
      },
      async () => {
        throw new Error("secret");
      },
      () => Promise.reject(),
      ((_request, _response, next) => next(new Error("secret"))) as RequestHandler,
    ]) {
      const app = serve((app) => app.use(ServiceRouter().get({ path: "/a" }, ok)), {
        route: [failing(run)],
        log: (error) => logged.push(error),
      });
      const reply = await request(app).get("/a");
      expect(reply.status).toBe(500);
      expect(reply.text).not.toContain("secret");
    }
    expect(logged).toHaveLength(4);
  });

  it("share nothing between two applications", async () => {
    const router = ServiceRouter().get({ path: "/a", rateLimit: { windowMs: 1, max: 1 } }, ok);
    const trails: string[][] = [[], []];
    const apps = trails.map((trail) =>
      serve((app) => app.use(router), { global: [note("rateLimit", trail)], route: [note("validation", trail)] }),
    );
    await request(apps[0] as express.Express).get("/a");
    expect(trails.map((trail) => trail.length)).toEqual([2, 0]);
    await request(apps[1] as express.Express).get("/a");
    expect(trails.map((trail) => trail.length)).toEqual([2, 2]);
  });

  it("have no match before the match handler", () => {
    expect(matchOf({} as never)).toBeUndefined();
  });
});

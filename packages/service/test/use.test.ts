import type { Server } from "node:http";
import { setImmediate } from "node:timers/promises";
import { StartupError } from "@servicekit/core";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import type { Usable } from "../src/config/service-config.js";
import { ServiceRouter } from "../src/index.js";
import { makeStarter } from "./start.js";

const { create, init, closeAll } = makeStarter();
afterEach(closeAll);

/** Sets a header when it runs. */
const passed =
  (name: string): RequestHandler =>
  (_req, res, next) => {
    res.append("X-Passed", name);
    next();
  };
const response =
  (text: string): RequestHandler =>
  (_req, res) =>
    void res.json({ data: text });
const passedBy = async (app: express.Express, path: string): Promise<unknown[]> => {
  const { headers, status, body } = await request(app).get(path);
  return [status, headers["x-passed"], body.data ?? body.code];
};

class Wrapper {
  constructor(readonly router: ServiceRouter) {}
  handle(...args: Parameters<RequestHandler>): void {
    this.router(...args);
  }
}

describe("C54 use accepts", () => {
  it("routers of every kind: ours, Express's, applications, plain objects and instances with a handle", async () => {
    const declared = ServiceRouter();
    declared.get({ path: "/declared" }, response("declared"));
    const constructed = new ServiceRouter();
    constructed.get({ path: "/constructed" }, response("constructed"));
    const routed = express.Router().get("/routed", response("routed"));
    const application = express().get("/application", response("application"));
    const plain = { handle: express.Router().get("/plain", response("plain")) };
    class Own {
      readonly text = "instance";
      handle(...[req, res, next]: Parameters<RequestHandler>): void {
        if (req.path === "/instance") response(this.text)(req, res, next);
        else next();
      }
    }
    const { app } = await create({ use: [plain, new Own(), application, routed, constructed, declared] });
    for (const name of ["declared", "constructed", "routed", "application", "plain", "instance"]) {
      expect(await passedBy(app, `/${name}`)).toEqual([200, undefined, name]);
    }
    expect((await request(app).get("/api")).status).toBe(200);
    expect((await request(app).get("/nothing")).body.code).toBe("NotFound");
  });

  it.each<[string, (router: ServiceRouter) => Usable, string]>([
    ["an object", (router) => ({ handle: router }), "an object with a handle"],
    ["an instance", (router) => new Wrapper(router), "an object with a handle"],
    ["an application", (router) => express().use(router), "an express() application"],
    [
      "a path of an application",
      (router) => express().use("/b", ServiceRouter().use(router)),
      "an express() application",
    ],
    [
      "an application in a router",
      (router) => ServiceRouter().use("/c", express().use(router)),
      "an express() application",
    ],
    ["an object with an application", (router) => ({ handle: express().use(router) }), "an object with a handle"],
  ])("C82 no router with a bodyParser inside of %s", async (_name, wrap, container) => {
    const router = ServiceRouter()
      .post({ path: "/small", bodyParser: [{ parser: "json", options: { limit: 20 } }] }, response("small"))
      .post({ path: "/raw", bodyParser: false }, response("raw"))
      .post({ path: "/usual" }, response("usual"));
    const started = create({ use: [wrap(router)] });
    await expect(started).rejects.toBeInstanceOf(StartupError);
    const { issues } = (await started.catch((error: unknown) => error)) as StartupError;
    expect(issues.map(({ where, message }) => [where.replace(/ \(.*/, ""), message])).toEqual(
      ["POST /small", "POST /raw"].map((name) => [
        name,
        `bodyParser cannot apply inside ${container}, because the body is read before the route is found. Pass the router itself, or mount it in another router.`,
      ]),
    );
  });

  it("C82 routers without a bodyParser in objects and applications, and those of configureApp", async () => {
    const usual = (path: string) => ServiceRouter().post({ path }, response(path));
    const raw = ServiceRouter().post({ path: "/raw", bodyParser: false }, response("raw"));
    const { app } = await create({
      use: [{ handle: usual("/one") }, express().use(usual("/two"))],
      configureApp: (made) => void made.use(express().use(raw)),
    });
    for (const path of ["/one", "/two", "/raw"]) expect((await request(app).post(path).send({})).status).toBe(200);
  });

  it("each kind in order, whatever is between them", async () => {
    const declared = ServiceRouter();
    declared.get({ path: "/one" }, response("first router"));
    const later = express.Router().get("/one", response("second router"));
    const failing = express.Router().get("/fail", () => {
      throw new TypeError("secret text");
    });
    const seen =
      (name: string): ErrorRequestHandler =>
      (error, _req, res, next) => {
        res.append("X-Passed", name);
        next(error);
      };
    const { app } = await create({
      use: [seen("e1"), declared, passed("h1"), failing, seen("e2"), later, passed("h2")],
      middlewares: { additional: [passed("a1"), passed("a2")] },
    });
    expect(await passedBy(app, "/one")).toEqual([200, "a1, a2, h1, h2", "first router"]);
    expect(await passedBy(app, "/fail")).toEqual([500, "a1, a2, h1, h2, e1, e2", "InternalServerError"]);
    expect(await passedBy(app, "/api")).toEqual([200, "a1, a2, h1, h2", undefined]);
  });

  it("routers after the built-in ones, those of routers.additional after those of use", async () => {
    const mine = express.Router().get("/api", response("mine")).get("/two", response("use"));
    const additional = express.Router().get("/two", response("additional")).get("/three", response("additional"));
    const { app } = await create({ use: [mine], routers: { additional: [additional] } });
    expect((await request(app).get("/api")).body).toHaveProperty("message");
    expect(await passedBy(app, "/two")).toEqual([200, undefined, "use"]);
    expect(await passedBy(app, "/three")).toEqual([200, undefined, "additional"]);
  });

  it("an error handler that responds before ours", async () => {
    const onError: ErrorRequestHandler = (error, _req, res, _next) => void res.status(418).json({ code: error.code });
    const { app } = await create({ use: [onError] });
    expect(await passedBy(app, "/nothing")).toEqual([418, undefined, "NotFound"]);
  });

  it("a declared route once: a second one prevents startup, in use, additional and the built-in routers", async () => {
    const declare = (path: string) => {
      const router = ServiceRouter();
      router.get({ path }, response("mine"));
      return router;
    };
    await expect(create({ use: [declare("/a")], routers: { additional: [declare("/a")] } })).rejects.toThrow(
      /use\.test\.ts:\d+[\s\S]*use\.test\.ts:\d+/,
    );
    await expect(create({ use: [declare("/api")] })).rejects.toThrow(/use\.test\.ts:\d+[\s\S]*the welcome endpoint/);
    await expect(create({ use: [declare("/api/health/live")] })).rejects.toThrow(/the health routes/);
    const disable = ["welcomeEndpoint", "health"];
    const { app } = await create({ use: [declare("/api"), declare("/api/health/live")], routers: { disable } });
    expect(await passedBy(app, "/api")).toEqual([200, undefined, "mine"]);
  });
});

describe("C51 a replaced router", () => {
  it("responds in place of the built-in one: a handler, a router or a plain object", async () => {
    const router = express.Router().get("/", response("router")).get("/health/live", response("router"));
    for (const replacement of [router, { handle: router }]) {
      const { app } = await create({ routers: { replace: { welcomeEndpoint: replacement, health: replacement } } });
      expect(await passedBy(app, "/api")).toEqual([200, undefined, "router"]);
      expect(await passedBy(app, "/api/health/live")).toEqual([200, undefined, "router"]);
    }
  });

  it("for the welcome endpoint, a single handler, responds there only", async () => {
    const { app } = await create({ routers: { replace: { "welcome-endpoint": response("welcome") } } });
    expect(await passedBy(app, "/api")).toEqual([200, undefined, "welcome"]);
    expect((await request(app).get("/api/health/live")).body).toEqual({ status: "live" });
    expect((await request(app).get("/api/nothing")).status).toBe(404);
  });

  it("C51 is mounted in place of the built-in one, including configured paths", async () => {
    const names = ["authRouter", "modelRouter", "availableRoutes", "availableResources", "authActions"];
    const replace = Object.fromEntries(
      [...names, "fileUploader", "apiDocs"].map((name) => [name, express.Router().get(`/${name}`, response(name))]),
    );
    const { app } = await create({ routers: { replace }, fileUpload: { baseRoute: "/files" } });
    for (const name of names) expect(await passedBy(app, `/api/${name}`)).toEqual([200, undefined, name]);
    expect(await passedBy(app, "/files/fileUploader")).toEqual([200, undefined, "fileUploader"]);
    expect(await passedBy(app, "/api/api-docs/apiDocs")).toEqual([200, undefined, "apiDocs"]);
  });
});

describe("C54 configureApp and configureServer", () => {
  it.each([
    ["synchronously", () => undefined],
    ["after a while", () => setImmediate()],
  ])("run %s before anything is mounted, and before it listens", async (_title, pause) => {
    const seen: unknown[] = [];
    const { url } = await init({
      configureApp: async (app) => {
        await pause();
        seen.push(app.router.stack.length);
        app.set("json spaces", 2);
        app.use("/first", response("first"));
      },
      configureServer: async (server: Server) => {
        await pause();
        seen.push(server.listening);
        server.keepAliveTimeout = 1234;
      },
    });
    expect(seen).toEqual([0, false]);
    expect(await (await fetch(`${url}/first`)).text()).toBe('{\n  "data": "first"\n}');
    expect((await fetch(`${url}/first`)).headers.get("keep-alive")).toBe("timeout=1");
  });

  it.each(["configureApp", "configureServer"])("prevent startup with their own error: %s", async (name) => {
    const fail = () => {
      throw new RangeError("mine");
    };
    await expect(create({ [name]: fail })).rejects.toThrow(new RangeError("mine"));
    await expect(init({ [name]: async () => fail() })).rejects.toThrow(new RangeError("mine"));
  });
});

it("isolates two services in one process with different settings", async () => {
  const router = ServiceRouter();
  router.post({ path: "/echo" }, (req, res) => void res.json({ data: req.body }));
  router.get({ path: "/limited", rateLimit: { windowMs: 60_000, max: 1 } }, response("limited"));
  const open = await init({ use: [router], welcomeMessage: "open", middlewares: { cors: { allowedOrigins: ["*"] } } });
  const closed = await init({
    use: [router],
    routers: { welcomeRoute: false },
    jsonBodyParserOptions: { limit: 10 },
    globalRequestRateLimitOptions: { limit: 5 },
    trustProxy: true,
  });
  const post = (url: string) =>
    fetch(`${url}/echo`, { method: "POST", headers: { "content-type": "application/json" }, body: '{"long":"text"}' });
  const [one, two] = await Promise.all([post(open.url), post(closed.url)]);
  expect([one.status, two.status]).toEqual([200, 413]);
  expect([one.headers.get("ratelimit-limit"), two.headers.get("ratelimit-limit")]).toEqual(["300", "5"]);
  expect([one.headers.get("access-control-allow-origin"), two.headers.get("access-control-allow-origin")]).toEqual([
    "*",
    null,
  ]);
  expect([(await fetch(`${open.url}/api`)).status, (await fetch(`${closed.url}/api`)).status]).toEqual([200, 404]);
  // One router, two counters.
  const limited = async (url: string) => (await fetch(`${url}/limited`)).status;
  expect([await limited(open.url), await limited(closed.url), await limited(open.url)]).toEqual([200, 200, 429]);
  expect([open.app.get("trust proxy"), closed.app.get("trust proxy")]).toEqual([false, true]);
  await closed.close();
  expect((await fetch(`${open.url}/api`)).status).toBe(200);
});

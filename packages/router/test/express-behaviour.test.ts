import { setImmediate } from "node:timers/promises";
import express, { type IRouter, type RequestHandler, Router, type RouterOptions } from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { ServiceRouter } from "../src/index.js";

type Make = (options?: RouterOptions) => IRouter;

const kinds: [string, Make][] = [
  ["Express's router", Router],
  ["ServiceRouter", ServiceRouter],
];

const send =
  (text: string): RequestHandler =>
  (_request, response) => {
    response.send(text);
  };
const pass: RequestHandler = (_request, _response, next) => next();
const params: RequestHandler = (request, response) => {
  response.json(request.params);
};

/** The response to each request: the text, or status and text. */
async function responses(router: IRouter, cases: Readonly<Record<string, string | number>>) {
  const app = express();
  app.set("env", "test");
  app.use(router);
  app.use(((error: Error, _request, response, _next) => {
    response.status(500).send(`error ${error.message}`);
  }) as express.ErrorRequestHandler);
  const seen: Record<string, string | number> = {};
  for (const [line, expected] of Object.entries(cases)) {
    const [method = "GET", url = "/"] = line.split(" ");
    const reply = await request(app)[method.toLowerCase() as "get"](url);
    seen[line] = typeof expected === "number" ? reply.status : reply.text;
  }
  expect(seen).toEqual(cases);
}

describe.each(kinds)("%s", (_name, make) => {
  it("is a function that can be called with new", () => {
    const made = new (make as unknown as new () => IRouter)();
    expect(typeof made).toBe("function");
    expect(made.stack.length).toBe(make().stack.length);
  });

  it("rejects an invalid handler", () => {
    expect(() => make().use("/x", undefined as never)).toThrow(TypeError);
    expect(() => make().get("/x", {} as never)).toThrow(TypeError);
    expect(() => make().get("/x")).toThrow(TypeError);
    expect(() => make().get("/:x/*", pass)).toThrow(/Missing parameter name/);
  });

  it("decodes the parameters of a path", async () => {
    const router = make();
    router.get("/a/:x", params).get("/b/:x-:y", params).get("/c/*rest", params).get("/d{/:x}/e", params);
    router.get(/^\/f\/(\d+)(?:\/(?<named>\w+))?$/, params);
    await responses(router, {
      "GET /a/1": '{"x":"1"}',
      "GET /a/a%2Fb%20c": '{"x":"a/b c"}',
      "GET /a/%zz": "error Failed to decode param '%zz'",
      "GET /b/1-2": '{"x":"1","y":"2"}',
      "GET /c/1/2/3": '{"rest":["1","2","3"]}',
      "GET /d/e": "{}",
      "GET /d/1/e": '{"x":"1"}',
      "GET /f/12": '{"0":"12"}',
      "GET /f/12/ab": '{"0":"12","named":"ab"}',
      "GET /f/x": 404,
    });
  });

  it("tries routes in the order of registration", async () => {
    const router = make();
    router.get("/a/:x", (request, response, next) => (request.params.x === "2" ? next() : response.send("any")));
    router.get("/a/1", send("never")).get("/a/2", send("two")).all("/a/*rest", send("rest"));
    await responses(router, { "GET /a/1": "any", "GET /a/2": "two", "POST /a/1": "rest", "GET /a/2/3": "rest" });
  });

  it("leaves a route by next('route') and a router by next('router')", async () => {
    const inner = make();
    inner.use((request, _response, next) => (request.query.out ? next("router") : next()));
    inner.get("/a", (request, _response, next) => (request.query.skip ? next("route") : next()), send("first"));
    inner.get("/a", send("second"));
    const router = make();
    router.use("/in", inner);
    router.get("/in/a", send("outside"));
    await responses(router, { "GET /in/a": "first", "GET /in/a?skip=1": "second", "GET /in/a?out=1": "outside" });
  });

  it("strips the mount path and restores it", async () => {
    const urls: string[] = [];
    const note: RequestHandler = (request, _response, next) => {
      urls.push(`${request.baseUrl}|${request.url}|${request.originalUrl}`);
      next();
    };
    const inner = make();
    inner.use("/b", note);
    const router = make();
    router.use("/a", note, inner, note).use(note);
    await responses(router, { "GET /a/b/c?d=1": 404 });
    expect(urls).toEqual([
      "/a|/b/c?d=1|/a/b/c?d=1",
      "/a/b|/c?d=1|/a/b/c?d=1",
      "/a|/b/c?d=1|/a/b/c?d=1",
      "|/a/b/c?d=1|/a/b/c?d=1",
    ]);
  });

  it("mounts at complete segments, at parameters, lists and patterns", async () => {
    const router = make();
    router
      .use("/a", send("a"))
      .use("/p/:x", params)
      .use(["/l1", "/l2"], send("list"))
      .use(/^\/r\d/, send("pattern"));
    await responses(router, {
      "GET /a": "a",
      "GET /A/": "a",
      "GET /a/b": "a",
      "GET /ab": 404,
      "GET /p/1/2": '{"x":"1"}',
      "GET /l2/x": "list",
      "GET /r1/x": "pattern",
      "GET /rx": 404,
    });
  });

  it("merges the parameters of parent routers only with mergeParams", async () => {
    const merged = make({ mergeParams: true });
    merged.get("/b/:y", params);
    const own = make();
    own.get("/c/:y", params);
    const router = make();
    router.use("/a/:x", merged, own);
    await responses(router, { "GET /a/1/b/2": '{"x":"1","y":"2"}', "GET /a/1/c/2": '{"y":"2"}' });
  });

  it("follows caseSensitive and strict", async () => {
    const loose = make();
    loose.get("/Case/:x", params);
    await responses(loose, { "GET /cASE/X": '{"x":"X"}', "GET /case/x/": '{"x":"x"}', "GET /case/x//": 404 });
    const exact = make({ caseSensitive: true, strict: true });
    exact.get("/Case", send("case")).get("/slash/", send("slash"));
    await responses(exact, {
      "GET /Case": "case",
      "GET /case": 404,
      "GET /Case/": 404,
      "GET /slash/": "slash",
      "GET /slash": 404,
    });
  });

  it("runs param callbacks once for each value", async () => {
    const calls: string[] = [];
    const router = make();
    router.param("x", (_request, _response, next, value: string, name: string) => {
      calls.push(`${name}=${value}`);
      if (value === "bad") next(new Error("bad x"));
      else if (value === "skip") next("route");
      else next();
    });
    router.get("/a/:x", pass).get("/a/:x", params).get("/*rest", send("rest"));
    await responses(router, { "GET /a/1": '{"x":"1"}', "GET /a/bad": "error bad x", "GET /a/skip": "rest" });
    expect(calls).toEqual(["x=1", "x=bad", "x=skip"]);
  });

  it("accepts nested lists of handlers", async () => {
    const router = make();
    // Express flattens at any depth; its types have one level.
    const nested = [pass, [pass, [pass]]] as unknown as RequestHandler[];
    router.get("/a", nested, [send("deep")]).use(nested, [send("end")]);
    await responses(router, { "GET /a": "deep", "GET /b": "end" });
  });

  it("passes errors to the next error handler, from throws, next and rejections", async () => {
    const router = make();
    router.get("/throw", () => {
      throw new Error("thrown");
    });
    router.get("/next", (_request, _response, next) => next(new Error("given")));
    router.get("/reject", async () => {
      throw new Error("rejected");
    });
    router.get("/nothing", () => Promise.reject());
    router.get("/route", pass, ((error, _request, response, _next) => {
      response.send(`own ${error.message}`);
    }) as express.ErrorRequestHandler);
    router.use("/next", ((error, _request, response, _next) => {
      response.send(`mounted ${error.message}`);
    }) as express.ErrorRequestHandler);
    router.get(["/throw", "/next", "/reject"], send("never"));
    await responses(router, {
      "GET /throw": "error thrown",
      "GET /next": "mounted given",
      "GET /reject": "error rejected",
      "GET /nothing": "error Rejected promise",
      "GET /route": 404,
    });
  });

  it("recovers when an error handler calls next without an error", async () => {
    const router = make();
    router.use("/a", () => {
      throw new Error("first");
    });
    router.use(((_error, _request, _response, next) => next()) as express.ErrorRequestHandler);
    router.get("/a", send("recovered"));
    await responses(router, { "GET /a": "recovered" });
  });

  it("handles HEAD with GET, and OPTIONS with the methods of the matching routes", async () => {
    const router = make();
    router.get("/a", send("body")).post("/a", send("posted")).delete("/:x", send("deleted"));
    router.options("/own", send("own"));
    await responses(router, {
      "HEAD /a": 200,
      "HEAD /b": 404,
      "OPTIONS /a": "DELETE, GET, HEAD, POST",
      "OPTIONS /own": "own",
      "OPTIONS /a/b": 404,
    });
  });

  it("supports several methods of one route, also those added later", async () => {
    const router = make();
    const route = router.route("/a").all(pass).get(send("got"));
    await responses(router, { "GET /a": "got", "PUT /a": 404 });
    route.put(send("put"));
    await responses(router, { "GET /a": "got", "PUT /a": "put" });
  });

  it("matches routes that are added after the first request", async () => {
    const router = make();
    router.get("/a", send("a"));
    await responses(router, { "GET /a": "a", "GET /b": 404 });
    router.get("/b", send("b")).use("/c", send("c"));
    await responses(router, { "GET /b": "b", "GET /c/d": "c" });
  });

  it("follows a rewritten URL to routes that come later, never to earlier ones", async () => {
    const router = make();
    router.get("/new", send("too early"));
    router.get("/plain", send("plain"));
    router.use((request, _response, next) => {
      if (request.url.startsWith("/old")) request.url = request.url.replace("/old", "/new");
      next();
    });
    router.get("/between", send("between"));
    router.get("/old", send("never"));
    router.get("/new", (request, _response, next) => {
      request.url = "/third/3";
      next();
    });
    router.get("/third/:x", params);
    await responses(router, {
      "GET /new": "too early",
      "GET /old": '{"x":"3"}',
      "GET /between": "between",
      "GET /plain": "plain",
    });
  });

  it("follows a rewritten method", async () => {
    const router = make();
    router.use((request, _response, next) => {
      request.method = "PUT";
      next();
    });
    router.post("/a", send("post")).get("/b", send("get")).put("/a", send("put"));
    await responses(router, { "POST /a": "put", "GET /b": 404 });
  });

  it("follows a URL rewritten inside a mounted router", async () => {
    const router = make();
    const inner = make();
    inner.use((request, _response, next) => {
      request.url = "/other";
      next();
    });
    router.use("/a", inner);
    router.get("/a/first", send("first")).get("/a/other", send("other"));
    await responses(router, { "GET /a/first": "other" });
  });

  it("handles hundreds of synchronous handlers", async () => {
    const router = make();
    let calls = 0;
    for (let index = 0; index < 6000; index++) {
      router.use((_request, _response, next) => {
        calls++;
        next();
      });
    }
    for (let index = 0; index < 3000; index++) router.get("/a", pass);
    router.get("/a", ...Array.from({ length: 3000 }, () => pass), send("end"));
    await responses(router, { "GET /a": "end" });
    expect(calls).toBe(6000);
  });

  it("isolates concurrent requests", async () => {
    const router = make();
    router.use("/:x", async (request, _response, next) => {
      await setImmediate();
      request.url = `/moved/${request.params.x}`;
      next();
    });
    router.get("/:x/moved/:y", params);
    const app = express().use(router);
    const texts = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        request(app)
          .get(`/${index}/q`)
          .then(({ text }) => text),
      ),
    );
    expect(texts).toEqual(texts.map((_, index) => `{"x":"${index}","y":"${index}"}`));
  });

  it("sets request.route and request.baseUrl", async () => {
    const inner = make();
    inner.get("/b/:x", (request, response) => {
      response.json([request.route.path, request.baseUrl]);
    });
    const router = make();
    router.use("/a", inner);
    await responses(router, { "GET /a/b/1": '["/b/:x","/a"]' });
  });

  it("accepts absolute-form targets", async () => {
    const router = make();
    router.get("/a/:x", params);
    const seen = await new Promise((resolve) => {
      const fake = { method: "GET", url: "http://host.example/a/1?q" } as never;
      router(fake, { json: resolve } as never, resolve as never);
    });
    expect(seen).toEqual({ x: "1" });
  });
});

it("is an instance of itself, with Express's prototype in its chain", () => {
  expect(ServiceRouter()).toBeInstanceOf(ServiceRouter);
  expect(new ServiceRouter()).toBeInstanceOf(Router);
  expect(Router()).not.toBeInstanceOf(ServiceRouter);
});

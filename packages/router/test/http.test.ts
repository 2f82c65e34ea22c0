import express, { type RequestHandler, Router } from "express";
import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import { makeApp, makeCompressionStep, makeServer, ServiceRouter, sendJson } from "../src/index.js";
import { sendJsonBytes, toJsonText } from "../src/internal.js";
import { makeListener, raw } from "./listen.js";
import { serve } from "./serve.js";

const ok: RequestHandler = (_request, response) => {
  response.json({ ok: true });
};

const { listen, closeAll } = makeListener();
afterEach(closeAll);

describe("methods and paths", () => {
  const app = serve((app) => {
    const router = ServiceRouter();
    router.get({ path: "/users/:id" }, ok).patch({ path: "/users/:id" }, ok);
    router.get(
      { path: "/csv", experimental: { openapi: { responses: { 200: { content: { "text/csv": { schema: {} } } } } } } },
      (_request, response) => {
        response.type("csv").send("a,b");
      },
    );
    router.get("/plain", (_request, response) => {
      response.send("plain");
    });
    router.options("/own", (_request, response) => {
      response.send("own");
    });
    app.use("/api", router);
  });

  it("C5 handles HEAD if there is GET", async () => {
    const reply = await request(app).head("/api/users/1");
    expect([reply.status, reply.text, reply.headers["content-length"]]).toEqual([200, undefined, "11"]);
    expect((await request(app).head("/api/nowhere")).status).toBe(404);
  });

  it("C5 handles OPTIONS with Allow", async () => {
    const reply = await request(app).options("/api/users/1");
    expect([reply.status, reply.headers.allow, reply.text]).toEqual([204, "GET, HEAD, PATCH", ""]);
    expect((await request(app).options("/api/own")).text).toBe("own");
    expect((await request(app).options("/api/nowhere")).status).toBe(404);
  });

  it("C5 returns 405 with Allow for another method, and 404 for an unknown path", async () => {
    const reply = await request(app).delete("/api/users/1");
    expect([reply.status, reply.headers.allow]).toEqual([405, "GET, HEAD, PATCH"]);
    expect(reply.headers["content-type"]).toBe("application/problem+json");
    expect(reply.body).toMatchObject({ code: "MethodNotAllowed", status: 405, instance: "/api/users/1" });
    expect((await request(app).trace("/api/users/1")).status).toBe(405);
    expect((await request(app).get("/api//users/1?a=b")).body).toMatchObject({
      code: "NotFound",
      instance: "/api//users/1",
    });
  });

  it("C5 rejects an Accept without JSON, on declared routes only", async () => {
    const status = async (path: string, accept: string) => (await request(app).get(path).set("accept", accept)).status;
    expect(await status("/api/users/1", "text/html")).toBe(406);
    expect(await status("/api/users/1", "application/json;q=0")).toBe(406);
    expect(await status("/api/users/1", "text/html, application/*;q=0.1")).toBe(200);
    expect(await status("/api/users/1", "application/problem+json, text/html")).toBe(200);
    expect(await status("/api/users/1", "application/json; charset=utf-8")).toBe(200);
    expect(await status("/api/users/1", "text/html, application/json;odata=verbose; q=0.5")).toBe(200);
    expect(await status("/api/users/1", "application/json; charset=utf-8; q=0")).toBe(406);
    expect(await status("/api/csv", 'text/csv; header=present; note="a, b; c"')).toBe(200);
    expect(await status("/api/plain", "text/html")).toBe(200);
    expect(await status("/api/csv", "text/csv")).toBe(200);
    expect(await status("/api/csv", "image/png")).toBe(406);
  });

  it("C20 rejects a URL over 8 KiB", async () => {
    const reply = await request(app).get(`/api/users/1?a=${"x".repeat(8192)}`);
    expect([reply.status, reply.body.code]).toEqual([414, "UriTooLong"]);
  });

  it("returns 400 for an invalid percent encoding", async () => {
    for (const path of ["/api/users/%zz", "/api/users/%", "/api/users/%ff"]) {
      const reply = await request(app).get(path);
      expect([reply.status, reply.body.code]).toEqual([400, "BadRequest"]);
      expect(reply.text).not.toContain("decode");
    }
  });
});

describe("sendJson", () => {
  it("sends a value or JSON text, with type and length", async () => {
    const app = express();
    app.get("/value", (_request, response) => sendJson(response, 201, { a: "ä" }));
    app.get("/text", (_request, response) => sendJson(response, 200, '{"ready":true}'));
    const value = await request(app).get("/value");
    expect([value.status, value.headers["content-type"], value.headers["content-length"], value.body]).toEqual([
      201,
      "application/json; charset=utf-8",
      "10",
      { a: "ä" },
    ]);
    expect((await request(app).get("/text")).body).toEqual({ ready: true });
    const head = await request(app).head("/text");
    expect([head.status, head.headers["content-length"], head.text]).toEqual([200, "14", undefined]);
  });

  it("is compressed like any other response", async () => {
    const app = serve(
      (app) =>
        app.use(
          ServiceRouter().get({ path: "/a" }, (_request, response) => sendJson(response, 200, { a: "x".repeat(3000) })),
        ),
      { global: [makeCompressionStep()] },
    );
    const reply = await request(app).get("/a").set("accept-encoding", "gzip");
    expect([reply.headers["content-encoding"], reply.body.a.length]).toEqual(["gzip", 3000]);
    // That of the compressed bytes.
    expect(Number(reply.headers["content-length"])).toBeLessThan(100);
  });

  it("C4 writes a BigInt as a string", () => {
    expect(toJsonText({ a: 2n ** 64n, b: [1n] })).toBe('{"a":"18446744073709551616","b":["1"]}');
    expect(toJsonText(undefined)).toBe("null");
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(() => toJsonText(circular)).toThrow(TypeError);
  });
});

describe("sendJsonBytes", () => {
  // Longer than what a socket or a stream accepts in one write, also compressed.
  const rows = Array.from({ length: 4000 }, (_, index) => `row ${index} `.repeat(8));
  const pieces = ['{"data":', JSON.stringify(rows), ',"meta":"é"}'].map((text) => Buffer.from(text));
  const app = serve(
    (app) => app.use(ServiceRouter().get({ path: "/a" }, (_request, response) => sendJsonBytes(response, 200, pieces))),
    { global: [makeCompressionStep()] },
  );

  it("sends bytes in pieces as one response, with type and length, compressed or plain", async () => {
    const complete = { data: rows, meta: "é" };
    const plain = await request(app).get("/a").set("accept-encoding", "identity");
    expect(plain.body).toEqual(complete);
    expect([plain.status, plain.headers["content-type"], plain.headers["content-length"]]).toEqual([
      ...[200, "application/json; charset=utf-8"],
      String(Buffer.concat(pieces).length),
    ]);
    for (const coding of ["gzip", "br"]) {
      const reply = await request(app).get("/a").set("accept-encoding", coding);
      expect([reply.headers["content-encoding"], reply.body]).toEqual([coding, complete]);
    }
    const head = await request(app).head("/a").set("accept-encoding", "identity");
    expect([head.status, head.headers["content-length"], head.text]).toEqual([
      ...[200, plain.headers["content-length"]],
      undefined,
    ]);
  });
});

describe("makeApp", () => {
  it("takes the settings of Express's router until its first route, and sends no X-Powered-By", async () => {
    const app = makeApp();
    app.enable("case sensitive routing");
    app.get("/Case", ok);
    const reply = await request(app).get("/Case");
    expect(reply.headers["x-powered-by"]).toBeUndefined();
    expect((await request(app).get("/case")).status).toBe(404);
  });

  it("allows assigning request.query, for one request only", async () => {
    const app = makeApp();
    app.get("/a", (request, response) => {
      const before = request.query;
      request.query = { own: "1" };
      response.json([before, request.query]);
    });
    expect((await request(app).get("/a?x=1")).body).toEqual([{ x: "1" }, { own: "1" }]);
    expect((await request(app).get("/a?x=2")).body).toEqual([{ x: "2" }, { own: "1" }]);
  });

  it("mounts other applications", async () => {
    const inner = express();
    inner.get("/b", (request, response) => {
      response.json([request.baseUrl, request.app === inner, request.query]);
    });
    const app = makeApp().use("/a", inner).use("/r", Router().get("/x", ok));
    app.get("/after", (request, response) => {
      response.json(request.app === app);
    });
    expect((await request(app).get("/a/b?q=1")).body).toEqual(["/a", true, { q: "1" }]);
    expect((await request(app).get("/after")).body).toBe(true);
  });
});

describe("makeServer", () => {
  const app = makeApp();
  app.get("/a/:x", (request, response) => {
    response
      .cookie("c", "1")
      .status(201)
      .json({
        params: request.params,
        query: request.query,
        ip: request.ip,
        host: request.hostname,
        is: request.accepts("json"),
        fresh: request.fresh,
        complete: request.complete,
        classes: [request instanceof Object.getPrototypeOf(request).constructor, response.headersSent],
      });
  });
  app.post("/echo", express.text({ type: () => true }), (request, response) => {
    response.type("text").send(request.body);
  });
  app.get("/stream", (_request, response) => {
    response.write("one ");
    setImmediate(() => response.end("two"));
  });
  app.get("/fail", () => {
    throw new Error("x");
  });
  app.set("env", "test");

  it("responds the same with its own messages and with Node's", async () => {
    const [own, nodes] = await Promise.all([listen(app, { ownMessages: true }), listen(app, { ownMessages: false })]);
    const call = async (port: number, method: string, path: string, body?: string) => {
      const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        ...(body === undefined ? {} : { body }),
      });
      const headers = Object.fromEntries(reply.headers);
      return [reply.status, { ...headers, date: "" }, (await reply.text()).replaceAll(String(port), "port")];
    };
    for (const [method, path, body] of [
      ["GET", "/a/1?b=2"],
      ["HEAD", "/a/1"],
      ["POST", "/echo", "text"],
      ["GET", "/stream"],
      ["GET", "/fail"],
      ["GET", "/nowhere"],
      ["OPTIONS", "/a/1"],
    ] as const) {
      expect(await call(own, method, path, body)).toEqual(await call(nodes, method, path, body));
    }
  });

  it("creates the messages with the application's prototypes", async () => {
    const seen: boolean[] = [];
    const own = makeApp();
    const server = makeServer(own, { ownMessages: true });
    server.prependListener("request", (request, response) => {
      seen.push(Object.getPrototypeOf(request) === own.request, Object.getPrototypeOf(response) === own.response);
    });
    own.get("/", ok);
    await request(server).get("/");
    expect(seen).toEqual([true, true]);
  });

  it("C43 limits the time of headers and requests by default", () => {
    const server = makeServer(app);
    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 30_000]);
    const other = makeServer(app, { headersTimeout: 1000, requestTimeout: 2000, keepAliveTimeout: 3 });
    expect([other.headersTimeout, other.requestTimeout, other.keepAliveTimeout]).toEqual([1000, 2000, 3]);
  });

  it("handles pipelined and keep-alive requests", async () => {
    const port = await listen(app);
    const reply = await raw(
      port,
      "GET /a/1 HTTP/1.1\r\nHost: x\r\n\r\nGET /a/2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    expect(reply.match(/HTTP\/1\.1 201/g)).toHaveLength(2);
  });
});

describe("C16 the tag of a compressed response", () => {
  const tagged = (tag: string) =>
    serve(
      (app) => {
        app.get("/long", (_request, response) => {
          response.setHeader("ETag", tag);
          sendJson(response, 200, { text: "x".repeat(3000) });
        });
      },
      { global: [makeCompressionStep()] },
    );

  it.each([
    ['"abc"', "gzip", '"abc-gzip"'],
    ['"abc"', "br", '"abc-br"'],
    ['"abc"', "identity", '"abc"'],
    ['W/"abc"', "gzip", 'W/"abc"'],
  ])("%s as %s is %s", async (tag, coding, expected) => {
    const { headers, body } = await request(tagged(tag)).get("/long").set("Accept-Encoding", coding);
    expect([headers.etag, body.text.length]).toEqual([expected, 3000]);
  });
});

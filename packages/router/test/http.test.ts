import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { httpErrors } from "@servicekit/errors";
import express, { type RequestHandler, Router } from "express";
import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import {
  makeApp,
  makeCompressionStep,
  makeErrorHandler,
  makeServer,
  ServiceRouter,
  sendJson,
  toJsonText,
} from "../src/index.js";
import { serve } from "./serve.js";

const ok: RequestHandler = (_request, response) => {
  response.json({ ok: true });
};

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

async function listen(app: express.Express, options?: Parameters<typeof makeServer>[1]): Promise<number> {
  const server = makeServer(app, options);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return (server.address() as AddressInfo).port;
}

/** Sends raw text and reads until the other side closes or `until` came. */
function raw(port: number, text: string, until = "never"): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
      if (answer.includes(until)) socket.destroy();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", () => resolve(answer));
  });
}

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

  it("C5 answers HEAD where GET is", async () => {
    const answer = await request(app).head("/api/users/1");
    expect([answer.status, answer.text, answer.headers["content-length"]]).toEqual([200, undefined, "11"]);
    expect((await request(app).head("/api/nowhere")).status).toBe(404);
  });

  it("C5 answers OPTIONS with Allow", async () => {
    const answer = await request(app).options("/api/users/1");
    expect([answer.status, answer.headers.allow, answer.text]).toEqual([204, "GET, HEAD, PATCH", ""]);
    expect((await request(app).options("/api/own")).text).toBe("own");
    expect((await request(app).options("/api/nowhere")).status).toBe(404);
  });

  it("C5 answers another method with 405 and Allow, an unknown path with 404", async () => {
    const answer = await request(app).delete("/api/users/1");
    expect([answer.status, answer.headers.allow]).toEqual([405, "GET, HEAD, PATCH"]);
    expect(answer.headers["content-type"]).toBe("application/problem+json");
    expect(answer.body).toMatchObject({ code: "MethodNotAllowed", status: 405, instance: "/api/users/1" });
    expect((await request(app).trace("/api/users/1")).status).toBe(405);
    expect((await request(app).get("/api//users/1?a=b")).body).toMatchObject({
      code: "NotFound",
      instance: "/api//users/1",
    });
  });

  it("C5 refuses an Accept without JSON, on declared routes only", async () => {
    const status = async (path: string, accept: string) => (await request(app).get(path).set("accept", accept)).status;
    expect(await status("/api/users/1", "text/html")).toBe(406);
    expect(await status("/api/users/1", "application/json;q=0")).toBe(406);
    expect(await status("/api/users/1", "text/html, application/*;q=0.1")).toBe(200);
    expect(await status("/api/users/1", "application/problem+json, text/html")).toBe(200);
    expect(await status("/api/plain", "text/html")).toBe(200);
    expect(await status("/api/csv", "text/csv")).toBe(200);
    expect(await status("/api/csv", "image/png")).toBe(406);
  });

  it("C20 refuses a URL over 8 KiB", async () => {
    const answer = await request(app).get(`/api/users/1?a=${"x".repeat(8192)}`);
    expect([answer.status, answer.body.code]).toEqual([414, "UriTooLong"]);
  });

  it("answers 400 to a percent code that cannot be read", async () => {
    for (const path of ["/api/users/%zz", "/api/users/%", "/api/users/%ff"]) {
      const answer = await request(app).get(path);
      expect([answer.status, answer.body.code]).toEqual([400, "BadRequest"]);
      expect(answer.text).not.toContain("decode");
    }
  });
});

describe("the error handler", () => {
  const failing = (handler: RequestHandler, log?: (error: unknown) => void) =>
    serve((app) => app.use(ServiceRouter().get({ path: "/a" }, handler)), log === undefined ? {} : { log });

  it("C3 shows nothing of a foreign error, and logs it", async () => {
    const logged: unknown[] = [];
    const error = new Error("select * from secrets");
    const app = failing(
      () => {
        throw error;
      },
      (given) => logged.push(given),
    );
    const answer = await request(app).get("/a");
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({
      type: "https://github.com/servicekit/servicekit/blob/main/docs/errors.md#internalservererror",
      title: "Internal Server Error",
      status: 500,
      detail: "Something went wrong on the server.",
      instance: "/a",
      code: "InternalServerError",
    });
    expect(logged).toEqual([error]);
  });

  it("C3 sends the headers of an HttpError and its request id", async () => {
    const app = makeApp();
    app.use((request, response, next) => {
      Object.assign(request, { id: "r-1" });
      response.setHeader("ETag", '"x"');
      response.setHeader("Content-Encoding", "gzip");
      response.setHeader("X-Kept", "1");
      next();
    });
    app.use(() => {
      throw httpErrors.ServiceUnavailable("the pool is empty", { headers: { "Retry-After": "3" } });
    });
    app.use(makeErrorHandler());
    const { status, headers, body } = await request(app).get("/a");
    expect([status, headers["retry-after"], headers["x-kept"], headers.etag, headers["content-encoding"]]).toEqual([
      503,
      "3",
      "1",
      undefined,
      undefined,
    ]);
    expect(body).toMatchObject({ requestId: "r-1", detail: "The service is not available at the moment." });
  });

  it("turns errors with a 4xx status into problems without their text", async () => {
    for (const [status, code] of [
      [404, "NotFound"],
      [413, "PayloadTooLarge"],
      [418, "BadRequest"],
    ] as const) {
      const app = failing(() => {
        throw Object.assign(new Error("/etc/passwd"), { status });
      });
      const answer = await request(app).get("/a");
      expect([answer.status, answer.body.code, answer.text.includes("passwd")]).toEqual([status, code, false]);
    }
  });

  it("survives whatever is thrown", async () => {
    for (const thrown of [
      "text",
      7,
      { a: 1 },
      Object.create(null),
      Symbol("x"),
      { status: "400x" },
      { status: 99 },
      { statusCode: 700 },
      new Proxy({}, {}),
    ]) {
      const app = failing((_request, _response, next) => next(thrown as Error));
      expect((await request(app).get("/a")).status).toBe(500);
    }
  });

  it("cuts the connection when the answer has begun, and logs once", async () => {
    const logged: unknown[] = [];
    const port = await listen(
      failing(
        (_request, response) => {
          response.write("begun");
          throw new Error("late");
        },
        (error) => logged.push(error),
      ),
    );
    const answer = await raw(port, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(answer).toContain("begun");
    expect(answer).not.toContain("problem");
    expect(logged).toHaveLength(1);
  });

  it.each([
    ["plain", ""],
    ["compressed", "Accept-Encoding: gzip\r\n"],
  ])(
    "sends a complete %s answer to its end although its handler throws afterwards, and logs that",
    async (_, header) => {
      const logged: unknown[] = [];
      const large = Buffer.alloc(
        20_000_000,
        Buffer.from(Array.from({ length: 9973 }, (_, at) => (at * at * 31) % 251)),
      );
      const send: RequestHandler = (_request, response) => {
        response.type("text/plain").send(large);
        throw new Error("late");
      };
      const app = serve((app) => app.use(ServiceRouter().get({ path: "/a" }, send)), {
        global: [makeCompressionStep({ level: 0 })],
        log: (error) => logged.push(error),
      });
      const port = await listen(app);
      const received = await new Promise<number>((resolve, reject) => {
        let bytes = 0;
        const socket = connect(port, "127.0.0.1");
        socket.write(`GET /a HTTP/1.1\r\nHost: x\r\n${header}Connection: close\r\n\r\n`);
        socket.on("data", (chunk) => {
          bytes += chunk.length;
        });
        socket.on("error", reject).on("close", () => resolve(bytes));
      });
      expect(received).toBeGreaterThan(20_000_000);
      expect(logged).toHaveLength(1);
    },
  );

  it("takes back what was set for the answer that did not come, a cookie above all", async () => {
    const names = ["set-cookie", "location", "link", "cache-control", "expires", "content-location", "last-modified"];
    const failed = async (cacheControl: string) => {
      const app = express();
      app.use((_request, response, next) => {
        for (const name of names) response.setHeader(name, "of=the-answer");
        response.setHeader("Cache-Control", cacheControl);
        response.setHeader("Vary", "Origin");
        next(new Error("after the cookie"));
      });
      app.use(makeErrorHandler());
      const { headers } = await request(app).get("/a");
      expect(headers.vary).toBe("Origin");
      return names.filter((name) => headers[name] !== undefined);
    };
    expect(await failed("public, max-age=600")).toEqual([]);
    expect(await failed("no-store")).toEqual(["cache-control"]);
    expect(await failed("private, no-cache")).toEqual(["cache-control"]);
  });

  it("logs what fails although the client has gone", async () => {
    const logged: unknown[] = [];
    const port = await listen(
      failing(
        async () => {
          await new Promise((resolve) => setTimeout(resolve, 60));
          throw new Error("a fault of ours");
        },
        (error) => logged.push(error),
      ),
    );
    await new Promise<void>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
        setTimeout(() => socket.destroy(), 10);
      });
      socket.on("close", () => setTimeout(resolve, 120));
    });
    expect(logged).toHaveLength(1);
  });

  it("says nothing to a client that has gone, and makes no noise", async () => {
    const logged: unknown[] = [];
    const app = serve((app) => app.use(ServiceRouter().post({ path: "/a" }, ok)), {
      log: (error) => logged.push(error),
    });
    const port = await listen(app);
    await new Promise<void>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.write(
          'POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":',
        );
        setTimeout(() => socket.destroy(), 20);
      });
      socket.on("close", () => setTimeout(resolve, 50));
    });
    expect(logged).toEqual([]);
    expect(
      (await raw(port, "POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 200"),
    ).toBe(true);
  });
});

describe("sendJson", () => {
  it("sends a value or ready text, with type and length", async () => {
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

  it("is compressed like any other answer", async () => {
    const app = serve(
      (app) =>
        app.use(
          ServiceRouter().get({ path: "/a" }, (_request, response) => sendJson(response, 200, { a: "x".repeat(3000) })),
        ),
      { global: [makeCompressionStep()] },
    );
    const answer = await request(app).get("/a").set("accept-encoding", "gzip");
    expect([answer.headers["content-encoding"], answer.body.a.length]).toEqual(["gzip", 3000]);
    // That of the compressed bytes.
    expect(Number(answer.headers["content-length"])).toBeLessThan(100);
  });

  it("C4 writes a BigInt as a string", () => {
    expect(toJsonText({ a: 2n ** 64n, b: [1n] })).toBe('{"a":"18446744073709551616","b":["1"]}');
    expect(toJsonText(undefined)).toBe("null");
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(() => toJsonText(circular)).toThrow(TypeError);
  });
});

describe("makeApp", () => {
  it("has a ServiceRouter of its own and no X-Powered-By", async () => {
    const app = makeApp();
    app.enable("case sensitive routing");
    app.get("/Case", ok);
    expect(app.router).toBeInstanceOf(ServiceRouter);
    const answer = await request(app).get("/Case");
    expect(answer.headers["x-powered-by"]).toBeUndefined();
    expect((await request(app).get("/case")).status).toBe(404);
  });

  it("lets request.query be assigned, for one request only", async () => {
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
    setTimeout(() => response.end("two"), 5);
  });
  app.get("/fail", () => {
    throw new Error("x");
  });
  app.set("env", "test");

  it("answers alike with its own messages and with Node's", async () => {
    const [own, nodes] = await Promise.all([listen(app, { ownMessages: true }), listen(app, { ownMessages: false })]);
    const ask = async (port: number, method: string, path: string, body?: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        ...(body === undefined ? {} : { body }),
      });
      const headers = Object.fromEntries(answer.headers);
      return [answer.status, { ...headers, date: "" }, (await answer.text()).replaceAll(String(port), "port")];
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
      expect(await ask(own, method, path, body)).toEqual(await ask(nodes, method, path, body));
    }
  });

  it("gives the messages the application's prototypes before Express does", async () => {
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

  it("C43 limits the time of headers and requests, unless told otherwise", () => {
    const server = makeServer(app);
    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 30_000]);
    const other = makeServer(app, { headersTimeout: 1000, requestTimeout: 2000, keepAliveTimeout: 3 });
    expect([other.headersTimeout, other.requestTimeout, other.keepAliveTimeout]).toEqual([1000, 2000, 3]);
  });

  it("handles pipelined and keep-alive requests", async () => {
    const port = await listen(app);
    const answer = await raw(
      port,
      "GET /a/1 HTTP/1.1\r\nHost: x\r\n\r\nGET /a/2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    expect(answer.match(/HTTP\/1\.1 201/g)).toHaveLength(2);
  });
});

describe("C16 the tag of a compressed answer", () => {
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

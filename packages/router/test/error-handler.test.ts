import { connect } from "node:net";
import { httpErrors } from "@servicekit/core";
import express, { type RequestHandler } from "express";
import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import { makeApp, makeCompressionStep, makeErrorHandler, ServiceRouter } from "../src/index.js";
import { abortRequest } from "./abort-request.js";
import { makeListener, raw } from "./listen.js";
import { serve } from "./serve.js";

const ok: RequestHandler = (_request, response) => {
  response.json({ ok: true });
};

const { listen, closeAll } = makeListener();
afterEach(closeAll);

describe("the error handler", () => {
  const failing = (handler: RequestHandler, log?: (error: unknown) => void) =>
    serve((app) => app.use(ServiceRouter().get({ path: "/a" }, handler)), log === undefined ? {} : { log });

  it("C3 hides the text of a foreign error, and logs it", async () => {
    const logged: unknown[] = [];
    const error = new Error("select * from secrets");
    const app = failing(
      () => {
        throw error;
      },
      (given) => logged.push(given),
    );
    const reply = await request(app).get("/a");
    expect(reply.status).toBe(500);
    expect(reply.body).toEqual({
      type: "https://servicekit.github.io/servicekit/errors#internalservererror",
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
    expect(body).toMatchObject({ requestId: "r-1", detail: "The service is temporarily unavailable." });
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
      const reply = await request(app).get("/a");
      expect([reply.status, reply.body.code, reply.text.includes("passwd")]).toEqual([status, code, false]);
    }
  });

  it("handles every thrown value", async () => {
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

  it("aborts a response that has started, and logs once", async () => {
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
    const reply = await raw(port, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(reply).toContain("begun");
    expect(reply).not.toContain("problem");
    expect(logged).toHaveLength(1);
  });

  it.each([
    ["plain", ""],
    ["compressed", "Accept-Encoding: gzip\r\n"],
  ])("sends a complete %s response although its handler throws afterwards, and logs the error", async (_, header) => {
    const logged: unknown[] = [];
    const large = Buffer.alloc(20_000_000, Buffer.from(Array.from({ length: 9973 }, (_, at) => (at * at * 31) % 251)));
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
  });

  it("removes the headers of the failed response, above all cookies", async () => {
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

  it("logs an error although the client has disconnected", async () => {
    const logged: unknown[] = [];
    const app = failing(
      async (_request, response) => {
        await new Promise((resolve) => response.once("close", resolve));
        throw new Error("an error of the handler");
      },
      (error) => logged.push(error),
    );
    await abortRequest(app, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect.poll(() => logged).toHaveLength(1);
  });

  it("sends nothing to a disconnected client, and logs nothing", async () => {
    const logged: unknown[] = [];
    const app = serve((app) => app.use(ServiceRouter().post({ path: "/a" }, ok)), {
      log: (error) => logged.push(error),
    });
    const head = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";
    await abortRequest(app, `${head}{"a":`);
    expect(logged).toEqual([]);
    expect(
      (await raw(await listen(app), "POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).startsWith(
        "HTTP/1.1 200",
      ),
    ).toBe(true);
  });
});

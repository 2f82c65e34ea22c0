import "reflect-metadata";
import { createHmac } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { httpErrors } from "@servicekit/core";
import express, { type RequestHandler } from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { readMultipart } from "../src/body/read-multipart.js";
import { makeBodyParserStep, ServiceRouter } from "../src/index.js";
import { declareRoute } from "../src/internal.js";
import { abortRequest } from "./abort-request.js";
import { echo, post, served } from "./echo-bodies.js";
import { serve } from "./serve.js";

describe("options of the JSON parser", () => {
  it("are global", async () => {
    const app = served(undefined, {
      limit: "10b",
      strict: false,
      type: "application/x-own",
      reviver: (key, value) => (key === "a" ? "A" : value),
    });
    const own = { "content-type": "application/x-own" };
    expect((await post(app, '{"a":1}', own)).body.body).toEqual({ a: "A" });
    expect((await post(app, "7", own)).body.body).toBe(7);
    expect((await post(app, '{"a":12345}', own)).status).toBe(413);
    expect((await post(app, "{}")).status).toBe(415);
  });

  it("can be disabled globally, or replaced by a handler", async () => {
    expect((await post(served(undefined, false), "{}")).body).toEqual({ kind: "undefined" });
    const handler: RequestHandler = (request, _response, next) => {
      request.body = "own";
      next();
    };
    expect((await post(served(undefined, handler), "{}")).body.body).toBe("own");
    expect((await post(served([{ parser: "json" }], handler), '{"a":1}')).body.body).toEqual({ a: 1 });
  });

  it("verify receives the bytes and may reject them", async () => {
    const app = served([
      {
        parser: "json",
        options: {
          verify: (_request, _response, body) => {
            if (body.includes("bad")) throw new Error("bad signature of customer 7");
          },
        },
      },
    ]);
    expect((await post(app, '{"a":1}')).status).toBe(200);
    const reply = await post(app, '{"a":"bad"}');
    expect([reply.status, reply.text.includes("customer")]).toEqual([403, false]);
  });

  it("a reviver does not overflow the stack", async () => {
    const app = served([{ parser: "json", options: { reviver: (_key, value) => value } }]);
    for (const depth of [33, 2000, 200_000]) {
      expect((await post(app, `${"[".repeat(depth)}${"]".repeat(depth)}`)).status).toBe(400);
    }
  });

  it("passes on what a reviver throws", async () => {
    const reviver = (key: string, value: unknown): unknown => {
      if (key === "a") throw httpErrors.Conflict("The key a is taken.");
      return value;
    };
    const reply = await post(served([{ parser: "json", options: { reviver } }]), '{"a":1}');
    expect([reply.status, reply.body.detail]).toEqual([409, "The key a is taken."]);
  });

  it("limit the further formats of a route", async () => {
    const router = ServiceRouter();
    const read = (bytes: Buffer, _request: unknown, maxValues: number) => ({ size: bytes.length, maxValues });
    for (const [path, values] of [
      ["/one", {}],
      ["/bulk", { bodyValues: 300 }],
    ] as const) {
      declareRoute(router, {
        method: "post",
        config: { path },
        handlers: [echo],
        origin: { place: "a test", ...values, bodyFormats: [{ type: "text/csv", read }] },
      });
    }
    const app = serve((application) => application.use(router), {
      global: [makeBodyParserStep({ limit: "10b", values: 100 })],
    });
    const send = (target: string, body: string) => request(app).post(target).set("content-type", "text/csv").send(body);
    expect((await send("/one", "a")).body.body).toEqual({ size: 1, maxValues: 100 });
    expect((await send("/bulk", "a")).body.body).toEqual({ size: 1, maxValues: 300 });
    expect((await send("/one", "a".repeat(11))).status).toBe(413);
  });

  it("inflate: false rejects compressed bodies", async () => {
    const app = served([{ parser: "json", options: { inflate: false } }]);
    expect((await post(app, gzipSync("{}"), { "content-encoding": "gzip" })).status).toBe(415);
  });
});

describe("a route's own parsers", () => {
  it("false leaves the stream unread while JSON is the global default", async () => {
    const app = serve((app) =>
      app.use(
        ServiceRouter().post({ path: "/a", bodyParser: false }, async (request, response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of request) chunks.push(chunk);
          response.json({ body: String(request.body), bytes: Buffer.concat(chunks).toString() });
        }),
      ),
    );
    expect((await post(app, '{"a":')).body).toEqual({ body: "undefined", bytes: '{"a":' });
  });

  it("raw returns the exact bytes of a signed webhook", async () => {
    const app = serve((app) =>
      app.use(
        ServiceRouter().post(
          { path: "/a", bodyParser: [{ parser: "raw", options: { type: "application/json" } }] },
          (request, response) => {
            const signature = createHmac("sha256", "key")
              .update(request.body as Buffer)
              .digest("hex");
            response.json({ valid: signature === request.headers["x-signature"] });
          },
        ),
      ),
    );
    const body = Buffer.from('{ "a" : 1.0,\n"ü":"\\u00e4" }\r\n');
    const signature = createHmac("sha256", "key").update(body).digest("hex");
    expect((await post(app, body, { "x-signature": signature })).body).toEqual({ valid: true });
  });

  it("are tried by content type", async () => {
    const app = served([
      { parser: "json" },
      { parser: "urlencoded" },
      { parser: "text" },
      { parser: "raw", options: { limit: 3 } },
      { parser: "multipart" },
    ]);
    expect((await post(app, '{"a":1}')).body.body).toEqual({ a: 1 });
    expect(
      (await post(app, "a=1&a=2&b[c]=x+y&d[]=%C3%A4", { "content-type": "application/x-www-form-urlencoded" })).body
        .body,
    ).toEqual({ a: ["1", "2"], b: { c: "x y" }, d: ["ä"] });
    expect((await post(app, "tëxt", { "content-type": "text/plain" })).body.body).toBe("tëxt");
    expect((await post(app, Buffer.from([1, 255]), { "content-type": "application/octet-stream" })).body).toEqual({
      kind: "buffer",
      body: "01ff",
    });
    expect((await post(app, Buffer.from([1, 2, 3, 4]), { "content-type": "application/octet-stream" })).status).toBe(
      413,
    );
    expect((await request(app).post("/a").field("n", "v").field("o[p]", "q")).body.body).toEqual({
      n: "v",
      o: { p: "q" },
    });
    expect((await post(app, "x", { "content-type": "text/html" })).status).toBe(415);
  });

  it("C5 urlencoded rejects percent encodings that are not UTF-8, and keeps a percent sign without digits", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const app = served([{ parser: "urlencoded" }]);
    for (const invalid of ["a=%ff", "%FF=a", "a=%C3&b=%A4", "a=%C3%28", "a=x%ed%a0%80"]) {
      const { status, body } = await post(app, invalid, form);
      expect([invalid, status, body.detail]).toEqual([
        invalid,
        400,
        "The form has a percent encoding that is not valid UTF-8.",
      ]);
    }
    const kept = await post(app, "a=100%&b=%zz&c=%4&d=%c3%A4%F0%9f%8E%B5%25&e=%C3%A4", form);
    expect(kept.body.body).toEqual({ a: "100%", b: "%zz", c: "%4", d: "ä🎵%", e: "ä" });
  });

  it("urlencoded rejects invalid forms", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const app = served([{ parser: "urlencoded", options: { parameterLimit: 3, limit: "1kb" } }]);
    const status = async (body: string, headers = form) => (await post(app, body, headers)).status;
    expect(await status("a=1&b=2&c=3")).toBe(200);
    expect(await status("a=1&b=2&c=3&d=4")).toBe(413);
    expect(await status(`a=${"x".repeat(1024)}`)).toBe(413);
    expect(await status("__proto__[x]=1")).toBe(400);
    expect(await status("a[constructor][prototype][x]=1")).toBe(400);
    expect(await status("a[4294967294]=1")).toBe(400);
    expect(await status("a=1&a[b]=2")).toBe(400);
    expect(await status("a[b=1")).toBe(400);
    expect(await status(`a${"[b]".repeat(40)}=1`)).toBe(400);
    expect(await status("a=1", { "content-type": `${form["content-type"]}; charset=latin1` })).toBe(415);
    const flat = served([{ parser: "urlencoded", options: { extended: false } }]);
    expect((await post(flat, "a[b]=1&c=2", form)).body.body).toEqual({ "a[b]": "1", c: "2" });
    expect((await post(flat, "__proto__=1", form)).status).toBe(400);
  });

  it("text accepts another charset only if it is the default", async () => {
    const app = served([{ parser: "text", options: { defaultCharset: "latin1", type: ["text/*"] } }]);
    expect((await post(app, Buffer.from([0xe4]), { "content-type": "text/csv" })).body.body).toBe("ä");
    expect((await post(app, "ä", { "content-type": "text/csv; charset=utf-8" })).body.body).toBe("ä");
    expect((await post(app, "x", { "content-type": "text/csv; charset=koi8-r" })).status).toBe(415);
    expect(
      (await post(served([{ parser: "text" }]), Buffer.from([0xe4]), { "content-type": "text/plain" })).status,
    ).toBe(400);
  });
});

describe("multipart", () => {
  const app = served([{ parser: "multipart", options: { limit: "1kb" } }]);
  const part = (name: string, value: string, more = "") =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const form = (body: string) => post(app, `${body}--b--\r\n`, { "content-type": "multipart/form-data; boundary=b" });

  it("passes on text fields and discards files", async () => {
    const reply = await form(
      part("a", "1") + part("f", "bytes".repeat(1000), '; filename="x.txt"') + part("b[c]", "2"),
    );
    expect(reply.body.body).toEqual({ a: "1", b: { c: "2" } });
  });

  it("reads a form that has arrived completely before it is read, and ends with a file", async () => {
    const app = express();
    app.use(async (request, _response, next) => {
      while (!request.complete) await setImmediate();
      next();
    });
    app.post("/a", readMultipart({}), (request, response) => void response.json(request.body));
    for (let round = 0; round < 5; round++) {
      const sent = await request(app).post("/a").field("a[b]", "1").attach("f", Buffer.from("bytes"), "x.png");
      expect([sent.status, sent.body]).toEqual([200, { a: { b: "1" } }]);
    }
  });

  it("an aborted form reaches no handler and logs nothing", async () => {
    let reached = 0;
    const logged: unknown[] = [];
    const app = serve(
      (app) =>
        app.use(ServiceRouter().post({ path: "/a", bodyParser: [{ parser: "multipart" }] }, () => void reached++)),
      { log: (error) => logged.push(error) },
    );
    const head =
      "POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 999\r\n\r\n";
    await abortRequest(app, head + part("a", "1"));
    expect([reached, logged]).toEqual([0, []]);
  });

  it("names the error and its place", async () => {
    const cases: [string, number, string, string][] = [
      [part("a[b", "1"), 400, "InvalidFieldName", "/a/b"],
      [part("a", "1") + part("a[b]", "2"), 400, "InvalidFieldName", "/a/b"],
      [part("", "1"), 400, "InvalidFieldName", ""],
      [part("x".repeat(201), "1"), 400, "InvalidFieldName", ""],
      [part("a", "x".repeat(600)) + part("b", "x".repeat(600)), 413, "FormTooLarge", ""],
      ["--b\r\n: x\r\n\r\n1\r\n", 400, "MalformedForm", ""],
    ];
    for (const [body, status, code, path] of cases) {
      const reply = await form(body);
      expect([body.slice(0, 80), reply.status, reply.body.code, reply.body.errors?.[0]?.path]).toEqual([
        body.slice(0, 80),
        status,
        code,
        path,
      ]);
    }
    const invalid = Buffer.concat([
      Buffer.from(part("a", "")).subarray(0, -2),
      Buffer.from([0xff]),
      Buffer.from("\r\n--b--\r\n"),
    ]);
    const reply = await post(app, invalid, { "content-type": "multipart/form-data; boundary=b" });
    expect([reply.status, reply.body.code]).toEqual([400, "MalformedForm"]);
  });

  it("leaves nothing of the form's files on the request", async () => {
    const app = serve((app) =>
      app.use(
        ServiceRouter().post({ path: "/a", bodyParser: [{ parser: "multipart" }] }, (request, response) => {
          response.json({ hasFiles: "files" in request, body: request.body });
        }),
      ),
    );
    const sent = await request(app).post("/a").field("a", "1").attach("f", Buffer.from("bytes"), "x.png");
    expect(sent.body).toEqual({ hasFiles: false, body: { a: "1" } });
  });

  it("rejects hostile and malformed forms, and continues to serve", async () => {
    const statuses = async (...bodies: string[]) => {
      const seen: number[] = [];
      for (const body of bodies) seen.push((await form(body)).status);
      return seen;
    };
    expect(await statuses(part("a[4294967294]", "1") + part("a[x]", "2"))).toEqual([400]);
    expect(
      await statuses(part("__proto__[x]", "1"), part("a[__proto__]", "1"), part("constructor[prototype]", "1")),
    ).toEqual([400, 400, 400]);
    expect(await statuses(part(`a${"[b]".repeat(40)}`, "1"))).toEqual([400]);
    expect(await statuses(part("a", "x".repeat(1025)))).toEqual([413]);
    expect(await statuses(Array.from({ length: 201 }, (_, index) => part(`f${index}`, "1")).join(""))).toEqual([413]);
    expect(
      await statuses(Array.from({ length: 30 }, (_, index) => part(`f${index}`, "1", '; filename="x"')).join("")),
    ).toEqual([413]);
    expect((await post(app, "x", { "content-type": "multipart/form-data" })).status).toBe(400);
    expect((await post(app, part("a", "1"), { "content-type": "multipart/form-data; boundary=b" })).status).toBe(400);
    expect((await post(app, "garbage", { "content-type": "multipart/form-data; boundary=b" })).status).toBe(400);
    expect((await form(part("a", "alive"))).body.body).toEqual({ a: "alive" });
  }, 10_000);
});

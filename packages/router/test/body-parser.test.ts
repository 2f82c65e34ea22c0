import "reflect-metadata";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { IsArray } from "class-validator";
import express from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { makeBodyParserStep, ServiceRouter } from "../src/index.js";
import { abortRequest } from "./abort-request.js";
import { echo, post, served } from "./echo-bodies.js";
import { serve } from "./serve.js";

describe("the JSON body", () => {
  const app = served();

  it("is read with or without a UTF-8 charset", async () => {
    for (const type of [
      "application/json",
      "application/json; charset=utf-8",
      'application/json;charset="UTF-8"',
      "application/json; charset=utf8",
      "application/merge-patch+json",
    ]) {
      expect((await post(app, '{"a":"ä"}', { "content-type": type })).body.body).toEqual({ a: "ä" });
    }
    expect((await post(app, "[1]")).body.body).toEqual([1]);
  });

  it("C5 is rejected with the right status", async () => {
    const cases: [string | Buffer, Record<string, string>, number, string][] = [
      ['{"a":', {}, 400, "The body is not valid JSON at position 5."],
      ['{"a" 1}', {}, 400, "The body is not valid JSON at position 5."],
      ['"text"', {}, 400, "The body must be a JSON object or list."],
      ["null", {}, 400, "The body must be a JSON object or list."],
      ["7", {}, 400, "The body must be a JSON object or list."],
      [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), {}, 400, "The body is not valid UTF-8."],
      ['{"__proto__":{"admin":true}}', {}, 400, "The key __proto__ is not allowed."],
      ['{"a":[{"b":{"__proto__":1}}]}', {}, 400, "The key __proto__ is not allowed."],
      [
        "{}",
        { "content-type": "application/json; charset=iso-8859-1" },
        415,
        "The charset iso-8859-1 is not supported. Use UTF-8.",
      ],
      [
        "{}",
        { "content-type": "application/json; charset=utf-7" },
        415,
        "The charset utf-7 is not supported. Use UTF-8.",
      ],
      [
        "{}",
        { "content-type": "application/json; charset=utf-16" },
        415,
        "The charset utf-16 is not supported. Use UTF-8.",
      ],
      [
        "a=b",
        { "content-type": "application/x-www-form-urlencoded" },
        415,
        "The body has a media type that this path does not accept.",
      ],
      ["x", { "content-type": "text/plain" }, 415, "The body has a media type that this path does not accept."],
      ["x", { "content-type": "nonsense" }, 415, "The body has a media type that this path does not accept."],
      ["{}", { "content-encoding": "compress" }, 415, "The content encoding of the body is not supported."],
      ["{}", { "content-encoding": "zstd" }, 415, "The content encoding of the body is not supported."],
      ["{}", { "content-encoding": "gzip" }, 400, "The compressed body is invalid."],
      ["{}", { "content-encoding": "br" }, 400, "The compressed body is invalid."],
      ["{}", { "content-encoding": "deflate" }, 400, "The compressed body is invalid."],
      [gzipSync("{}").subarray(0, 15), { "content-encoding": "gzip" }, 400, "The compressed body is invalid."],
    ];
    for (const [body, headers, status, detail] of cases) {
      const reply = await post(app, body, headers);
      expect([String(body).slice(0, 30), headers, reply.status, reply.body.detail]).toEqual([
        String(body).slice(0, 30),
        headers,
        status,
        detail,
      ]);
      expect(reply.headers["content-type"]).toBe("application/problem+json");
    }
  });

  it("has an error with the place of a forbidden key", async () => {
    const reply = await post(app, '{"a":[{"b":{"__proto__":1}}]}');
    expect(reply.body.errors).toEqual([
      { in: "body", path: "/a/0/b/__proto__", code: "ForbiddenKey", message: "The key __proto__ is not allowed." },
    ]);
  });

  it("does not change the prototype of other objects", async () => {
    await post(app, '{"constructor":{"prototype":{"polluted":1}}}');
    await post(app, '{"__proto__":{"polluted":1}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("C5 may be 32 levels deep and no deeper, however deep it is", async () => {
    const nest = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect((await post(app, nest(32))).status).toBe(200);
    for (const depth of [33, 10_000, 400_000]) {
      const reply = await post(app, nest(depth));
      expect([reply.status, reply.body.detail]).toEqual([400, "The body is nested deeper than 32."]);
    }
    expect((await post(app, `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`)).status).toBe(400);
    expect((await post(app, "[".repeat(100_000))).status).toBe(400);
  });

  it("C59 may have ten thousand values, or as many as the parser allows", async () => {
    const list = (length: number) => JSON.stringify(Array(length).fill(0));
    expect((await post(app, list(9_000))).status).toBe(200);
    const reply = await post(app, list(20_000));
    expect([reply.status, reply.body.detail]).toEqual([
      413,
      "The body has more than 10000 values. Send fewer per request, or raise the limit (values of the JSON parser).",
    ]);
    expect((await post(served([{ parser: "json", options: { values: 30_000 } }]), list(20_000))).status).toBe(200);
    expect((await post(served(undefined, { values: 100 }), list(200))).status).toBe(413);
  });

  it("C59 may have 2,500 values if a class validates it, which costs ten times as much", async () => {
    class Dto {}
    IsArray()(Dto.prototype, "list");
    const own = serve((app) => app.use(ServiceRouter().post({ path: "/a", validation: { body: Dto } }, echo)));
    const body = (length: number) => JSON.stringify({ list: Array(length).fill(0) });
    expect((await post(own, body(2_000))).status).toBe(200);
    expect((await post(own, body(3_000))).status).toBe(413);
  });

  it("C43 may have 1 MB, inflated", async () => {
    const noise = Array.from({ length: 1000 }, (_, index) => Math.sin(index)).join();
    const body = JSON.stringify({ a: noise.repeat(60).slice(0, 2 ** 20 - 8) });
    expect(body).toHaveLength(2 ** 20);
    expect((await post(app, body)).status).toBe(200);
    expect((await post(app, `${body} `)).status).toBe(413);
    expect((await post(app, gzipSync(body), { "content-encoding": "gzip" })).status).toBe(200);
    expect((await post(app, gzipSync(`${body} `), { "content-encoding": "gzip" })).status).toBe(413);
    expect((await post(app, gzipSync(Buffer.alloc(50_000_000)), { "content-encoding": "gzip" })).body.detail).toBe(
      "The body is larger than 1048576 bytes.",
    );
  });

  it.each([
    ["as it is", "", (size: number) => "x".repeat(size)],
    ["compressed", "Content-Encoding: gzip\r\n", (size: number) => randomBytes(size)],
  ] as const)("C43 is rejected before its end if more than the limit has arrived: %s", async (_way, header, make) => {
    const server = served(undefined, { limit: 1000 }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(
      `POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${header}Transfer-Encoding: chunked\r\n\r\n`,
    );
    // A gzip header, so that the decompression does not fail before.
    const body = header === "" ? Buffer.from(make(1500)) : gzipSync(make(5000)).subarray(0, 3000);
    socket.write(Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n")]));
    let text = "";
    for await (const chunk of socket) {
      text += chunk;
      if (text.includes("larger than")) break;
    }
    expect(text).toMatch(/^HTTP\/1\.1 413[\s\S]*The body is larger than 1000 bytes\./);
    server.close();
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("C59 expands to at most a hundred times its size: %s", async (coding, compress) => {
    const small = compress(JSON.stringify({ a: "x".repeat(400_000) }));
    for (const length of ["declared", "unknown"]) {
      const server = app.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const reply = await fetch(`http://127.0.0.1:${port}/a`, {
        method: "POST",
        headers: { "content-type": "application/json", "content-encoding": coding },
        ...(length === "declared" ? { body: small } : { body: new Blob([small]).stream(), duplex: "half" }),
      });
      expect([reply.status, ((await reply.json()) as { detail: string }).detail]).toEqual([
        413,
        "The compressed body expands to more than 100 times its size.",
      ]);
      server.close();
    }
    expect((await post(app, compress('{"a":1}'), { "content-encoding": coding })).status).toBe(200);
  });

  it("is inflated from gzip, deflate and brotli", async () => {
    for (const [encoding, bytes] of [
      ["gzip", gzipSync('{"a":1}')],
      ["deflate", deflateSync('{"a":1}')],
      ["br", brotliCompressSync('{"a":1}')],
    ] as const) {
      expect((await post(app, bytes, { "content-encoding": encoding })).body.body).toEqual({ a: 1 });
    }
  });

  it("uses the last of duplicate keys", async () => {
    expect((await post(app, '{"a":1,"a":2}')).body.body).toEqual({ a: 2 });
  });

  it("is undefined if there is none", async () => {
    expect((await request(app).post("/a")).body).toEqual({ kind: "undefined" });
    expect(
      (await request(app).post("/a").set("content-type", "application/json").set("content-length", "0")).body,
    ).toEqual({ kind: "undefined" });
    expect((await post(app, "", { "transfer-encoding": "chunked" })).body).toEqual({ kind: "undefined" });
  });

  it("is read on GET too, and never blocks the next request of the connection", async () => {
    const app = serve((app) => app.use(ServiceRouter().get({ path: "/a" }, echo)));
    expect((await request(app).get("/a").send({ a: 1 })).body.body).toEqual({ a: 1 });
    expect((await request(app).get("/a").type("text/plain").send("x")).status).toBe(415);
  });

  it("is not read again after another parser", async () => {
    const app = serve((app) => app.use(ServiceRouter().post({ path: "/a" }, echo)), {
      global: [],
      before: (app) => {
        app.use(express.raw({ type: () => true }));
        app.use((request, response, next) =>
          makeBodyParserStep().handlers(undefined, undefined)[0]?.(request, response, next),
        );
      },
    });
    expect((await post(app, "{}")).body.kind).toBe("buffer");
  });

  it("is rejected on unknown paths too if it is invalid, and ignored if it has another type", async () => {
    expect((await request(app).post("/b").type("json").send("{")).status).toBe(400);
    expect((await request(app).post("/b").type("text/plain").send("{")).status).toBe(404);
  });

  it("may be a scalar if the schema is one", async () => {
    const app = serve((app) =>
      app.use(
        ServiceRouter()
          .post({ path: "/a", validation: { body: z.number() } }, echo)
          .post({ path: "/b", validation: { body: z.object({}) } }, echo),
      ),
    );
    expect((await request(app).post("/a").type("json").send("7")).body).toEqual({ kind: "number", body: 7 });
    expect((await request(app).post("/b").type("json").send("7")).status).toBe(400);
  });

  it("reaches its handler once, whatever arrives on the connection after its end", async () => {
    let reached = 0;
    const app = serve((app) =>
      app.use(
        ServiceRouter().post({ path: "/a" }, (request, response) => {
          reached++;
          request.on("error", () => undefined);
          request.emit("error", new Error("late"));
          request.emit("close");
          setImmediate(() => response.json(request.body));
        }),
      ),
    );
    const reply = await request(app).post("/a").send({ a: 1 });
    expect([reply.status, reply.body, reached]).toEqual([200, { a: 1 }, 1]);
  });

  it("reaches no handler if it is aborted", async () => {
    let reached = 0;
    const app = serve((app) => app.use(ServiceRouter().post({ path: "/a" }, () => void reached++)));
    const head = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n";
    await abortRequest(app, `${head}{`);
    expect(reached).toBe(0);
  });
});

import { get } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import express, { type RequestHandler } from "express";
import type { Store } from "express-rate-limit";
import request from "supertest";
import { describe, expect, it } from "vitest";
import {
  type CompressionConfig,
  makeBodyParserStep,
  makeCompressionStep,
  makeQueryParserStep,
  makeRateLimitStep,
  type RateLimitSettings,
  type RouteConfig,
  ServiceRouter,
} from "../src/index.js";
import { declareRoute, makeRateLimiter } from "../src/internal.js";
import { serve } from "./serve.js";

const ok: RequestHandler = (_request, response) => {
  response.json({ ok: true });
};
const long: RequestHandler = (_request, response) => {
  response.json({ text: "x".repeat(5000) });
};

describe("rateLimit", () => {
  const served = (global: RateLimitSettings | false | RequestHandler, ...routes: RouteConfig[]) =>
    serve(
      (app) => {
        const router = ServiceRouter();
        for (const config of routes) router.get(config as never, ok).post({ ...config } as never, ok);
        app.use("/api", router);
      },
      { global: [makeRateLimitStep(global), makeBodyParserStep(), makeQueryParserStep()] },
    );
  const statuses = async (app: express.Express, path: string, times: number, headers: Record<string, string> = {}) => {
    const seen: number[] = [];
    for (let index = 0; index < times; index++) seen.push((await request(app).get(path).set(headers)).status);
    return seen;
  };

  it("C43 counts a route of a router that is mounted twice for each of its paths", async () => {
    const router = ServiceRouter().get({ path: "/a/:id", rateLimit: { windowMs: 60_000, max: 1 } } as never, ok);
    const app = serve((app) => app.use("/one", router).use("/two", ServiceRouter().use("/in", router)), {
      global: [makeRateLimitStep(false)],
    });
    for (const path of ["/one/a", "/two/in/a"]) {
      expect((await request(app).get(`${path}/1`)).status).toBe(200);
      expect((await request(app).get(`${path}/2`)).status).toBe(429);
    }
  });

  it("C43 returns a problem body and standard headers over the limit", async () => {
    const app = served({ windowMs: 60_000, limit: 2 }, { path: "/a" });
    const first = await request(app).get("/api/a");
    expect([
      first.headers["ratelimit-limit"],
      first.headers["ratelimit-remaining"],
      first.headers["x-ratelimit-limit"],
    ]).toEqual(["2", "1", undefined]);
    await request(app).get("/api/nowhere");
    const rejected = await request(app).get("/api/a");
    expect(rejected.status).toBe(429);
    expect(rejected.headers["content-type"]).toBe("application/problem+json");
    expect(rejected.body).toMatchObject({ code: "TooManyRequests", detail: "Too many requests", instance: "/api/a" });
    expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(0);
    expect(rejected.headers["ratelimit-remaining"]).toBe("0");
  });

  it("C32 counts with the limiter of an origin in place of the global one, shared between its routes", async () => {
    const limiter = makeRateLimiter({ windowMs: 60_000, limit: 2 });
    const app = serve(
      (mounted) => {
        const router = ServiceRouter();
        for (const path of ["/a", "/b"]) {
          const origin = { place: "a test", rateLimit: limiter };
          declareRoute(router, { method: "get", config: { path }, handlers: [ok], origin });
        }
        router.get({ path: "/c" }, ok);
        mounted.use("/api", router);
      },
      { global: [makeRateLimitStep({ windowMs: 60_000, limit: 1 }), makeBodyParserStep()] },
    );
    expect([...(await statuses(app, "/api/a", 1)), ...(await statuses(app, "/api/b", 2))]).toEqual([200, 200, 429]);
    expect(await statuses(app, "/api/c", 2)).toEqual([200, 429]);
  });

  it("replaces the global limit by a route's own, with its own counter and message", async () => {
    const app = served(
      { windowMs: 60_000, limit: 1 },
      { path: "/a" },
      { path: "/own", rateLimit: { windowMs: 60_000, max: 3, message: "Slow down" } },
    );
    expect(await statuses(app, "/api/a", 2)).toEqual([200, 429]);
    expect(await statuses(app, "/api/own", 4)).toEqual([200, 200, 200, 429]);
    expect((await request(app).get("/api/own")).body.detail).toBe("Slow down");
    expect((await request(app).post("/api/own")).status).toBe(200);
  });

  it("counts a route separately, however its path is spelled and whatever is sent", async () => {
    const app = served(false, { path: "/own/:x", rateLimit: { windowMs: 60_000, max: 3 } });
    const seen: number[] = [];
    for (const path of ["/api/own/1", "/API/OWN/2/", "/api/own/3?x=1", "/api/own/%34"]) {
      seen.push((await request(app).get(path).set("x-forwarded-for", `${path.length}.1.1.1`)).status);
    }
    expect(seen).toEqual([200, 200, 200, 429]);
  });

  it("allows requests again after the window", async () => {
    const app = served(false, { path: "/own", rateLimit: { windowMs: 150, max: 1 } });
    expect(await statuses(app, "/api/own", 2)).toEqual([200, 429]);
    await expect.poll(() => statuses(app, "/api/own", 1)).toEqual([200]);
  });

  it("can be off, a handler, or skip requests", async () => {
    expect(await statuses(served(false, { path: "/a" }), "/api/a", 3)).toEqual([200, 200, 200]);
    const handler: RequestHandler = (_request, response) => {
      response.status(418).end();
    };
    expect(await statuses(served(handler, { path: "/a" }), "/api/a", 1)).toEqual([418]);
    const skipping = served({ limit: 1, skip: (given) => given.path === "/api/a" }, { path: "/a" });
    expect(await statuses(skipping, "/api/a", 3)).toEqual([200, 200, 200]);
  });

  it("counts by the given key, in the given store", async () => {
    const scopes: string[] = [];
    const makeStore = (scope: string): Store => {
      scopes.push(scope);
      const hits = new Map<string, number>();
      return {
        increment: (key) => {
          hits.set(key, (hits.get(key) ?? 0) + 1);
          return { totalHits: hits.get(key) ?? 0, resetTime: new Date(Date.now() + 1000) };
        },
        decrement: () => undefined,
        resetKey: () => undefined,
      };
    };
    const app = served(
      { limit: 1, keyOf: (given) => String(given.headers["x-user"]), makeStore },
      { path: "/a" },
      { path: "/own", rateLimit: { windowMs: 1000, max: 2 } },
    );
    expect(await statuses(app, "/api/a", 2, { "x-user": "ann" })).toEqual([200, 429]);
    expect(await statuses(app, "/api/a", 2, { "x-user": "bob" })).toEqual([200, 429]);
    expect(await statuses(app, "/api/own", 3, { "x-user": "ann" })).toEqual([200, 200, 429]);
    expect(scopes[0]).toBe("global");
    expect(scopes[1]).toMatch(/^GET \/api\/own /);
  });

  it("C60 counts in memory while the store fails, and logs it once", async () => {
    const broken = {
      increment: () => Promise.reject(new Error("down")),
      decrement: () => undefined,
      resetKey: () => undefined,
    };
    const reported: unknown[] = [];
    const app = served(
      { makeStore: () => broken, onStoreError: (error) => reported.push(error), limit: 2 },
      { path: "/a" },
    );
    expect(await statuses(app, "/api/a", 4)).toEqual([200, 200, 429, 429]);
    expect(reported).toHaveLength(1);
  });
});

/** The raw bytes of a response. */
function bytes(app: express.Express, path: string, accept: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const server = app.listen(0, () => {
      const { port } = server.address() as AddressInfo;
      get({ port, path, agent: false, headers: { "accept-encoding": accept } }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          server.close();
          resolve(Buffer.concat(chunks));
        });
      }).on("error", reject);
    });
  });
}

describe("compression", () => {
  const served = (global: Parameters<typeof makeCompressionStep>[0], config: Partial<RouteConfig> = {}) =>
    serve(
      (app) => {
        const router = ServiceRouter();
        router.get({ path: "/a", ...config }, long).get({ path: "/short", ...config }, ok);
        router.get("/image", (_request, response) => {
          response.type("png").send(Buffer.alloc(5000));
        });
        router.get({ path: "/plain", compression: false }, long);
        router.get({ path: "/stream", ...config }, (_request, response) => {
          response.type("text");
          for (let index = 0; index < 100; index++) response.write("line of text\n".repeat(10));
          response.end();
        });
        app.use(router);
      },
      {
        global: [makeCompressionStep(global)],
        before: (app) =>
          app.use((request, _response, next) => {
            request.url = request.url.replace("/rewritten", "/plain");
            next();
          }),
      },
    );
  const encoding = async (app: express.Express, path: string, accept = "gzip") =>
    (await request(app).get(path).set("accept-encoding", accept)).headers["content-encoding"];

  it("C43 is on by default, over a threshold of 1 KB, for compressible types", async () => {
    const app = served(undefined);
    const reply = await request(app).get("/a").set("accept-encoding", "gzip");
    expect([reply.headers["content-encoding"], reply.headers.vary, reply.body.text.length]).toEqual([
      "gzip",
      "Accept-Encoding",
      5000,
    ]);
    expect(await encoding(app, "/a", "br, gzip")).toBe("br");
    expect(await encoding(app, "/a", "identity")).toBeUndefined();
    expect(await encoding(app, "/short")).toBeUndefined();
    expect(await encoding(app, "/image")).toBeUndefined();
    expect(await encoding(app, "/stream")).toBe("gzip");
  });

  it("sends the same bytes, compressed or not", async () => {
    const app = served(undefined);
    const plain = await bytes(app, "/stream", "identity");
    expect(plain).toHaveLength(13_000);
    expect(gunzipSync(await bytes(app, "/stream", "gzip")).equals(plain)).toBe(true);
    expect(brotliDecompressSync(await bytes(app, "/stream", "br")).equals(plain)).toBe(true);
  });

  it("is off on a route with false while the global compression is on", async () => {
    const app = served(true);
    expect(await encoding(app, "/plain")).toBeUndefined();
    expect(await encoding(app, "/rewritten")).toBeUndefined();
  });

  it("replaces the global value by a route's own", async () => {
    expect(await encoding(served(false), "/a")).toBeUndefined();
    expect(await encoding(served(false, { compression: true }), "/a")).toBe("gzip");
    expect(await encoding(served({ threshold: "10kb" }), "/a")).toBeUndefined();
    expect(await encoding(served({ threshold: "10kb" }, { compression: true }), "/a")).toBe("gzip");
    expect(await encoding(served(true, { compression: { threshold: 10_000 } }), "/a")).toBeUndefined();
    expect(await encoding(served(true, { compression: { threshold: 0 } }), "/short")).toBe("gzip");
  });

  it("supports every option", async () => {
    const length = async (compression: CompressionConfig) =>
      (await bytes(served(true, { compression }), "/stream", "gzip")).length;
    expect(await length({ level: 0 })).toBeGreaterThan(await length({ level: 9 }));
    expect(await length({ memLevel: 1, strategy: 2, chunkSize: 64 })).toBeGreaterThan(0);
    expect(await encoding(served(true, { compression: { filter: () => false } }), "/a")).toBeUndefined();
    expect(await encoding(served(true, { compression: { filter: (given) => given.path === "/a" } }), "/a")).toBe(
      "gzip",
    );
  });

  it("can be replaced by a handler", async () => {
    const app = served((_request, response, next) => {
      response.setHeader("x-own", "1");
      next();
    });
    expect((await request(app).get("/a")).headers["x-own"]).toBe("1");
  });
});

describe("queryParser", () => {
  const read = async (config: Partial<RouteConfig>, global?: Parameters<typeof makeQueryParserStep>[0]) => {
    const app = serve(
      (app) =>
        app.use(
          ServiceRouter().get({ path: "/a", ...config }, (request, response) => {
            response.json(request.query);
          }),
        ),
      { global: [makeQueryParserStep(global)] },
    );
    return (await request(app).get("/a?a__gte=1&b=true&c=null&d=1,2&e=x")).body;
  };

  it("parses the query once for all, with every switch of a route", async () => {
    expect(await read({})).toEqual({ a: { gte: 1 }, b: true, c: null, d: [1, 2], e: "x" });
    expect(await read({ queryParser: { parseDoubleUnderscore: false } })).toMatchObject({ a__gte: 1 });
    expect(await read({ queryParser: { parseNumber: false } })).toMatchObject({ a: { gte: "1" }, d: ["1", "2"] });
    expect(await read({ queryParser: { parseBoolean: false } })).toMatchObject({ b: "true" });
    expect(await read({ queryParser: { parseNull: false } })).toMatchObject({ c: "null" });
    expect(await read({ queryParser: { parseArray: false } })).toMatchObject({ d: "1,2" });
  });

  it("replaces the global switches by a route's: unset ones are on, the limits apply to all", async () => {
    const global = { parseNumber: false, parseBoolean: false, limits: { terms: 5 } };
    expect(await read({ queryParser: { parseNull: false } }, global)).toEqual({
      a: { gte: 1 },
      b: true,
      c: "null",
      d: [1, 2],
      e: "x",
    });
    expect(await read({ queryParser: {} }, { limits: { terms: 4 } })).toMatchObject({ code: "QueryLimitExceeded" });
  });

  it("can be off, globally or on a route, or a handler", async () => {
    const express5 = { a__gte: "1", b: "true", c: "null", d: "1,2", e: "x" };
    expect(await read({ queryParser: false })).toEqual(express5);
    expect(await read({}, false)).toEqual(express5);
    expect(await read({ queryParser: {} }, false)).toMatchObject({ b: true });
    expect(await read({}, { parseNumber: false })).toMatchObject({ a: { gte: "1" } });
    expect(
      await read({}, (request, _response, next) => {
        request.query = { own: "1" };
        next();
      }),
    ).toEqual({ own: "1" });
  });

  it("C20 returns 400 for an invalid query", async () => {
    const app = serve((app) => app.use(ServiceRouter().get({ path: "/a" }, ok)));
    for (const query of ["__proto__[a]=1", "a[__proto__]=1", "a__constructor__b=1"]) {
      expect((await request(app).get(`/a?${query}`)).status).toBe(400);
    }
    expect((await request(app).get("/a?")).status).toBe(200);
  });
});

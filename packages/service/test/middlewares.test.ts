import type { ErrorRequestHandler, RequestHandler } from "express";
import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { httpErrors, type ServiceInitConfig, ServiceRouter } from "../src/index.js";
import { makeStarter } from "./start.js";

const { create, closeAll } = makeStarter();
afterEach(closeAll);

const router = ServiceRouter();
router.post({ path: "/echo" }, (req, res) => {
  res.json({ data: req.body, query: req.query });
});
router.get({ path: "/cookies" }, (req, res) => {
  res.json({ cookies: req.cookies, signed: req.signedCookies });
});
router.get({ path: "/long" }, (_req, res) => {
  res.json({ data: "x".repeat(5000) });
});
router.get({ path: "/fail" }, () => {
  throw httpErrors.Conflict("Taken.");
});
router.get({ path: "/limited", rateLimit: { windowMs: 60_000, max: 1, message: "Slowly" } }, (_req, res) => {
  res.json({});
});

const marked: RequestHandler = (_req, res, next) => {
  res.setHeader("X-Mine", "yes");
  next();
};
const markedError: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(418).json({ mine: error.code });
};
const app = async (config: ServiceInitConfig) => request((await create({ use: [router], ...config })).app);

describe("C43 the defaults", () => {
  it("compress from 1 kB on, send security headers, limit to 300 a minute, exclude other origins", async () => {
    const client = await app({});
    const long = await client.get("/long").set("Accept-Encoding", "gzip").set("Origin", "https://a.example");
    expect(long.headers["content-encoding"]).toBe("gzip");
    expect(long.headers["x-content-type-options"]).toBe("nosniff");
    expect(long.headers["content-security-policy"]).toContain("default-src");
    expect(long.headers["ratelimit-limit"]).toBe("300");
    expect(long.headers["access-control-allow-origin"]).toBeUndefined();
    expect((await client.get("/cookies").set("Accept-Encoding", "gzip")).headers["content-encoding"]).toBeUndefined();
    expect((await client.post("/echo").send({ text: "x".repeat(1024 * 1024) })).status).toBe(413);
  });
});

/** One row for each form: the file's form, the init form, disable and replace. */
const rows: readonly (readonly [
  string,
  ServiceInitConfig,
  (client: Awaited<ReturnType<typeof app>>) => Promise<void>,
])[] = [
  ...[
    { middlewares: { compression: false } } as const,
    { compressionOptions: false } as const,
    { middlewares: { disable: ["compression"] } },
  ].map(
    (config) =>
      [
        "compression off",
        config,
        async (client) => {
          expect(
            (await client.get("/long").set("Accept-Encoding", "gzip")).headers["content-encoding"],
          ).toBeUndefined();
        },
      ] as (typeof rows)[number],
  ),
  ...[{ middlewares: { compression: { threshold: 1 } } }, { compressionOptions: { threshold: 1 } }].map(
    (config) =>
      [
        "compression options",
        config,
        async (client) => {
          expect((await client.get("/cookies").set("Accept-Encoding", "gzip")).headers["content-encoding"]).toBe(
            "gzip",
          );
        },
      ] as (typeof rows)[number],
  ),
  ...[
    { middlewares: { rateLimit: { limit: 2, message: "Enough" } } },
    { globalRequestRateLimitOptions: { limit: 2, message: "Enough" } },
  ].map(
    (config) =>
      [
        "rate limit options",
        config,
        async (client) => {
          await client.get("/cookies");
          await client.get("/cookies");
          const rejected = await client.get("/cookies");
          expect([rejected.status, rejected.type, rejected.body.detail]).toEqual([
            429,
            "application/problem+json",
            "Enough",
          ]);
          expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(0);
          const own = await client.get("/limited");
          expect([own.status, own.headers["ratelimit-limit"]]).toEqual([200, "1"]);
          expect((await client.get("/limited")).body.detail).toBe("Slowly");
        },
      ] as (typeof rows)[number],
  ),
  ...[
    { middlewares: { rateLimit: false } } as const,
    { globalRequestRateLimitOptions: false } as const,
    { middlewares: { disable: ["global-rate-limit"] } },
    { middlewares: { disable: ["rateLimit"] } },
  ].map(
    (config) =>
      [
        "rate limit off, a route's own stays",
        config,
        async (client) => {
          expect((await client.get("/cookies")).headers["ratelimit-limit"]).toBeUndefined();
          expect((await client.get("/limited")).headers["ratelimit-limit"]).toBe("1");
        },
      ] as (typeof rows)[number],
  ),
  ...[{ middlewares: { serverJson: { limit: "1kb" } } }, { jsonBodyParserOptions: { limit: 1024 } }].map(
    (config) =>
      [
        "JSON limit",
        config,
        async (client) => {
          expect((await client.post("/echo").send({ text: "x".repeat(2000) })).status).toBe(413);
          expect((await client.post("/echo").send({ text: "x" })).body.data).toEqual({ text: "x" });
        },
      ] as (typeof rows)[number],
  ),
  ...[
    { middlewares: { serverJson: false } } as const,
    { jsonBodyParserOptions: false } as const,
    { middlewares: { disable: ["json-body-parser"] } },
  ].map(
    (config) =>
      [
        "no JSON parser",
        config,
        async (client) => {
          const response = await client.post("/echo").send({ text: "x" });
          expect(response.body.data).toBeUndefined();
        },
      ] as (typeof rows)[number],
  ),
  ...[{ middlewares: { cookieParser: ["s3cret"] as const } }, { cookieParserParameters: ["s3cret"] as const }].map(
    (config) =>
      [
        "cookie secret",
        config,
        async (client) => {
          const signed = "s:a.LFXvELTNbcH5SUUKlnnJHM3yH4vhUNV3vo5rb0lbHVM";
          const { body } = await client.get("/cookies").set("Cookie", `plain=1; forged=${encodeURIComponent(signed)}x`);
          expect(body).toEqual({ cookies: { plain: "1" }, signed: { forged: false } });
        },
      ] as (typeof rows)[number],
  ),
  ...[
    { middlewares: { cookieParser: false } } as const,
    { cookieParserParameters: false } as const,
    { middlewares: { disable: ["cookieParser"] } },
  ].map(
    (config) =>
      [
        "no cookie parser",
        config,
        async (client) => {
          expect((await client.get("/cookies").set("Cookie", "a=1")).body).toEqual({});
        },
      ] as (typeof rows)[number],
  ),
  ...[{ middlewares: { queryParser: { parseNumber: false } } }, { queryParserOptions: { parseNumber: false } }].map(
    (config) =>
      [
        "query parser options",
        config,
        async (client) => {
          expect((await client.post("/echo?a__gte=1&b=true").send({})).body.query).toEqual({
            a: { gte: "1" },
            b: true,
          });
        },
      ] as (typeof rows)[number],
  ),
  ...[{ middlewares: { queryParser: false } } as const, { queryParserOptions: false } as const].map(
    (config) =>
      [
        "Express's own query parser",
        config,
        async (client) => {
          expect((await client.post("/echo?a__gte=1").send({})).body.query).toEqual({ a__gte: "1" });
        },
      ] as (typeof rows)[number],
  ),
  ...[
    { middlewares: { cors: { allowedOrigins: ["https://a.example"], options: { credentials: true } } } },
    { cors: { allowedOrigins: ["https://a.example"], options: { credentials: true } } },
  ].map(
    (config) =>
      [
        "CORS for named origins, exactly",
        config,
        async (client) => {
          const known = await client.get("/cookies").set("Origin", "https://a.example");
          expect(known.headers["access-control-allow-origin"]).toBe("https://a.example");
          expect(known.headers["access-control-allow-credentials"]).toBe("true");
          expect(known.headers.vary).toContain("Origin");
          const exposed = known.headers["access-control-expose-headers"]?.toLowerCase().split(",");
          const limits = Object.keys(known.headers).filter((name) => name.startsWith("ratelimit-"));
          expect(limits).toHaveLength(4);
          expect(exposed).toEqual(expect.arrayContaining([...limits, "retry-after", "etag", "x-request-id"]));
          const other = await client.get("/cookies").set("Origin", "https://a.example.evil");
          expect(other.headers["access-control-allow-origin"]).toBeUndefined();
          const preflight = await client
            .options("/echo")
            .set("Origin", "https://a.example")
            .set("Access-Control-Request-Method", "POST");
          expect([preflight.status, preflight.headers["access-control-allow-origin"]]).toEqual([
            204,
            "https://a.example",
          ]);
        },
      ] as (typeof rows)[number],
  ),
  ...[
    "securityHeaders",
    "cors",
    "cookieParser",
    "compression",
    "rateLimit",
    "serverJson",
    "queryParser",
    "requestLogger",
  ].flatMap((name) =>
    [{ middlewares: { [name]: marked } }, { middlewares: { replace: { [name]: marked } } }].map(
      (config) =>
        [
          `a handler in place of ${name}`,
          config,
          async (client) => {
            expect((await client.post("/echo").send({})).headers["x-mine"]).toBe("yes");
          },
        ] as (typeof rows)[number],
    ),
  ),
  ...[
    { middlewares: { errorHandler: markedError } },
    { middlewares: { replace: { globalErrorHandler: markedError } } },
  ].map(
    (config) =>
      [
        "an error handler of one's own gets our errors",
        config,
        async (client) => {
          const failed = await client.get("/fail");
          expect([failed.status, failed.body]).toEqual([418, { mine: "Conflict" }]);
          expect((await client.get("/nothing")).body).toEqual({ mine: "NotFound" });
        },
      ] as (typeof rows)[number],
  ),
  ...[{ middlewares: { errorHandler: false } } as const, { middlewares: { disable: ["error-handler"] } }].map(
    (config) =>
      [
        "Express's own error handler",
        config,
        async (client) => {
          const failed = await client.get("/fail");
          expect([failed.status, failed.type]).toEqual([409, "text/html"]);
        },
      ] as (typeof rows)[number],
  ),
  [
    "additional handlers",
    { middlewares: { additional: [marked] } },
    async (client) => {
      expect((await client.get("/cookies")).headers["x-mine"]).toBe("yes");
    },
  ],
];

describe("C51 C54 each middleware can be omitted, configured and replaced, in both forms", () => {
  it.each(rows)("%s: %j", async (_title, config, check) => {
    await check(await app(config));
  });

  it("rejects unknown names with the known ones, and one setting in two forms", async () => {
    const config = {
      middlewares: { disable: ["compresion"], compression: false },
      compressionOptions: { level: 1 },
      routers: { disable: ["welcome"], replace: { modelRoutes: marked } },
    };
    await expect(create(config as object)).rejects.toThrow(
      /is also set elsewhere[\s\S]*"compresion"; expected one of security-headers.*Did you mean compression[\s\S]*"welcome"[\s\S]*"modelRoutes"/,
    );
  });
});

describe("C51 built-in routers", () => {
  it("are omitted by name, in either spelling", async () => {
    for (const name of ["welcome-endpoint", "welcomeEndpoint"]) {
      expect((await (await app({ routers: { disable: [name] } })).get("/api")).status).toBe(404);
    }
    expect((await (await app({ routers: { disable: ["health"] } })).get("/api/health/live")).status).toBe(404);
    expect((await (await app({ routers: { welcomeRoute: false } })).get("/api")).status).toBe(404);
  });

  it("are replaced in place, by a router, a handler or a plain object", async () => {
    const mine = ServiceRouter();
    mine.get({ path: "/" }, (_req, res) => void res.json({ message: "mine" }));
    const plain = { handle: ((_req, res) => void res.json({ message: "mine" })) as RequestHandler };
    for (const replacement of [mine as unknown as RequestHandler, plain]) {
      const client = await app({ routers: { replace: { welcomeEndpoint: replacement } } });
      expect((await client.get("/api")).body).toEqual({ message: "mine" });
    }
    const client = await app({ routers: { welcomeRoute: (_req, res) => void res.json({ message: "handler" }) } });
    expect((await client.get("/api")).body).toEqual({ message: "handler" });
  });

  it("C48 require validation everywhere with strict", async () => {
    const strict = { resolver: "zod", strict: true } as const;
    await expect(create({ use: [router], validation: strict })).rejects.toThrow(/POST \/echo[\s\S]*validation/);
    const good = ServiceRouter();
    good.get({ path: "/a", validation: { query: z.strictObject({}) } }, (_req, res) => void res.json({}));
    good.get({ path: "/b", validation: { body: false } }, (_req, res) => void res.json({}));
    await create({ use: [good], validation: strict });
  });
});

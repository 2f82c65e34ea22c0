import type { RequestHandler } from "express";
import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import { type ServiceInitConfig, ServiceRouter } from "../src/index.js";
import { makeStarter } from "./start.js";

const { create, closeAll } = makeStarter();
afterEach(closeAll);

type Client = ReturnType<typeof request>;

const router = ServiceRouter();
router.post({ path: "/echo" }, (req, res) => void res.json({ data: req.body }));
router.get({ path: "/query" }, (req, res) => void res.json({ data: req.query }));
router.get({ path: "/cookies" }, (req, res) => void res.json({ cookies: req.cookies }));
router.get({ path: "/long" }, (_req, res) => void res.send("x".repeat(5000)));

const marked: RequestHandler = (_req, res, next) => {
  res.setHeader("X-Mine", "yes");
  next();
};

describe("C51 a handler in place of a middleware", () => {
  const names = {
    securityHeaders: ["security-headers", "securityHeaders"],
    requestLogger: ["request-logger", "requestLogger"],
    cors: ["cors"],
    cookieParser: ["cookie-parser", "cookieParser"],
    compression: ["compression"],
    rateLimit: ["rate-limit", "rateLimit", "global-rate-limit", "globalRateLimit"],
    serverJson: ["server-json", "serverJson", "json-body-parser", "jsonBodyParser"],
    queryParser: ["query-parser", "queryParser"],
  } as const;
  const initNames: Readonly<Record<string, string>> = {
    rateLimit: "globalRequestRateLimitOptions",
    serverJson: "jsonBodyParserOptions",
    cookieParser: "cookieParserParameters",
    compression: "compressionOptions",
    queryParser: "queryParserOptions",
    cors: "cors",
  };
  /** The effect that only the built-in one has. */
  const builtIn: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
    securityHeaders: async (client) => (await client.get("/api")).headers["x-content-type-options"],
    cors: async (client) =>
      (await client.get("/cookies").set("Origin", "https://a.example")).headers["access-control-allow-origin"],
    cookieParser: async (client) => (await client.get("/cookies").set("Cookie", "a=1")).body.cookies,
    compression: async (client) =>
      (await client.get("/long").set("Accept-Encoding", "gzip")).headers["content-encoding"],
    rateLimit: async (client) => (await client.get("/api")).headers["ratelimit-limit"],
    serverJson: async (client) => (await client.post("/echo").send({ a: 1 })).body.data,
    queryParser: async (client) => ((await client.get("/query?a=1")).body.data.a === 1 ? true : undefined),
  };

  it.each(Object.keys(names) as (keyof typeof names)[])("runs, and the built-in %s does not", async (key) => {
    const ways: ServiceInitConfig[] = [
      { middlewares: { [key]: marked } },
      ...names[key].map((name) => ({ middlewares: { replace: { [name]: marked } } })),
      ...(initNames[key] === undefined ? [] : [{ [initNames[key]]: marked }]),
    ];
    for (const way of ways) {
      const client = request((await create({ use: [router], ...way })).app);
      expect((await client.get("/cookies")).headers["x-mine"]).toBe("yes");
      expect(await builtIn[key]?.(client)).toBeUndefined();
    }
    for (const name of names[key]) {
      const client = request((await create({ use: [router], middlewares: { disable: [name] } })).app);
      expect(await builtIn[key]?.(client), name).toBeUndefined();
    }
  });

  it("preserves a route's own compression, rate limit, body parser and query parser", async () => {
    const own = ServiceRouter();
    const config = {
      path: "/own",
      compression: { threshold: 0 },
      rateLimit: { windowMs: 1000, max: 3 },
      bodyParser: [{ parser: "text" }],
      queryParser: { parseNumber: false },
    } as const;
    own.post(config, (req, res) => void res.json({ data: [req.body, req.query] }));
    const middlewares = { disable: ["compression", "rateLimit", "serverJson", "queryParser"] };
    const response = await request((await create({ use: [own], middlewares })).app)
      .post("/own?a=1&b=true")
      .set("Accept-Encoding", "gzip")
      .set("Content-Type", "text/plain")
      .send("hello");
    expect(response.body).toEqual({ data: ["hello", { a: "1", b: true }] });
    expect([response.headers["content-encoding"], response.headers["ratelimit-limit"]]).toEqual(["gzip", "3"]);
  });
});

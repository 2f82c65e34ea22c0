import { createHmac } from "node:crypto";
import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import { ServiceRouter } from "../src/index.js";
import { type Client, database, get, gzip, type Row, router, verifyRows } from "./key-rows.js";
import { makeStarter } from "./start.js";

const { create, init, closeAll } = makeStarter();
afterEach(closeAll);

const cors = { allowedOrigins: ["https://a.example"], options: { credentials: true } };
const fromOrigin = (origin: string) => (client: Client) => client.get("/api").set("Origin", origin);
const text3000 = { text: "x".repeat(3000) };

const rows: Readonly<Record<string, Row>> = {
  welcomeMessage: {
    file: { welcomeMessage: "Hello" },
    call: get("/api"),
    sees: { message: "Hello" },
    otherwise: { message: "Welcome. This API serves your models and routes." },
  },
  "middlewares.securityHeaders false": {
    file: { middlewares: { securityHeaders: false } },
    code: { middlewares: { disable: ["security-headers"] } },
    call: get("/api"),
    sees: { "x-content-type-options": undefined },
    otherwise: { "x-content-type-options": "nosniff" },
  },
  "middlewares.securityHeaders options": {
    file: { middlewares: { securityHeaders: { referrerPolicy: { policy: "same-origin" } } } },
    call: get("/api"),
    sees: { "referrer-policy": "same-origin", "x-content-type-options": "nosniff" },
    otherwise: { "referrer-policy": "no-referrer" },
  },
  "middlewares.compression, on from 1 kB": {
    file: { middlewares: { compression: true } },
    code: { compressionOptions: true },
    call: gzip("/sized/1024"),
    sees: { "content-encoding": "gzip" },
    otherwise: { "content-encoding": "gzip" },
  },
  "middlewares.compression, off under 1 kB": {
    file: { middlewares: { compression: {} } },
    code: { compressionOptions: {} },
    call: gzip("/sized/1023"),
    sees: { "content-encoding": undefined },
    otherwise: { "content-encoding": undefined },
  },
  "middlewares.compression.threshold": {
    file: { middlewares: { compression: { threshold: "2kb", level: 9, memLevel: 9, chunkSize: 1024 } } },
    code: { compressionOptions: { threshold: "2kb", level: 9, memLevel: 9, chunkSize: 1024 } },
    call: gzip("/sized/2047"),
    sees: { "content-encoding": undefined },
    otherwise: { "content-encoding": "gzip" },
  },
  "middlewares.compression, and a route that wants none": {
    file: { middlewares: { compression: { threshold: 0 } } },
    code: { compressionOptions: { threshold: 0 } },
    call: gzip("/plain"),
    sees: { "content-encoding": undefined },
    otherwise: { "content-encoding": undefined },
  },
  "middlewares.compression false": {
    file: { middlewares: { compression: false } },
    code: { compressionOptions: false },
    call: gzip("/sized/5000"),
    sees: { "content-encoding": undefined },
    otherwise: { "content-encoding": "gzip" },
  },
  "middlewares.rateLimit": {
    file: { middlewares: { rateLimit: { limit: 7, windowMs: 5000 } } },
    code: { globalRequestRateLimitOptions: { limit: 7, windowMs: 5000 } },
    call: get("/api"),
    sees: { "ratelimit-limit": "7", "ratelimit-remaining": "6", "ratelimit-policy": "7;w=5" },
    otherwise: { "ratelimit-limit": "300", "ratelimit-remaining": "299", "ratelimit-policy": "300;w=60" },
  },
  "middlewares.rateLimit false": {
    file: { middlewares: { rateLimit: false } },
    code: { globalRequestRateLimitOptions: false },
    call: get("/api"),
    sees: { "ratelimit-limit": undefined },
    otherwise: { "ratelimit-limit": "300" },
  },
  "middlewares.rateLimit, and a route with its own": {
    file: { middlewares: { rateLimit: { limit: 7 } } },
    code: { globalRequestRateLimitOptions: { limit: 7 } },
    call: get("/limited"),
    sees: { "ratelimit-limit": "9" },
    otherwise: { "ratelimit-limit": "9" },
  },
  "middlewares.cors, an origin that is named": {
    file: { middlewares: { cors } },
    code: { cors },
    call: fromOrigin("https://a.example"),
    sees: {
      "access-control-allow-origin": "https://a.example",
      "access-control-allow-credentials": "true",
      "access-control-expose-headers":
        "ETag,Link,Location,X-Request-Id,Idempotency-Replayed,Retry-After,RateLimit-Limit,RateLimit-Policy,RateLimit-Remaining,RateLimit-Reset",
      vary: expect.stringContaining("Origin"),
    },
    otherwise: { "access-control-allow-origin": undefined },
  },
  "middlewares.cors, another port": {
    file: { middlewares: { cors } },
    code: { cors },
    call: fromOrigin("https://a.example:8443"),
    sees: { status: 200, "access-control-allow-origin": undefined, vary: expect.stringContaining("Origin") },
    otherwise: { "access-control-allow-origin": undefined },
  },
  "middlewares.cors, every origin": {
    file: { middlewares: { cors: { allowedOrigins: ["*"] } } },
    code: { cors: { allowedOrigins: ["*"] } },
    call: fromOrigin("https://b.example"),
    sees: { "access-control-allow-origin": "*" },
    otherwise: { "access-control-allow-origin": undefined },
  },
  "middlewares.cors without origins": {
    file: { middlewares: { cors: { options: { credentials: true } } } },
    code: { cors: {} },
    call: fromOrigin("https://a.example"),
    sees: { "access-control-allow-origin": undefined, "access-control-allow-credentials": undefined },
    otherwise: { "access-control-allow-origin": undefined },
  },
  "middlewares.serverJson": {
    file: { middlewares: { serverJson: { limit: "2kb" } } },
    code: { jsonBodyParserOptions: { limit: "2kb" } },
    call: (client) => client.post("/echo").send(text3000),
    sees: { status: 413, code: "PayloadTooLarge" },
    otherwise: { status: 200 },
  },
  "middlewares.serverJson.strict": {
    file: { middlewares: { serverJson: { strict: false } } },
    code: { jsonBodyParserOptions: { strict: false } },
    call: (client) => client.post("/echo").set("Content-Type", "application/json").send("7"),
    sees: { status: 200, data: 7 },
    otherwise: { status: 400 },
  },
  "middlewares.serverJson.type": {
    file: { middlewares: { serverJson: { type: "application/x-own" } } },
    code: { jsonBodyParserOptions: { type: "application/x-own" } },
    call: (client) => client.post("/echo").set("Content-Type", "application/x-own").send('{"a":1}'),
    sees: { status: 200, data: { a: 1 } },
    otherwise: { status: 415 },
  },
  "middlewares.serverJson false": {
    file: { middlewares: { serverJson: false } },
    code: { jsonBodyParserOptions: false },
    call: (client) => client.post("/echo").send({ a: 1 }),
    sees: { status: 200, data: undefined },
    otherwise: { status: 200, data: { a: 1 } },
  },
  "middlewares.cookieParser": {
    file: { middlewares: { cookieParser: ["first"] } },
    code: { cookieParserParameters: ["first"] },
    // The signature of "7" by the secret "first" (HMAC with SHA-256).
    call: (client) => client.get("/cookies").set("Cookie", `n=${encodeURIComponent(`s:7.${sign("7", "first")}`)}`),
    sees: { cookies: {}, signed: { n: "7" } },
    otherwise: { signed: {} },
  },
  "middlewares.cookieParser, secrets that change": {
    file: { middlewares: { cookieParser: [["second", "first"]] } },
    code: { cookieParserParameters: [["second", "first"]] },
    call: (client) => client.get("/cookies").set("Cookie", `n=${encodeURIComponent(`s:7.${sign("7", "first")}`)}`),
    sees: { cookies: {}, signed: { n: "7" } },
    otherwise: { signed: {} },
  },
  "middlewares.cookieParser false": {
    file: { middlewares: { cookieParser: false } },
    code: { cookieParserParameters: false },
    call: (client) => client.get("/cookies").set("Cookie", "a=1"),
    sees: { cookies: undefined },
    otherwise: { cookies: { a: "1" } },
  },
  ...Object.fromEntries(
    (
      [
        ["parseDoubleUnderscore", "a__gte=1", { a__gte: 1 }, { a: { gte: 1 } }],
        ["parseNumber", "a=1", { a: "1" }, { a: 1 }],
        ["parseBoolean", "a=true", { a: "true" }, { a: true }],
        ["parseNull", "a=null", { a: "null" }, { a: null }],
        ["parseArray", "a=1,2", { a: "1,2" }, { a: [1, 2] }],
      ] as const
    ).map(([name, query, off, on]) => [
      `middlewares.queryParser.${name}`,
      {
        file: { middlewares: { queryParser: { [name]: false } } },
        code: { queryParserOptions: { [name]: false } },
        call: get(`/query?${query}`),
        sees: { data: off },
        otherwise: { data: on },
      } satisfies Row,
    ]),
  ),
  "middlewares.queryParser false": {
    file: { middlewares: { queryParser: false } },
    code: { queryParserOptions: false },
    call: get("/query?a__gte=1&b=true"),
    sees: { data: { a__gte: "1", b: "true" } },
    otherwise: { data: { a: { gte: 1 }, b: true } },
  },
  "middlewares.queryParser.parseDoubleUnderscore, of generated routes": {
    file: { middlewares: { queryParser: { parseDoubleUnderscore: false } } },
    code: { queryParserOptions: { parseDoubleUnderscore: false } },
    call: get("/api/notes?text__equals=x&nothing=1"),
    sees: { status: 400, errors: expect.arrayContaining([expect.objectContaining({ path: "/text__equals" })]) },
    otherwise: { status: 400, errors: [expect.objectContaining({ path: "/nothing" })] },
  },
  "middlewares.errorHandler false": {
    file: { middlewares: { errorHandler: false } },
    code: { middlewares: { disable: ["globalErrorHandler"] } },
    call: get("/nothing"),
    sees: { status: 404, "content-type": expect.stringContaining("text/html") },
    otherwise: { status: 404, "content-type": expect.stringContaining("application/problem+json") },
  },
};

function sign(value: string, secret: string): string {
  return createHmac("sha256", secret).update(value).digest("base64").replace(/=+$/, "");
}

describe("C38 C43 each key of the specification's tables, in every form", () => {
  verifyRows(rows);
});

it("C43 a request over the limit is rejected with everything that a client needs to wait", async () => {
  const client = request((await create({ globalRequestRateLimitOptions: { limit: 1, windowMs: 20_000 } })).app);
  await client.get("/api");
  const rejected = await client.get("/api");
  expect([rejected.status, rejected.type, rejected.body.detail]).toEqual([
    429,
    "application/problem+json",
    "Too many requests",
  ]);
  expect([rejected.headers["ratelimit-limit"], rejected.headers["ratelimit-remaining"]]).toEqual(["1", "0"]);
  expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(15);
  expect((await client.get("/api/health/live")).status).toBe(200);
});

it("C48 validation.validationOptions are passed to the library", async () => {
  const validation = { resolver: "zod", validationOptions: { error: () => "Mine." } } as const;
  const response = await request((await create({ use: [router], validation })).app).get("/schema?a=x");
  expect(response.body.errors).toEqual([{ in: "query", path: "/a", code: "InvalidType", message: "Mine." }]);
});

it("C48 validation.strict requires validation of every declared route, not of built-in ones", async () => {
  const validation = { resolver: "schema-lib", strict: true } as const;
  const declared = ServiceRouter();
  declared.get({ path: "/one" }, (_req, res) => void res.json({}));
  declared.get({ path: "/two", validation: { body: false } }, (_req, res) => void res.json({}));
  const error = await create({ use: [declared], validation, database }).catch((reason: Error) => reason);
  expect((error as Error).message).toMatch(/^The service cannot start \(1 error\):\n.*GET \/one/);
  expect((error as Error).message).not.toContain("/two");
  await create({ database, validation });
});

it("port and host set where it listens", async () => {
  const { url } = await init({ port: 0, host: "127.0.0.1" });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const { config } = await create({}, { environment: { HOST: "0.0.0.0", PORT: "1234" } });
  expect([config.host, config.port]).toEqual(["0.0.0.0", 1234]);
});

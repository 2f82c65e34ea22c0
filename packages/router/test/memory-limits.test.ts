import express, { type ErrorRequestHandler, type Request, type RequestHandler } from "express";
import { ipKeyGenerator, rateLimit } from "express-rate-limit";
import fc from "fast-check";
import request from "supertest";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type RateLimitStore } from "../src/index.js";
import { clientAddress, clientNetwork, makeRateLimiter } from "../src/internal.js";
import type { Hits } from "../src/memory-hits.js";

afterEach(() => {
  vi.useRealTimers();
});

const keyOf = (given: Request): string => given.get("x-key") ?? "";

/** The library with the options of the house. */
const byLibrary = (windowMs: number, limit: number): RequestHandler =>
  rateLimit({
    windowMs,
    limit,
    standardHeaders: "draft-6",
    legacyHeaders: false,
    validate: false,
    keyGenerator: keyOf,
    handler: (_request, _response, next) => next(new Error("Over")),
  });

function serve(limiter: RequestHandler) {
  const app = express();
  app.use(limiter, (given, response) => {
    const { rateLimit: info } = given as Request & { rateLimit?: object };
    response.json(info);
  });
  app.use(((_error, _request, response, _next) => response.status(429).end()) as ErrorRequestHandler);
  return async (key: string): Promise<unknown> => {
    const { status, headers, text, res } = (await request(app).get("/").set("x-key", key)) as request.Response & {
      res: { rawHeaders: string[] };
    };
    const names = res.rawHeaders.filter((name) => /^(ratelimit|retry)/i.test(name));
    return [status, text, names, ...names.map((name) => headers[name.toLowerCase()])];
  };
}

describe("C43 a limit that counts in memory", () => {
  it("answers as express-rate-limit does with its own store, headers byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(900, 1_000, 61_500),
        fc.integer({ min: 0, max: 3 }),
        fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom(0, 1, 300, 899, 1_000, 70_000)), { maxLength: 8 }),
        async (windowMs, limit, hits) => {
          vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: 1_700_000_000_123 });
          const [library, ours] = [
            serve(byLibrary(windowMs, limit)),
            serve(makeRateLimiter({ windowMs, limit, keyOf })),
          ];
          for (const [key, after] of hits) {
            vi.advanceTimersByTime(after);
            expect(await ours(key)).toEqual(await library(key));
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it.each([
    ["at once", (counted: () => Hits) => counted()],
    ["later", async (counted: () => Hits) => counted()],
  ])("C78 answers so where a store counts hits %s, and C60 counts in memory where that fails", async (_, tell) => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_123 });
    let isAway = false;
    let totalHits = 0;
    const told: unknown[] = [];
    const given: unknown[] = [];
    const unused = () => {
      throw new Error("Nobody asks for this.");
    };
    const store: RateLimitStore = {
      init: ({ windowMs, limit }) => void given.push(windowMs, limit),
      hit: () =>
        isAway
          ? Promise.reject(new Error("away"))
          : tell(() => ({ totalHits: ++totalHits, resetTime: new Date(Date.now() + 60_000) })),
      increment: unused,
      decrement: unused,
      resetKey: unused,
    };
    const options = { windowMs: 60_000, limit: 2, keyOf };
    const ours = serve(makeRateLimiter({ ...options, store, onStoreError: (error) => told.push(error) }));
    const library = serve(byLibrary(60_000, 2));
    for (let hit = 0; hit < 3; hit++) expect(await ours("a")).toEqual(await library("a"));
    isAway = true;
    for (let hit = 0; hit < 3; hit++) expect(await ours("b")).toEqual(await library("b"));
    expect([given, told.length]).toEqual([[60_000, 2], 1]);
  });

  it("names clients as the library does", () => {
    for (const ip of [
      "10.1.2.3",
      "::ffff:10.1.2.3",
      "::ffff:a01:203",
      "::FFFF:10.1.2.3",
      "::1",
      "2001:db8:1:2:3:4:5:6",
      "2001:DB8::ff:1",
      "fe80::1%eth0",
      "::1.2.3.4",
      "::0.0.0.1",
      "::",
      "64:ff9b::1.2.3.4",
      "::ffff:0:1.2.3.4",
      "x",
    ]) {
      expect(clientAddress({ ip } as Request), ip).toBe(ipKeyGenerator(ip));
    }
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        const given = { ip } as Request;
        expect([clientAddress(given), clientNetwork(given)]).toEqual([ipKeyGenerator(ip), ipKeyGenerator(ip, 64)]);
      }),
      { numRuns: 500 },
    );
  });
});

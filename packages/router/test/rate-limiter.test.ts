import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from "express";
import { ipKeyGenerator } from "express-rate-limit";
import fc from "fast-check";
import request from "supertest";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type RateLimitStore } from "../src/index.js";
import { clientAddress, clientNetwork, makeRateLimiter } from "../src/internal.js";

afterEach(() => {
  vi.useRealTimers();
});

function serve(limiter: RequestHandler) {
  const app = express();
  app.use(limiter, (given, response) => {
    response.json((given as Request & { rateLimit?: object }).rateLimit);
  });
  app.use(((_error, _request, response, _next) => response.status(429).end()) as ErrorRequestHandler);
  return app;
}

const call = async (app: express.Express): Promise<unknown> => {
  const { status, body, headers } = await request(app).get("/").set("x-key", "a");
  const limits = Object.entries(headers).filter(([name]) => /^(x-)?ratelimit|^retry/.test(name));
  return [status, body, Object.fromEntries(limits)];
};

const keyOf = (given: Request): string => given.get("x-key") ?? "";

/** The responses to three requests with a limit of two requests in 61.5 seconds. */
const expected = [
  [200, 1, { "ratelimit-remaining": "1" }],
  [200, 2, { "ratelimit-remaining": "0" }],
  [429, 3, { "ratelimit-remaining": "0", "retry-after": "62" }],
].map(([status, used, headers]) => [
  status,
  status === 200
    ? { limit: 2, used, remaining: 2 - Number(used), resetTime: "2023-11-14T22:14:21.623Z", key: "a" }
    : {},
  { "ratelimit-policy": "2;w=62", "ratelimit-limit": "2", "ratelimit-reset": "62", ...(headers as object) },
]);

describe("C43 a rate limit", () => {
  it("sends the headers of draft 6, Retry-After with a 429, and leaves its counts to handlers", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_123 });
    const app = serve(makeRateLimiter({ windowMs: 61_500, limit: 2, keyOf }));
    for (const response of expected) expect(await call(app)).toEqual(response);
  });

  it("C78 C60 is the same with a store, and while the store is unavailable, which it reports once", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_123 });
    let isAway = false;
    let totalHits = 0;
    const reported: unknown[] = [];
    const windows: unknown[] = [];
    const store: RateLimitStore = {
      init: ({ windowMs }) => void windows.push(windowMs),
      increment: async () => {
        if (isAway) throw new Error("away");
        return { totalHits: ++totalHits, resetTime: new Date(Date.now() + 61_500) };
      },
      decrement: () => undefined,
      resetKey: () => undefined,
    };
    const onStoreError = (error: unknown) => void reported.push(error);
    const app = serve(makeRateLimiter({ windowMs: 61_500, limit: 2, keyOf, store, onStoreError }));
    for (const response of expected) expect(await call(app)).toEqual(response);
    isAway = true;
    for (const response of expected) expect(await call(app)).toEqual(response);
    expect([windows, reported.length]).toEqual([[61_500], 1]);
  });

  it("allows as many pipelined requests as the limit", async () => {
    const server = serve(makeRateLimiter({ limit: 2 })).listen(0);
    const socket = connect((server.address() as AddressInfo).port);
    socket.end(
      `${"GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3)}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    const received = await text(socket);
    server.close();
    expect(received.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(["200", "200", "429", "429"]);
  });

  it("derives keys of clients as the library does", () => {
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
      "64:ff9b::1.2.3.4",
      "x",
    ]) {
      expect(clientAddress({ ip } as Request), ip).toBe(ipKeyGenerator(ip));
    }
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        const given = { ip } as Request;
        expect([clientAddress(given), clientNetwork(given)]).toEqual([ipKeyGenerator(ip), ipKeyGenerator(ip, 64)]);
      }),
      { numRuns: 100 },
    );
  });
});

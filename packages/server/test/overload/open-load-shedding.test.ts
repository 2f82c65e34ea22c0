import { EventEmitter } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { type DeclaredRoute, makeApp, makeRouteTable, ServiceRouter } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openLoadShedding, withOverload } from "../../src/internal.js";
import type { LoadAllowed, ObservedLoad } from "../../src/overload/assess-load.js";
import { shedLoad } from "../../src/overload/shed-load.js";

const routes = [
  ["/api/health", "health", "read"],
  ["/metrics", "metrics", "metrics"],
  ["/api/auth/login", "auth", "login"],
  ["/api/auth/logout", "auth", "logout"],
  ["/api/books", "books", "findMany"],
] as const;

function makeTable() {
  const app = makeApp();
  const router = ServiceRouter();
  for (const [path, resource, operation] of routes) {
    declareRoute(router, {
      method: operation === "login" || operation === "logout" ? "post" : "get",
      config: { path },
      handlers: [(_request, response) => void response.end()],
      origin: { place: "a test", resource, operation },
    });
  }
  app.use(router);
  return makeRouteTable(app.router);
}

/** A response that only ends. */
class Answer extends EventEmitter {
  status: number | undefined;
  writeHead(status: number): this {
    this.status = status;
    return this;
  }
  end(): this {
    this.emit("close");
    return this;
  }
}

describe("C70 the routes that are always served", () => {
  it("C70 is off without settings", () => {
    const context = { table: makeTable(), pool: undefined, onRejections: () => undefined, cors: [] };
    expect(openLoadShedding(undefined, context)).toBeUndefined();
    const errorsOf = () => [];
    expect(withOverload(errorsOf, undefined)).toBe(errorsOf);
  });

  it("C70 are health, metrics and login, also as HEAD; their documentation has no 503", () => {
    const table = makeTable();
    const shedding = openLoadShedding(
      { maxWait: 100 },
      { table, pool: () => ({ size: 1, waiting: 0 }), onRejections: () => undefined, cors: [] },
    );
    if (shedding === undefined) throw new Error("It is on.");
    const errorsOf = withOverload(() => [], shedding);
    const documented = table.entries.map(({ path, route }) => [
      path,
      errorsOf(route as DeclaredRoute).map(({ code }) => code),
    ]);
    expect(documented).toEqual([
      ["/api/health", []],
      ["/metrics", []],
      ["/api/auth/login", []],
      ["/api/auth/logout", ["Overloaded"]],
      ["/api/books", ["Overloaded"]],
    ]);
  });

  it.each([
    ["GET", "/api/health?x=1", true],
    ["HEAD", "/api/health", true],
    ["GET", "/metrics", true],
    ["POST", "/api/auth/login", true],
    ["GET", "/api/auth/login", false],
    ["POST", "/api/auth/logout", false],
    ["GET", "/api/books", false],
    ["GET", "/unknown", false],
  ])("C70 %s %s under full load runs immediately: %s", (method, url, isServed) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setImmediate"] });
    try {
      // A pool on which everything waits, seen over many checks, fills the service.
      const shedding = openLoadShedding(
        { maxWait: 1 },
        { table: makeTable(), pool: () => ({ size: 1, waiting: 1_000 }), onRejections: () => undefined, cors: [] },
      );
      if (shedding === undefined) throw new Error("It is on.");
      const server = new EventEmitter();
      shedding.watch(server as Server);
      server.emit("listening");
      const request = (target: object): boolean => {
        let isBegun = false;
        shedding.gate(
          { rawHeaders: [], ...target } as unknown as IncomingMessage,
          new Answer() as never as ServerResponse,
          () => {
            isBegun = true;
          },
        );
        return isBegun;
      };
      for (let stored = 0; stored < 500; stored++) request({ method: "GET", url: "/api/books" });
      vi.advanceTimersByTime(5_000);
      expect(request({ method: "GET", url: "/api/books" })).toBe(false);
      expect(request({ method, url })).toBe(isServed);
      server.emit("close");
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("C70 what load shedding reports", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000, toFake: ["setInterval", "clearInterval", "setImmediate", "Date"] });
    vi.spyOn(performance, "now").mockImplementation(() => Date.now());
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  function open() {
    const seen: ObservedLoad[] = [];
    const reported: number[] = [];
    const counts = { rejected: 0 };
    let allowed: LoadAllowed = { max: 100, maxRunning: 1, isFull: false };
    const shedding = shedLoad(
      {
        maxWait: 100,
        pool: () => ({ size: 1, waiting: 0 }),
        isAlwaysServed: () => false,
        reject: (_request, response) => response.writeHead(503).end(),
        countRejection: () => counts.rejected++,
        onRejections: (count) => reported.push(count),
      },
      (load) => {
        seen.push(load);
        return allowed;
      },
    );
    const server = new EventEmitter();
    shedding.watch(server as Server);
    server.emit("listening");
    const request = (): Answer => {
      const response = new Answer();
      shedding.gate({} as IncomingMessage, response as never as ServerResponse, () => undefined);
      return response;
    };
    const check = (): ObservedLoad | undefined => {
      vi.advanceTimersByTime(100);
      return seen.at(-1);
    };
    return {
      ...{ seen, reported, request, check, server, rejected: () => counts.rejected },
      allow: (next: Partial<LoadAllowed>) => {
        allowed = { ...allowed, ...next };
      },
    };
  }

  it("C70 evaluates the finished requests, and the minimum numbers of running and queued ones since the last check", () => {
    const { request, check } = open();
    check();
    const first = request();
    const [second] = [request(), request()];
    expect(check()).toMatchObject({ finished: 0, minRunning: 0, minQueued: 0 });
    expect(check()).toMatchObject({ finished: 0, minRunning: 1, minQueued: 2 });
    // One ends, the next begins, and two more queue.
    first.end();
    vi.advanceTimersByTime(1);
    for (const more of [request(), request()]) more.end();
    expect(check()).toMatchObject({ finished: 1, minRunning: 0, minQueued: 1 });
    second?.end();
    vi.advanceTimersByTime(1);
    expect(check()).toMatchObject({ finished: 1, minQueued: 0 });
  });

  it("C70 runs queued requests as soon as more may run", () => {
    const { request, check, allow } = open();
    check();
    const begun = [request(), request(), request()];
    expect(check()).toMatchObject({ minRunning: 0 });
    allow({ maxRunning: 3 });
    check();
    vi.advanceTimersByTime(1);
    for (const one of begun) one.end();
    expect(check()).toMatchObject({ finished: 3 });
  });

  it("C70 reports the number of rejected requests at most every ten seconds", () => {
    const { request, check, allow, reported, rejected } = open();
    allow({ max: 0, isFull: true });
    check();
    expect(request().status).toBe(503);
    request();
    check();
    expect(reported).toEqual([2]);
    request();
    check();
    expect(reported).toEqual([2]);
    vi.advanceTimersByTime(10_000);
    expect(reported).toEqual([2, 1]);
    vi.advanceTimersByTime(20_000);
    expect([reported, rejected()]).toEqual([[2, 1], 3]);
  });

  it("C70 watches as long as the server listens", () => {
    const { check, seen, server } = open();
    check();
    server.emit("close");
    check();
    expect(seen).toHaveLength(1);
  });
});

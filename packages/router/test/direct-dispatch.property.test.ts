import { tracingChannel } from "node:diagnostics_channel";
import { createServer, type Server, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StartError } from "@servicekit/core";
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from "express";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeApp, mountRoutes, ServiceRouter } from "../src/index.js";

/** Whether a handler was reached past Express's search. */
function isDirect(): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 40;
  const { stack } = new Error("here");
  Error.stackTraceLimit = stackTraceLimit;
  return stack?.includes("dispatchDirectly") === true;
}

function ask(server: Server, method: string, path: string): Promise<unknown[]> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const sent = send({ host: "127.0.0.1", port, method, path, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      const { allow, "content-type": type } = answer.headers;
      answer.on("end", () => resolve([answer.statusCode, allow, type, text]));
    });
    sent.on("error", reject).end();
  });
}

interface Made {
  readonly method: "get" | "post";
  readonly path: string;
  readonly handlers: readonly ("end" | "next" | "route" | "router" | "throw" | "reject" | "rewrite" | "twice")[];
}
interface Part {
  readonly mount: string;
  readonly kind: "router" | "plain" | "plain" | "guarded" | "merging" | "failing";
  readonly routes: readonly Made[];
}

/**
 * A handler goes on twice, the next one leaves the route, and a third one takes the second way: Express may have got to the next
 * route by then or not, by what stands between (decision 11).
 */
const isOrdered = ([first, second, third]: Made["handlers"]): boolean =>
  third === undefined || first !== "twice" || (second !== "route" && second !== "router");

const segment = fc.constantFrom("a", "b", ":x", ":y", "c.d", "%41", "");
const path = fc.array(segment, { maxLength: 3 }).map((parts) => `/${parts.join("/")}`);
const act = fc.constantFrom("end", "end", "end", "next", "route", "router", "throw", "reject", "rewrite", "twice");
const made: fc.Arbitrary<Made> = fc.record({
  method: fc.constantFrom("get", "get", "post"),
  path: fc.oneof(
    path,
    path.map((text) => `${text.replace(/\/$/, "")}/*rest`),
  ),
  handlers: (fc.array(act, { minLength: 1, maxLength: 3 }) as fc.Arbitrary<Made["handlers"]>).filter(isOrdered),
});
const part: fc.Arbitrary<Part> = fc.record({
  mount: fc.oneof(fc.constant("/"), path),
  kind: fc.constantFrom("router", "router", "router", "router", "plain", "guarded", "merging", "failing"),
  routes: fc.array(made, { minLength: 1, maxLength: 8 }),
});
const stray = fc
  .array(fc.constantFrom("a", "b", "c.d", "1", "%41", "%zz", "A", ""), { maxLength: 5 })
  .map((parts) => `/${parts.join("/")}`);
/** A path that a route of the set takes, as a rule. */
const aimed = (parts: readonly Part[]) =>
  fc.tuple(fc.nat(), fc.nat()).map(([one, other]) => {
    const { mount, routes } = parts[one % parts.length] as Part;
    const { path: declared } = routes[other % routes.length] as Made;
    const whole = `${mount.replace(/\/$/, "")}${declared}`;
    return whole.replace(/:x/g, "1").replace(/:y/g, "a").replace("*rest", "a/1");
  });
const requestsOf = (parts: readonly Part[]) =>
  fc.array(
    fc.tuple(
      fc.constantFrom("GET", "GET", "GET", "POST", "HEAD", "OPTIONS"),
      fc
        .oneof({ weight: 4, arbitrary: aimed(parts) }, { weight: 1, arbitrary: stray })
        .chain((text) => fc.constantFrom(text, text, `${text}?q=1`, `${text}/`, `http://host.example${text}`)),
    ),
    { minLength: 1, maxLength: 5 },
  );

/** A handler goes on twice, and the second one fails before Express has got to the route. */
const goneOnTwice: [Part[], [string, string][], boolean] = [
  [
    { mount: "/", kind: "router", routes: [{ method: "get", path: "/", handlers: ["end"] }] },
    { mount: "/", kind: "failing", routes: [{ method: "get", path: "/", handlers: ["end"] }] },
    { mount: "/", kind: "router", routes: [{ method: "get", path: "/a", handlers: ["twice", "reject"] }] },
  ],
  [["GET", "/a"]],
  true,
];

/** A handler goes on when what stands behind it has failed already. */
const goneOnBehindError: typeof goneOnTwice = [
  [{ mount: "/", kind: "router", routes: [{ method: "get", path: "/a", handlers: ["twice", "throw"] }] }],
  [["GET", "/a"]],
  false,
];

/** Errors that need no search for the last handler. */
const failsAtOnce: typeof goneOnTwice = [
  [{ mount: "/", kind: "router", routes: [{ method: "get", path: "/a", handlers: ["throw"] }] }],
  [
    ["GET", "/a"],
    ["GET", "/a?q=1"],
  ],
  false,
];

/** How many handlers were reached directly, and how many errors got to the last handler without Express's search. */
let direct = 0;
let failed = 0;

function build(parts: readonly Part[], trail: string[], stands: boolean, hasOwnLast: boolean): Express {
  const app = makeApp();
  const note = (text: string, given: Request): void => {
    const { method, url, baseUrl, originalUrl, params, route, path: ofPath } = given;
    trail.push(
      JSON.stringify([text, method, url, baseUrl, originalUrl, ofPath, params, route?.path, typeof given.next]),
    );
  };
  const handlerOf =
    (name: string, does: Made["handlers"][number]): RequestHandler =>
    (given, response, next) => {
      note(`${name} ${does}`, given);
      if (isDirect()) direct++;
      // What is rewritten again and again has no end.
      if (trail.length > 40 || does === "end") return void response.json({ name, query: given.query });
      if (does === "throw") throw new Error(name);
      if (does === "reject") return Promise.reject(new Error(name));
      if (does === "rewrite") given.url = "/b/1";
      if (does === "rewrite" && name.endsWith("1")) given.method = "POST";
      if (does === "twice") next();
      return next(does === "route" || does === "router" ? does : undefined);
    };
  const mount = (): void => {
    parts.forEach(({ mount: at, kind, routes }, place) => {
      const router = ServiceRouter({ mergeParams: kind === "merging" });
      if (kind === "guarded")
        router.param("x", (given, _response, next, value) => {
          note(`param ${value}`, given);
          next();
        });
      routes.forEach(({ method, path: declared, handlers }, of) => {
        const run = handlers.map((does, index) => handlerOf(`${place}.${of}.${index}`, does));
        router[method]({ path: declared }, ...run);
      });
      if (kind === "failing")
        router.use(((error: Error, given, _response, next) => {
          note(`caught ${error.message}`, given);
          next(place % 2 === 0 ? error : undefined);
        }) as ErrorRequestHandler);
      if (kind === "plain")
        app.use(at, (given, _response, next) => {
          note(`plain ${place}`, given);
          next();
        });
      app.use(at, router);
    });
    const last: ErrorRequestHandler = (error: Error, given, _response, next) => {
      note(`last ${error.message}`, given);
      next(error);
    };
    if (hasOwnLast) app.use(last);
  };
  const pass: RequestHandler = (_request, _response, next) => next();
  const mounted = {
    global: [],
    route: [],
    ...(stands ? { before: () => void app.use(pass) } : {}),
    mount,
    log: (error: unknown, given: Request) => {
      note(`log ${error}`, given);
      if (new Error("here").stack?.includes("failDirectly")) failed++;
    },
  };
  try {
    mountRoutes(app, mounted);
  } catch (error) {
    // Routes that no request can reach are told at the very end, and are none of this.
    if (!(error instanceof StartError)) throw error;
  }
  return app;
}

/** Behind a handler that has gone on twice, `params` are those of wherever the first way has got to meanwhile. */
function comparable(trail: readonly string[]): readonly string[] {
  const twice = trail.findIndex((entry) => entry.includes(" twice"));
  if (twice < 0) return trail;
  return trail.map((entry, at) => (at <= twice ? entry : JSON.stringify(JSON.parse(entry).toSpliced(6, 1))));
}

describe("direct dispatch", () => {
  it("reaches the same handlers in the same order, with the same request, as through Express", async () => {
    let current: Express = express();
    const server = createServer((given, response) => current(given as Request, response as never));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      await fc.assert(
        fc.asyncProperty(
          fc
            .array(part, { minLength: 1, maxLength: 5 })
            .chain((parts) => fc.tuple(fc.constant(parts), requestsOf(parts), fc.boolean())),
          async ([parts, requests, hasOwnLast]) => {
            const trails: [string[], string[]] = [[], []];
            const apps = [build(parts, trails[0], false, hasOwnLast), build(parts, trails[1], true, hasOwnLast)];
            for (const [method, url] of requests) {
              const answers: unknown[] = [];
              for (const app of apps) {
                current = app;
                const answer = await ask(server, method, url);
                answers.push(answer);
              }
              // Whoever goes on behind an answer may do so a turn later.
              for (let turn = 0; turn < 5; turn++) await nextTurn();
              const [one, other] = trails.map((trail) => comparable(trail.splice(0)));
              expect([answers[0], one]).toEqual([answers[1], other]);
            }
          },
        ),
        {
          numRuns: Number(process.env.PROPERTY_RUNS ?? 80),
          examples: [[goneOnTwice], [goneOnBehindError], [failsAtOnce]],
        },
      );
    } finally {
      server.close();
    }
    expect(direct).toBeGreaterThan(5);
    expect(failed).toBeGreaterThan(1);
  }, 120_000);

  describe("is left to Express", () => {
    const answer: RequestHandler = (_request, response) => void response.json({ isDirect: isDirect() });
    const serveOne = (before: (app: Express) => void): Express => {
      const app = makeApp();
      const router = ServiceRouter();
      router.get({ path: "/a/:id" }, answer);
      router.get({ path: "/b" }, answer, ((_error: unknown, _request: unknown, _response: unknown, next: () => void) =>
        next()) as never);
      mountRoutes(app, { global: [], route: [], before, mount: () => void app.use("/in", router) });
      return app;
    };
    const isReached = async (app: Express, path: string): Promise<unknown> => {
      const server = createServer(app);
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const [, , , text] = await ask(server, "GET", path);
      server.close();
      return JSON.parse(String(text)).isDirect;
    };

    it("where a handler of the application stands between, or may see the request another way", async () => {
      const plain = () => undefined;
      expect(await isReached(serveOne(plain), "/in/a/1")).toBe(true);
      expect(
        await isReached(
          serveOne((app) => void app.use("/other", (_q, _s, next) => next())),
          "/in/a/1",
        ),
      ).toBe(true);
      expect(
        await isReached(
          serveOne((app) => void app.use("/in", (_q, _s, next) => next())),
          "/in/a/1",
        ),
      ).toBe(false);
      expect(
        await isReached(
          serveOne((app) => void app.param("id", (_q, _s, next) => next())),
          "/in/a/1",
        ),
      ).toBe(false);
      expect(await isReached(serveOne(plain), "/in/a/%41")).toBe(false);
      expect(await isReached(serveOne(plain), "/in/b")).toBe(false);
    });

    it("where another method of its path or a callback of a parameter was added after the first request", async () => {
      const app = makeApp();
      const router = ServiceRouter();
      const early = router.route("/b");
      early.get((_request, response) => void response.json({ isDirect: "early" }));
      router.post({ path: "/b" }, answer);
      mountRoutes(app, { global: [], route: [], mount: () => void app.use("/in", router) });
      const server = createServer(app);
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const post = async (): Promise<unknown> => JSON.parse(String((await ask(server, "POST", "/in/b"))[3])).isDirect;
      expect([await post(), await post()]).toEqual([true, true]);
      router.param("id", (_request, _response, next) => next());
      expect(await post()).toBe(false);
      early.post((_request, response) => void response.json({ isDirect: "early" }));
      expect(await post()).toBe("early");
      server.close();
    });

    it("while somebody listens to what Express does", async () => {
      const channel = tracingChannel("express.router.request");
      const listener = { start: () => undefined } as never;
      channel.subscribe(listener);
      expect(
        await isReached(
          serveOne(() => undefined),
          "/in/a/1",
        ),
      ).toBe(false);
      channel.unsubscribe(listener);
      expect(
        await isReached(
          serveOne(() => undefined),
          "/in/a/1",
        ),
      ).toBe(true);
    });
  });
});

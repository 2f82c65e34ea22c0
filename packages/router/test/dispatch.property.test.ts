import { createServer } from "node:http";
import express, { Router } from "express";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServiceRouter } from "../src/index.js";

type Make = (options?: { caseSensitive?: boolean; strict?: boolean; mergeParams?: boolean }) => express.IRouter;

interface Registration {
  readonly kind: "route" | "all" | "use" | "mount" | "rewrite" | "error";
  readonly method: "get" | "post" | "delete";
  readonly path: string | RegExp | (string | RegExp)[];
  readonly target: string;
  readonly inner: readonly { readonly path: string; readonly method: "get" | "post"; readonly ends: boolean }[];
  /** Whether it answers, goes on, leaves the route, leaves the router or throws. */
  readonly act: "end" | "next" | "route" | "router" | "throw";
}

const segment = fc.constantFrom("a", "A", "b", "c.d", ":x", ":y", ":x.:y", "v-:n", "%41", "ä", "_", "~", "");
const plainPath = fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
const pattern: fc.Arbitrary<Registration["path"]> = fc.oneof(
  { weight: 8, arbitrary: plainPath },
  { weight: 2, arbitrary: plainPath.map((path) => `${path.replace(/\/$/, "")}/*rest`) },
  { weight: 2, arbitrary: plainPath.map((path) => `${path.replace(/\/$/, "")}{/:opt}`) },
  { weight: 1, arbitrary: plainPath.map((path) => `${path}{b}/c`) },
  { weight: 1, arbitrary: fc.constantFrom(/^\/a/, /b\/?$/i, /^\/(?<name>[ab])\/(.*)$/) },
  { weight: 1, arbitrary: fc.array(fc.oneof(plainPath, fc.constant(/c/)), { minLength: 1, maxLength: 3 }) },
);

const target = fc
  .array(fc.constantFrom("a", "A", "b", "c.d", "1", "v-7", "%41", "%zz", "x.y", "", "K", "%C3%A4"), { maxLength: 5 })
  .map((parts) => `/${parts.join("/")}`)
  .chain((path) => fc.constantFrom(path, `${path}?q=1`, `${path}/`));

const registration: fc.Arbitrary<Registration> = fc.record({
  kind: fc.constantFrom("route", "route", "route", "route", "all", "use", "mount", "rewrite", "error"),
  method: fc.constantFrom("get", "post", "delete"),
  path: pattern,
  target,
  inner: fc.array(fc.record({ path: plainPath, method: fc.constantFrom("get", "post"), ends: fc.boolean() }), {
    maxLength: 10,
  }),
  act: fc.constantFrom("end", "next", "next", "route", "router", "throw"),
});

/** A repeated parameter name is refused by nobody, but a bad pattern is: such sets are left out. */
function build(make: Make, registrations: readonly Registration[], options: object, trail: string[]) {
  const router = make(options);
  const note = (text: string, request: express.Request) =>
    trail.push(`${text} ${request.method} ${request.baseUrl} ${request.url} ${JSON.stringify(request.params)}`);
  registrations.forEach(({ kind, method, path, target, inner, act }, index) => {
    const handler: express.RequestHandler = (request, response, next) => {
      note(`${index}`, request);
      if (kind === "rewrite") {
        // Once only, or two of them would play with the request for ever.
        if (!trail.includes(`rewritten ${index}`)) {
          trail.push(`rewritten ${index}`);
          request.url = target;
          if (act === "end") request.method = method.toUpperCase();
        }
        return next();
      }
      if (act === "end") response.end("done");
      else if (act === "throw") throw new Error(`thrown ${index}`);
      else if (act === "next") next();
      else next(act);
    };
    if (kind === "route") router[method](path as string, handler);
    else if (kind === "all") router.all(path as string, handler);
    else if (kind === "error") {
      router.use(
        path as string,
        (error: Error, request: express.Request, _r: express.Response, next: express.NextFunction) => {
          note(`error ${index} ${error.message}`, request);
          next(act === "next" ? undefined : error);
        },
      );
    } else if (kind === "mount") {
      const sub = make({ mergeParams: index % 2 === 0 });
      inner.forEach((entry, at) => {
        sub[entry.method](entry.path, (request, response, next) => {
          note(`${index}.${at}`, request);
          if (entry.ends) response.end("inner");
          else next();
        });
      });
      router.use(path as string, sub);
    } else router.use(path as string, handler);
  });
  return router;
}

describe("dispatch", () => {
  let current: { router: express.IRouter; trail: string[] };
  const app = express();
  app.use((request, response) => {
    current.router(request, response, (error?: unknown) => {
      current.trail.push(`left ${request.url} ${request.baseUrl} ${error instanceof Error ? error.message : error}`);
      response.end("left");
    });
  });
  const server = createServer(app);
  let base = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  });
  afterAll(() => server.close());

  async function ask(make: Make, registrations: readonly Registration[], options: object, method: string, url: string) {
    const trail: string[] = [];
    current = { router: build(make, registrations, options, trail), trail };
    const answer = await fetch(base + url, { method });
    return [...trail, answer.status, answer.headers.get("allow"), await answer.text()];
  }

  it("reaches the same handlers in the same order as Express's own router", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(registration, { minLength: 6, maxLength: 24 }),
        fc.record({ caseSensitive: fc.boolean(), strict: fc.boolean() }),
        fc.array(fc.tuple(fc.constantFrom("GET", "POST", "HEAD", "OPTIONS", "DELETE"), target), {
          minLength: 1,
          maxLength: 4,
        }),
        async (registrations, options, requests) => {
          try {
            build(Router, registrations, options, []);
          } catch {
            fc.pre(false);
          }
          for (const [method, url] of requests) {
            const expected = await ask(Router, registrations, options, method, url);
            expect(await ask(ServiceRouter as Make, registrations, options, method, url)).toEqual(expected);
          }
        },
      ),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 150) },
    );
  }, 60_000);
});

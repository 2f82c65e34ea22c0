import { request as send } from "node:http";
import { type AuthConfig, ServiceRouter } from "@servicekit/service";
import express, { type Express, type RequestHandler } from "express";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { form, png } from "../../../../packages/uploads/test/samples.js";
import { makeUploadStarter } from "../uploads/serve-uploads.js";

const { serve, create, logged, closeAll } = makeUploadStarter();
afterEach(closeAll);

const rule = { resource: "book", action: "Print", rule: ["ADMIN"] };
const roles = (text: string | string[] | undefined): string[] => (typeof text === "string" ? text.split(",") : []);
const authentication: Partial<AuthConfig> = {
  mode: "static",
  accounts: false,
  identify: ({ headers }) =>
    headers["x-user"] === undefined
      ? undefined
      : { id: String(headers["x-user"]), roles: roles(headers["x-roles"]), user: {} },
};

/** A router with a route for each declared key. */
function makeRouter(): ServiceRouter {
  const router = makeRouterWithoutBodyParsers();
  addBodyParsers(router);
  return router;
}

function makeRouterWithoutBodyParsers(): ServiceRouter {
  const router = ServiceRouter();
  router.get({ path: "/secret", authentication: rule }, (_request, response) => void response.json({ secret: true }));
  router.get(
    { path: "/limited", rateLimit: { windowMs: 60_000, max: 1 } },
    (_request, response) => void response.json({}),
  );
  router.get(
    { path: "/text", queryParser: { parseNumber: false } },
    (request, response) => void response.json(request.query),
  );
  router.get({ path: "/plain-query", queryParser: false }, (request, response) => void response.json(request.query));
  router.post(
    { path: "/valid", validation: { body: z.object({ name: z.string() }) } },
    (request, response) => void response.json(request.body),
  );
  router.get({ path: "/plain", compression: false }, (_request, response) => void response.json("a".repeat(5_000)));
  router.get(
    { path: "/packed", compression: { threshold: 1 } },
    (_request, response) => void response.json("a".repeat(50)),
  );
  router.post(
    { path: "/photo", experimental: { uploads: { type: "single", field: "photo" } } },
    (request, response) => void response.json({ size: request.file?.size }),
  );
  return router;
}

function addBodyParsers(router: ServiceRouter): void {
  router.post(
    { path: "/small", bodyParser: [{ parser: "json", options: { limit: 20 } }] },
    (request, response) => void response.json(request.body),
  );
  router.post({ path: "/raw", bodyParser: false }, async (request, response) => {
    const bytes: Buffer[] = [];
    for await (const chunk of request) bytes.push(chunk as Buffer);
    response.send(`raw ${Buffer.concat(bytes)}`);
  });
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly encoding: string | undefined;
}

/** Sends requests like Node, so that a compressed response is read as it was sent. */
function query(
  url: string,
  init: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const requested = send(url, { method: init.method ?? "GET", headers: init.headers ?? {} }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          encoding: response.headers["content-encoding"],
        }),
      );
    });
    requested.on("error", reject).end(init.body);
  });
}

const json = (body: unknown) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
const gzip = { headers: { "accept-encoding": "gzip" } };

/** The effect of a declared key if it works, or the status of the response if it does not. */
type Observe = (at: string) => Promise<unknown>;

const keys: readonly (readonly [key: string, observe: Observe, expected: unknown])[] = [
  [
    "authentication",
    async (at) => [
      (await query(`${at}/secret`)).status,
      (await query(`${at}/secret`, { headers: { "x-user": "1", "x-roles": "USER" } })).status,
      (await query(`${at}/secret`, { headers: { "x-user": "1", "x-roles": "ADMIN" } })).status,
    ],
    [401, 403, 200],
  ],
  [
    "rateLimit",
    async (at) => [(await query(`${at}/limited`)).status, (await query(`${at}/limited`)).status],
    [200, 429],
  ],
  [
    "bodyParser with a limit",
    async (at) => [
      (await query(`${at}/small`, json({ a: 1 }))).status,
      (await query(`${at}/small`, json({ a: "a".repeat(40) }))).status,
    ],
    [200, 413],
  ],
  ["bodyParser: false", async (at) => (await query(`${at}/raw`, json({ a: 1 }))).text, 'raw {"a":1}'],
  ["queryParser", async (at) => (await query(`${at}/text?a=1`)).text, '{"a":"1"}'],
  ["queryParser: false", async (at) => (await query(`${at}/plain-query?a__gte=1`)).text, '{"a__gte":"1"}'],
  [
    "validation",
    async (at) => [
      (await query(`${at}/valid`, json({ name: "a" }))).status,
      (await query(`${at}/valid`, json({}))).status,
    ],
    [200, 400],
  ],
  ["compression: false", async (at) => (await query(`${at}/plain`, gzip)).encoding, undefined],
  ["compression", async (at) => (await query(`${at}/packed`, gzip)).encoding, "gzip"],
  [
    "experimental.uploads",
    async (at) => (await fetch(`${at}/photo`, { method: "POST", body: form(["photo", png, "a.png"]) })).json(),
    { size: png.length },
  ],
];

const wrapped =
  (router: RequestHandler): RequestHandler =>
  (request, response, next) =>
    router(request, response, next);

type Mount = (router: ServiceRouter) => {
  readonly configureApp?: (app: Express) => void;
  readonly use?: RequestHandler[];
  readonly late?: (app: Express) => void;
};

const addLate: Mount = () => {
  const router = ServiceRouter();
  return { use: [ServiceRouter().use("/c", router)], late: () => void router.use(makeRouter()) };
};
const ways: readonly (readonly [way: string, mount: Mount])[] = [
  ["given to use", (router) => ({ use: [ServiceRouter().use("/c", router)] })],
  ["mounted by configureApp", (router) => ({ configureApp: (app) => app.use("/c", router) })],
  ["below a prefix", (router) => ({ configureApp: (app) => app.use("/c", ServiceRouter().use("/", router)) })],
  ["in a plain router", (router) => ({ configureApp: (app) => app.use(express.Router().use("/c", router)) })],
  ["in an inner application", (router) => ({ configureApp: (app) => app.use("/c", express().use(router)) })],
  ["wrapped in a handler", (router) => ({ configureApp: (app) => app.use("/c", wrapped(router)) })],
  [
    "in an application wrapped in a handler",
    (router) => ({ configureApp: (app) => app.use("/c", wrapped(express().use(router))) }),
  ],
  ["added to a mounted router after the start", addLate],
];
const inHandler: Mount = (router) => ({ use: [express.Router().use("/c", wrapped(router))] });
const inApplication: Mount = (router) => ({ use: [express().use("/c", router)] });
const unseen: readonly (readonly [way: string, mount: Mount])[] = [
  ["wrapped in a handler of use", inHandler],
  ["in an inner application of use", inApplication],
];

async function start(mount: Mount, router = makeRouter()): Promise<string> {
  const { late, ...config } = mount(router);
  const { service, url } = await serve({ authentication: authentication as AuthConfig, ...config });
  late?.(service.app);
  return `${url}/c`;
}

describe("C82 a declared key of an application's router works or the request is rejected", () => {
  describe.each(ways)("%s", (_way, mount) => {
    it.each(keys)("C82 applies %s", async (_key, observe, expected) => {
      expect(await observe(await start(mount))).toEqual(expected);
    });
  });

  // The body is read before the router is entered, so its declared body options apply too late.
  const tooLate = ["bodyParser with a limit", "bodyParser: false"];
  describe.each(unseen)("%s", (_way, mount) => {
    it.each(keys.filter(([key]) => !tooLate.includes(key)))("C82 applies %s", async (_key, observe, expected) => {
      expect(await observe(await start(mount, makeRouterWithoutBodyParsers()))).toEqual(expected);
    });
  });

  it("C82 returns 500 if a handler of use has hidden the declared parser, and logs the cause", async () => {
    const at = await start(inHandler);
    for (const path of ["/small", "/raw"]) {
      const { status, text } = await query(at + path, json({ a: 1 }));
      expect([status, text]).toEqual([500, expect.not.stringContaining("bodyParser")]);
    }
    const causes = logged().flatMap(({ err }) => (err === undefined ? [] : [(err as { message: string }).message]));
    expect(causes).toEqual([
      expect.stringMatching(
        /^The body of POST \/small \(apps\/integration\/test\/routers\/mounted-routers\.test\.ts:\d+\) was read/,
      ),
      expect.stringMatching(/^The body of POST \/raw /),
    ]);
  });

  it("C82 prevents startup if an inner application of use has hidden the declared parser", async () => {
    await expect(start(inApplication)).rejects.toThrow(
      /POST \/small \(.*: bodyParser cannot apply inside an express\(\) application.*\n.*POST \/raw /,
    );
  });

  it("C82 returns 404 for a router mounted after the end of the application", async () => {
    const at = await start((router) => ({ late: (app) => app.use("/c", router) }));
    expect((await query(`${at}/secret`)).status).toBe(401);
    expect((await query(`${at}/secret`, { headers: { "x-user": "1", "x-roles": "ADMIN" } })).status).toBe(404);
  });
});

describe("C82 without authentication in the configuration", () => {
  it.each<[string, Mount]>([ways[1], ways[2], ways[3]] as [string, Mount][])(
    "C82 a declared authentication prevents startup: %s",
    async (_way, mount) => {
      await expect(create(mount(makeRouter()))).rejects.toThrow(/authentication requires the block authentication/);
    },
  );

  it.each<[string, Mount]>([...ways.slice(4), ...unseen] as [string, Mount][])(
    "C82 a declared authentication that startup cannot find is 500 with the cause in the log: %s",
    async (_way, mount) => {
      const { late, ...config } = mount(makeRouterWithoutBodyParsers());
      const { service, url } = await serve(config);
      late?.(service.app);
      expect(await query(`${url}/c/secret`, { headers: { "x-user": "1", "x-roles": "ADMIN" } })).toMatchObject({
        status: 500,
      });
      expect(JSON.stringify(logged())).toMatch(/GET \/secret .*authentication requires the block authentication/);
      expect((await query(`${url}/c/valid`, json({ name: "a" }))).status).toBe(200);
    },
  );

  it("C82 returns 500 on every path to such a route, whatever the request was matched to before", async () => {
    const hidden = ServiceRouter();
    hidden.get({ path: "/:name", authentication: true }, (_request, response) => response.json({ secret: true }));
    const visible = ServiceRouter();
    for (const path of ["/b", "/c"]) visible.get({ path }, (_request, _response, next) => next());
    const call: RequestHandler = (request, response, next) => hidden(request, response, next);
    const { url } = await serve({ use: [visible, call] });
    const statuses = [];
    for (const path of ["/a", "/b", "/c", "/b", "/a"]) statuses.push((await query(url + path)).status);
    expect(statuses).toEqual([500, 500, 500, 500, 500]);
  });
});

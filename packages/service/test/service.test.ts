import { type AddressInfo, connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { pino } from "pino";
import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import service, { httpErrors, ServiceRouter } from "../src/index.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const running of open.splice(0)) await running.close();
});
/** No file and no variable of this machine, and no log. */
const alone = { directory: import.meta.dirname, environment: { NODE_ENV: "test" }, argv: [] };
const quiet = { logger: pino({ level: "silent" }) };
const create: typeof service.create = async (config, runtime = {}) => {
  const created = await service.create({ ...quiet, ...config }, { ...alone, ...runtime });
  open.push(created);
  return created;
};
const init: typeof service.init = async (config, runtime = {}) => {
  const started = await service.init({ port: 0, host: "127.0.0.1", ...quiet, ...config }, { ...alone, ...runtime });
  open.push(started);
  return started;
};

describe("a service without models", () => {
  it("C1 has exactly a message at the welcome endpoint", async () => {
    const { app } = await create({ welcomeMessage: "Hello" });
    const response = await request(app).get("/api");
    expect([response.status, response.body]).toEqual([200, { message: "Hello" }]);
  });

  it("C46 lists no resources at available-resources, and documents the route", async () => {
    const { app, openapi } = await create();
    const response = await request(app).get("/api/available-resources");
    expect([response.status, response.body]).toEqual([200, { data: [] }]);
    expect((await openapi()).paths).toHaveProperty(["/api/available-resources"]);
  });

  it("C3 returns every error as a problem with the request id", async () => {
    const { app } = await create();
    const response = await request(app).get("/api/nothing").set("X-Request-Id", "abc-1");
    expect(response.type).toBe("application/problem+json");
    expect(response.headers["x-request-id"]).toBe("abc-1");
    expect(response.body).toEqual({
      type: "https://servicekit.github.io/servicekit/errors#notfound",
      title: "Not Found",
      status: 404,
      detail: "No resource exists at this path.",
      instance: "/api/nothing",
      code: "NotFound",
      requestId: "abc-1",
    });
  });

  it("C5 creates a request id if the client's is missing or invalid", async () => {
    const { app } = await create();
    const made = await request(app).get("/api");
    const replaced = await request(app).get("/api").set("X-Request-Id", "a b\tc");
    expect(made.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(replaced.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("C5 responds to OPTIONS and a wrong method with Allow, and to HEAD if there is GET", async () => {
    const { app } = await create();
    const options = await request(app).options("/api");
    expect([options.status, options.headers.allow]).toEqual([204, "GET, HEAD"]);
    const wrong = await request(app).post("/api");
    expect([wrong.status, wrong.headers.allow, wrong.body.code]).toEqual([405, "GET, HEAD", "MethodNotAllowed"]);
    const head = await request(app).head("/api");
    expect([head.status, head.text]).toEqual([200, undefined]);
  });
});

it("C52 hashes no passwords without authentication", async () => {
  const { hashPassword } = await create();
  await expect(hashPassword("x")).rejects.toThrow("No authentication is configured, so passwords cannot be hashed.");
});

describe("C54 use", () => {
  it("runs handlers before any route, routers after the built-in ones, error handlers before ours", async () => {
    const seen: string[] = [];
    const router = ServiceRouter();
    router.post({ path: "/orders", validation: { body: z.strictObject({ n: z.int() }) } }, (req) => {
      seen.push(`route ${req.body.n}`);
      throw httpErrors.Conflict("Taken.");
    });
    const plain = express.Router().get("/plain", (_req, res) => void res.json({ data: "plain" }));
    const onError: ErrorRequestHandler = (error, _req, _res, next) => {
      seen.push("error handler");
      next(error);
    };
    const onRequest: RequestHandler = (req, _res, next) => {
      seen.push(`handler ${JSON.stringify(req.body)}`);
      next();
    };
    const { app } = await create({ use: [onError, router, plain, onRequest] });
    const response = await request(app).post("/orders").send({ n: 1 });
    expect([response.status, response.body.code, response.body.detail]).toEqual([409, "Conflict", "Taken."]);
    expect(seen).toEqual(['handler {"n":1}', "route 1", "error handler"]);
    expect((await request(app).get("/plain")).body).toEqual({ data: "plain" });
  });

  it("prevents startup if one route is declared twice, and names both places", async () => {
    const router = ServiceRouter();
    router.get({ path: "/a/:id" }, (_req, res) => void res.json({}));
    router.get({ path: "/a/:name" }, (_req, res) => void res.json({}));
    await expect(create({ use: [router] })).rejects.toThrow(/service\.test\.ts:\d+[\s\S]*service\.test\.ts:\d+/);
  });
});

describe("C38 configuration", () => {
  it("reports every unknown key with the nearest known one, and every wrong type", async () => {
    const config = { prot: 1, port: "80", limits: { page: { maximum: 5 } }, routers: { strict: "no" } };
    const error = await create(config as never).then(
      () => undefined,
      (reason: Error) => reason.message,
    );
    expect(error).toMatchInlineSnapshot(`
      "The service cannot start (4 errors):
        - port (the init object): found "80" (text), expected an integer from 0 to 65535.
        - routers.strict (the init object): found "no" (text), expected true, false or "no-bulk".
        - limits.page.maximum (the init object): Unknown key. Did you mean max?
        - prot (the init object): Unknown key. Did you mean port?"
    `);
  });

  it("uses the port of the configuration, then PORT, then 8000", async () => {
    expect((await create({ port: 1234 }, { environment: { PORT: "2345" } })).config.port).toBe(1234);
    expect((await create({}, { environment: { PORT: "2345" } })).config.port).toBe(2345);
    expect((await create({})).config.port).toBe(8000);
    await expect(create({}, { environment: { PORT: "many" } })).rejects.toThrow(
      /PORT: found "many".*expected an integer from 0 to 65535/,
    );
  });

  it("requires DATABASE_URL if a client is to be created, with an example", async () => {
    const database = { client: () => expect.unreachable(), models: { format: 1, enums: [], models: [] } } as never;
    await expect(create({ database })).rejects.toThrow(/DATABASE_URL: is missing.*postgresql:\/\//);
  });

  it("runs configureApp before anything is mounted and configureServer before it listens", async () => {
    const order: string[] = [];
    const { server } = await init({
      configureApp: async (app) => {
        await setImmediate();
        order.push(`app with ${app.router.stack.length} layers`);
      },
      configureServer: (made) => {
        order.push(made.listening ? "listens" : "does not listen yet");
        made.keepAliveTimeout = 1234;
      },
    });
    expect(order).toEqual(["app with 0 layers", "does not listen yet"]);
    expect(server.keepAliveTimeout).toBe(1234);
  });
});

describe("C40 starting and stopping", () => {
  it("reports a port in use without side effects", async () => {
    const first = await init();
    const { port } = first.server.address() as AddressInfo;
    await expect(init({ port })).rejects.toThrow(
      `127.0.0.1:${port}: Cannot listen: the port is in use; stop the other program, or choose another port (PORT=${port + 1}).`,
    );
    expect((await fetch(`${first.url}/api`)).status).toBe(200);
  });

  it("suggests the port before the last one, if that is in use", async () => {
    // Another program may use it already.
    await init({ port: 65_535 }).catch(() => undefined);
    await expect(init({ port: 65_535 })).rejects.toThrow("choose another port (PORT=65534).");
  });

  it("reports an address that it cannot listen at", async () => {
    await expect(init({ host: "203.0.113.1" })).rejects.toThrow(
      "203.0.113.1:0: Cannot listen: this machine does not have this address; choose another host (HOST=127.0.0.1).",
    );
    await expect(init({ host: "nowhere.invalid" })).rejects.toThrow(
      /nowhere\.invalid:0: Cannot listen: (the host name does not resolve|getaddrinfo EAI_AGAIN)/,
    );
  });

  it("isolates two services in one process", async () => {
    const [one, two] = await Promise.all([init({ welcomeMessage: "one" }), init({ welcomeMessage: "two" })]);
    await one.close();
    expect(await (await fetch(`${two.url}/api`)).json()).toEqual({ message: "two" });
    await expect(fetch(`${one.url}/api`)).rejects.toThrow();
  });

  it("C41 completes running requests, then closes; those that exceed the drain time are aborted", async () => {
    const router = ServiceRouter();
    let begun = 0;
    const responses: (() => void)[] = [];
    router.get({ path: "/late" }, (_req, res) => {
      begun++;
      responses.push(() => res.json({ data: "done" }));
    });
    router.get({ path: "/never" }, () => void begun++);
    const running = await init({ use: [router], shutdown: { drain: 500 } });
    const quick = fetch(`${running.url}/late`).then((response) => response.json());
    const slow = fetch(`${running.url}/never`).catch(() => "cut");
    await expect.poll(() => begun).toBe(2);
    const closing = running.close();
    for (const reply of responses) reply();
    await closing;
    expect(await quick).toEqual({ data: "done" });
    expect(await slow).toBe("cut");
  });

  it("leaves no listener on the process", async () => {
    const names = ["SIGTERM", "SIGINT", "unhandledRejection", "uncaughtException"];
    const before = names.map((name) => process.listenerCount(name));
    await (await init()).close();
    expect(names.map((name) => process.listenerCount(name))).toEqual(before);
  });
});

it("C43 disconnects a client that does not send its headers in time", async () => {
  const { server } = await init({ timeouts: { headers: 300 } });
  const { port } = server.address() as AddressInfo;
  const reply = await new Promise<string>((resolve) => {
    const slow = connect(port, "127.0.0.1", () => slow.write("GET /api HTTP/1.1\r\nHost: a\r\n"));
    let text = "";
    slow.on("data", (chunk) => {
      text += chunk;
    });
    slow.on("close", () => resolve(text));
  });
  expect(reply).toContain("408");
});

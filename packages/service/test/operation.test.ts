import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { sendJson } from "@servicekit/router";
import type { Response } from "express";
import { SMTPServer } from "smtp-server";
import { afterEach, describe, expect, it } from "vitest";
import { blockEventLoop } from "../../../scripts/test/block-event-loop.js";
import { ServiceRouter } from "../src/index.js";
import { makeHealthRouter } from "../src/routers/health-router.js";
import { makeStarter } from "./start.js";

const { create, init, closeAll, logged, logText } = makeStarter();
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  await closeAll();
  for (const act of cleanUp.splice(0)) await act();
});

const router = ServiceRouter();
router.post({ path: "/users/:id" }, (req, res) => sendJson(res, 200, { data: req.body }));
router.get({ path: "/fail" }, () => {
  throw new Error("the reason");
});
router.get({ path: "/never" }, () => undefined);
router.get({ path: "/stalls" }, async (_req, res) => {
  // It arrives while the process is blocked.
  const text = readFile(import.meta.filename, "utf8");
  blockEventLoop(1_000);
  sendJson(res, 200, { read: (await text).length > 0 });
});
/** Requests that wait until the test responds to them. */
const late: Response[] = [];
router.get({ path: "/late" }, (_req, res) => void late.push(res));
const answerLate = (): void => {
  for (const response of late.splice(0)) response.json({});
};
/** Responds when it is released. */
router.get({ path: "/overdue" }, async (_req, res) => {
  await once(res, "finish");
  res.json({});
});
router.get({ path: "/stream" }, async (_req, res) => {
  for (let i = 0; i < 6; i++) {
    res.write("x");
    await wait(60);
  }
  res.end("end");
});

/** Everything that arrives on a connection until it is closed. */
async function text(socket: Socket): Promise<string> {
  let came = "";
  for await (const chunk of socket) came += chunk;
  return came;
}

const secrets = { authorization: "Bearer abc.def", cookie: "access_token=abc", "x-api-key": "k-123" };

describe("C42 the log", () => {
  it("has a line for each response: the route's template, not the URL", async () => {
    const { url } = await init({ use: [router] });
    await fetch(`${url}/users/7?token=s3cret`, { method: "POST" });
    await fetch(`${url}/nothing`, { headers: { "x-request-id": "r-1" } });
    const lines = () => logged().filter(({ msg }) => msg === "request");
    await expect.poll(() => lines().length).toBe(2);
    expect(lines()).toEqual([
      expect.objectContaining({ level: 30, method: "POST", route: "/users/:id", status: 200, ms: expect.any(Number) }),
      expect.objectContaining({ route: "(no route)", status: 404, requestId: "r-1" }),
    ]);
    expect(logText()).not.toContain("s3cret");
  });

  it("C69 contains the client's address and the bytes of the response, and has probes at debug", async () => {
    const { url } = await init({ use: [router], trustProxy: 1 });
    const headers = { "content-type": "application/json", "x-forwarded-for": "203.0.113.7" };
    const { headers: responded } = await fetch(`${url}/users/7`, { method: "POST", headers, body: '{"a":1}' });
    await fetch(`${url}/api/health/live`);
    const lines = () => logged().filter(({ msg }) => msg === "request");
    await expect.poll(() => lines().length).toBe(2);
    const [requested, probed] = lines();
    expect(requested).toMatchObject({ level: 30, client: "203.0.113.7" });
    expect(Number(requested?.bytes)).toBeGreaterThan(Number(responded.get("content-length")));
    expect(probed).toMatchObject({ level: 20, route: "/api/health/live" });
  });

  it("C69 has the level of LOG_LEVEL and of the setting, and rejects other words", async () => {
    const levelOf = async (config: object, LOG_LEVEL?: string) => {
      const environment = { NODE_ENV: "test", ...(LOG_LEVEL === undefined ? {} : { LOG_LEVEL }) };
      return (await create({ logger: undefined, ...config } as object, { environment })).logger.level;
    };
    expect([await levelOf({}), await levelOf({}, "warn"), await levelOf({ logLevel: "debug" }, "warn")]).toEqual([
      "info",
      "warn",
      "debug",
    ]);
    await expect(levelOf({}, "wran")).rejects.toThrow(/LOG_LEVEL: found[\s\S]*Did you mean "warn"/);
  });

  it("C69 reports where it listens and what it serves, that it drains, what it aborts, and that it stopped", async () => {
    const running = await init({ use: [router] });
    const left = fetch(`${running.url}/never`).catch(() => "cut");
    await expect
      .poll(() => new Promise((resolve) => running.server.getConnections((_, count) => resolve(count))))
      .toBe(1);
    await fetch(`${running.url}/api/health/live`);
    await running.close({ drain: 50 });
    expect(await left).toBe("cut");
    const message = logged().filter(({ msg }) => !["request", "request started"].includes(String(msg)));
    expect(message).toEqual([
      expect.objectContaining({
        msg: "listening",
        url: running.url,
        models: 0,
        routes: expect.any(Number),
        studio: expect.any(String),
        documentation: `${running.url}/api/api-docs`,
        authentication: "off: every route is open to everyone",
      }),
      expect.objectContaining({ msg: "draining", running: 1 }),
      expect.objectContaining({
        level: 40,
        msg: expect.stringContaining("was aborted"),
        method: "GET",
        route: "/never",
      }),
      expect.objectContaining({ msg: "stopped" }),
    ]);
  });

  it("C69 reports the studio and the documentation as off if they are not served", async () => {
    const { url } = await init({ studio: true }, { environment: { NODE_ENV: "production" } });
    await init({ studio: true, routers: { disable: ["studio", "api-docs"] } });
    expect(logged().filter(({ msg }) => msg === "listening")).toMatchObject([
      { studio: `${url}/api/studio`, documentation: "off", nodeEnv: "production" },
      { studio: "off", documentation: "off", nodeEnv: "test" },
    ]);
  });

  it("is off with requestLogger: false, and still logs errors with their cause under the request id", async () => {
    const { url } = await init({ use: [router], middlewares: { requestLogger: false } });
    const { requestId, detail } = (await (await fetch(`${url}/fail`)).json()) as Record<string, string>;
    expect(detail).not.toContain("the reason");
    expect(logged().filter(({ level }) => Number(level) >= 50)).toEqual([
      expect.objectContaining({ level: 50, requestId, err: expect.objectContaining({ message: "the reason" }) }),
    ]);
  });

  it.each([
    [0, undefined, []],
    [1, undefined, []],
    [2, undefined, ["headers", "params", "query"]],
    [3, undefined, ["body", "headers", "params", "query"]],
    [3, ["Query", "Body"], ["body", "query"]],
    [2, ["Body"], []],
  ])("contains at level %i with the filter %j the parts %j, never a secret", async (level, filter, parts) => {
    const requests = filter === undefined ? { level } : { level, filter };
    const { url } = await init({ use: [router], debugging: { requests } });
    await fetch(`${url}/users/7?page=1&accessToken=t-1`, {
      method: "POST",
      headers: { ...secrets, "content-type": "application/json" },
      body: JSON.stringify({ name: "Ada", password: "p-1", nested: { refreshToken: "t-2" } }),
    });
    await expect.poll(() => logged().some(({ msg }) => msg === "request")).toBe(true);
    const [line, ...more] = logged().filter(({ msg }) => msg === "request started");
    expect(more).toEqual([]);
    if (level === 0) expect(line).toBeUndefined();
    else {
      const shown = ["body", "headers", "params", "query"].filter((part) => line?.[part] !== undefined);
      expect(shown).toEqual(parts);
      if (parts.includes("params")) expect(line?.params).toEqual({ id: "7" });
      if (parts.includes("body"))
        expect(line?.body).toEqual({ name: "Ada", password: "***", nested: { refreshToken: "***" } });
    }
    expect(logged().some(({ msg }) => msg === "response sent")).toBe(level === 3);
    expect(logText()).not.toMatch(/abc\.def|access_token=abc|k-123|p-1|t-1|t-2/);
  });
});

describe("C41 health", () => {
  it("is live, and ready without a database, exempt from the rate limit", async () => {
    const { url } = await init({ middlewares: { rateLimit: { limit: 1 } } });
    for (let i = 0; i < 5; i++) {
      expect(await (await fetch(`${url}/api/health/live`)).json()).toEqual({ status: "live" });
      expect(await (await fetch(`${url}/api/health/ready`)).json()).toEqual({ status: "ready", checks: {} });
    }
    expect((await fetch(`${url}/api`)).status).toBe(200);
    expect((await fetch(`${url}/api`)).status).toBe(429);
  });

  it("C41 caches the results of its checks for a second, and logs once that one fails", async () => {
    let requested = 0;
    const check = async (): Promise<void> => {
      requested++;
      throw new Error("it is away");
    };
    const checks = [{ name: "thing", isVital: true, check }];
    const service = await create();
    const health = makeHealthRouter({ checks, isDraining: () => false, logger: service.logger });
    const { url } = await init({ routers: { replace: { health } } });
    const ready = async () => (await fetch(`${url}/api/health/ready`)).json();
    const responses = await Promise.all(Array.from({ length: 50 }, ready));
    expect(responses[49]).toEqual({ status: "unavailable", checks: { thing: "down" } });
    expect(requested).toBeLessThan(40);
    const before = requested;
    await expect.poll(async () => [await ready(), requested].at(-1)).toBe(before + 1);
    expect(logged().filter(({ msg }) => msg === "not ready")).toEqual([
      expect.objectContaining({ level: 50, check: "thing", err: expect.objectContaining({ message: "it is away" }) }),
    ]);
  });

  it("is not ready while it drains", async () => {
    const running = await init({ use: [router] });
    const { port } = running.server.address() as AddressInfo;
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.write("GET /late HTTP/1.1\r\nHost: a\r\n\r\n");
    await expect.poll(() => late.length).toBe(1);
    const closed = once(socket, "close");
    const closing = running.close();
    // A running request keeps its connection open, and another can follow on it.
    const followed = once(running.server, "request");
    socket.write("GET /api/health/ready HTTP/1.1\r\nHost: a\r\n\r\n");
    await followed;
    answerLate();
    await Promise.all([closing, closed]);
    expect(text).toMatch(/200 OK[\s\S]*503 Service Unavailable[\s\S]*draining/);
  });
});

describe("C66 the delay before the shutdown", () => {
  it("continues to serve while readiness is 503, and each response is the last on its connection", async () => {
    const running = await init({ use: [router] });
    const { port } = running.server.address() as AddressInfo;
    const [idle, busy] = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
    await Promise.all([once(idle, "connect"), once(busy, "connect")]);
    busy.write("GET /late HTTP/1.1\r\nHost: a\r\n\r\n");
    await expect.poll(() => late.length).toBe(1);
    const closed = Promise.all([text(idle), text(busy)]);
    const closing = running.close({ delay: 60_000 });
    const ready = await fetch(`${running.url}/api/health/ready`);
    expect([ready.status, ready.headers.get("connection"), await ready.json()]).toEqual([
      503,
      "close",
      { status: "draining", checks: {} },
    ]);
    const other = await fetch(`${running.url}/users/1`, { method: "POST" });
    expect([other.status, other.headers.get("connection")]).toEqual([200, "close"]);
    // A request on an idle connection in that time is handled too.
    idle.write("GET /api/health/live HTTP/1.1\r\nHost: a\r\n\r\n");
    answerLate();
    const [first, second] = await closed;
    expect(first).toMatch(/^HTTP\/1\.1 200 [\s\S]*^connection: close\r$/im);
    // It was running when the shutdown started.
    expect(second).toMatch(/^HTTP\/1\.1 200 [\s\S]*^connection: close\r$/im);
    await Promise.all([running.close(), closing]);
    await expect(fetch(`${running.url}/api`)).rejects.toThrow();
  });

  it("keeps idle connections for timeouts.keepAlive, 72 s by default", async () => {
    expect((await init()).server.keepAliveTimeout).toBe(72_000);
    expect((await init({ timeouts: { keepAlive: 5_000 } })).server.keepAliveTimeout).toBe(5_000);
  });

  it("is 5 s only in production", async () => {
    const delayOf = async (nodeEnv: string) =>
      (await create({}, { environment: { NODE_ENV: nodeEnv } })).config.shutdown.delay;
    expect([await delayOf("production"), await delayOf("development"), await delayOf("test")]).toEqual([5_000, 0, 0]);
  });
});

it("C41 sends a large response completely, however slowly it is read, when the service stops", async () => {
  const large = ServiceRouter();
  large.get({ path: "/large", compression: false }, (_req, res) => void res.json({ data: "x".repeat(20_000_000) }));
  const running = await init({ use: [large] });
  const socket = connect((running.server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(socket, "readable");
  const closing = running.close();
  await expect.poll(() => logged().some(({ msg }) => msg === "draining")).toBe(true);
  let received = 0;
  socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
  });
  await once(socket, "close");
  await closing;
  expect(received).toBeGreaterThan(20_000_000);
});

describe("C43 time limits", () => {
  const timeouts = { request: 150, idle: 200 };

  it("return 504 for a handler that never responds, and ignore it afterwards", async () => {
    const { url } = await init({ use: [router], timeouts });
    const response = await fetch(`${url}/never`);
    const body = (await response.json()) as Record<string, unknown>;
    expect([response.status, body.code, body.requestId]).toEqual([
      504,
      "GatewayTimeout",
      response.headers.get("x-request-id"),
    ]);
    expect((await fetch(`${url}/overdue`)).status).toBe(504);
    expect((await fetch(`${url}/api`)).status).toBe(200);
  });

  it("C67 do not count while the process itself is paused", async () => {
    const { url } = await init({ use: [router], timeouts: { ...timeouts, request: 500 } });
    expect(await (await fetch(`${url}/stalls`)).json()).toEqual({ read: true });
  });

  it("let a response that has started continue", async () => {
    const { url } = await init({ use: [router], timeouts });
    expect(await (await fetch(`${url}/stream`)).text()).toBe("xxxxxxend");
  });

  it("end a body that stops with 408, and not one that is slow but steady", async () => {
    const { server } = await init({ use: [router], timeouts });
    const { port } = server.address() as AddressInfo;
    const send = async (chunks: readonly string[], pause: number): Promise<string> => {
      const socket = connect(port, "127.0.0.1");
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk;
      });
      const length = chunks.join("").length;
      socket.write(
        `POST /users/1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`,
      );
      const closed = new Promise((resolve) => socket.once("close", resolve));
      for (const chunk of chunks) {
        await wait(pause);
        socket.write(chunk);
      }
      await closed;
      return text;
    };
    expect(await send(['{"a":', "1", "2", "3", "}"], 100)).toContain('{"data":{"a":123}}');
    const socket = connect(port, "127.0.0.1");
    const cut = new Promise<string>((resolve) => {
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk;
      });
      socket.on("close", () => resolve(text));
    });
    socket.write("POST /users/1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
    expect(await cut).toMatch(/408[\s\S]*RequestTimeout/);
  });
});

describe("C32 email", () => {
  it("is sent through the server of the settings, from a handler too", async () => {
    const mails: string[] = [];
    const server = new SMTPServer({
      disabledCommands: ["STARTTLS"],
      onAuth: ({ username, password }, _session, callback) =>
        callback(password === "pass" ? null : new Error("no"), { user: username }),
      onData: (stream, _session, callback) => {
        let text = "";
        stream.on("data", (chunk: Buffer) => {
          text += chunk;
        });
        stream.on("end", () => {
          mails.push(text);
          callback();
        });
      },
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanUp.push(() => new Promise<void>((resolve) => server.close(resolve)));
    const { port } = server.server.address() as AddressInfo;
    const sending = ServiceRouter();
    sending.post({ path: "/send" }, async (req, res) => {
      await req.app.locals.mailer.send({ to: "ada@example.com", subject: "Hello", text: "From a handler" });
      res.json({});
    });
    const email = { host: "127.0.0.1", port, secure: false, auth: { user: "shop@example.com", pass: "pass" } };
    const running = await init({ use: [sending], email });
    await running.mailer.verify();
    expect((await fetch(`${running.url}/send`, { method: "POST" })).status).toBe(200);
    expect(mails).toEqual([expect.stringContaining("From a handler")]);
  });

  it("without settings fails when used, not at startup", async () => {
    const { mailer } = await create();
    await expect(mailer.send({ to: "a@example.com", subject: "x", text: "x" })).rejects.toThrow(/email/);
  });
});

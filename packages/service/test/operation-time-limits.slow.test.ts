import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { PassThrough, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { ErrorRequestHandler, Request } from "express";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunningService, ServiceRouter } from "../src/index.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logged } = makeStarter();
const warnings: Error[] = [];
const warn = (warning: Error) => warnings.push(warning);
beforeEach(() => {
  warnings.length = 0;
  process.on("warning", warn);
});
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await closeAll();
  process.off("warning", warn);
  expect(warnings).toEqual([]);
});

/** A connection, everything received on it, and when it was closed. */
function open({ server }: RunningService) {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  return { socket, text: () => text, closed: once(socket, "close").then(() => text) };
}
const head = (path: string, length: number, more = "") =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`;
const until = async (check: () => boolean): Promise<void> => {
  for (let i = 0; i < 3_000 && !check(); i++) await wait(20);
  expect(check()).toBe(true);
};
const timersRunning = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

function routes() {
  const router = ServiceRouter();
  const post = (path: string, handler: (request: Request, reply: (data: unknown) => void) => unknown) =>
    router.post({ path, bodyParser: false }, async (req, res) => {
      await handler(req as Request, (data) => void res.json({ data }));
    });
  post("/unread", async (_req, reply) => {
    await wait(2_250);
    reply("done");
  });
  post("/forgotten", () => undefined);
  post("/iterated", async (req, reply) => {
    let bytes = 0;
    for await (const chunk of req) bytes += (chunk as Buffer).length;
    reply(bytes);
  });
  post("/slow-sink", async (req, reply) => {
    let bytes = 0;
    let pauses = [2_000, 1_750];
    const sink = new Writable({
      highWaterMark: 1,
      write(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        const [pause = 0, ...rest] = pauses;
        pauses = rest;
        setTimeout(done, pause);
      },
    });
    await pipeline(req, sink);
    reply(bytes);
  });
  post("/stuck-sink", (req) => {
    req.pipe(new Writable({ highWaterMark: 1, write: () => undefined }));
  });
  post("/busy", (req, reply) => {
    const until = Date.now() + 1_500;
    while (Date.now() < until);
    req.resume().on("end", () => reply("done"));
  });
  router.post({ path: "/read" }, (req, res) => void res.json({ data: req.body }));
  router.get({ path: "/late" }, async (_req, res) => {
    res.cookie("a", "b").location("/elsewhere").links({ next: "/2" }).type("text/html").set("ETag", '"x"');
    res.set("Cache-Control", "public, max-age=60");
    await wait(300);
    for (let i = 0; i < 3; i++) res.write("late");
    new PassThrough().end("late").pipe(res);
  });
  router.post({ path: "/prepared" }, (_req, res) => void res.end());
  return router;
}

const start = (config = {}) => init({ use: [routes()], timeouts: { request: 10_000, idle: 1_000 }, ...config });

describe("C43 silence while a body is received", () => {
  it("does not count while the handler works without reading, whether bytes arrive or not", async () => {
    const running = await start();
    const silent = open(running);
    silent.socket.write(`${head("/unread", 100, "Connection: close\r\n")}{`);
    const steady = open(running);
    steady.socket.write(head("/unread", 1_000, "Connection: close\r\n"));
    for (let i = 0; i < 9; i++) {
      await wait(250);
      steady.socket.write("x");
    }
    expect(await silent.closed).toMatch(/^HTTP\/1\.1 200 [\s\S]*"data":"done"/);
    expect(await steady.closed).toMatch(/^HTTP\/1\.1 200 [\s\S]*"data":"done"/);
  });

  it("does not count while the target of the body is slow", async () => {
    const running = await start();
    const { socket, closed } = open(running);
    const bytes = 8_000_000;
    socket.write(head("/slow-sink", bytes, "Connection: close\r\n"));
    socket.write(Buffer.alloc(bytes));
    expect(await closed).toMatch(new RegExp(`^HTTP/1\\.1 200 [\\s\\S]*"data":${bytes}`));
  });

  it("does not count while the process is paused", async () => {
    const running = await start();
    const { socket, closed } = open(running);
    socket.write(`${head("/busy", 2, "Connection: close\r\n")}{`);
    await wait(20);
    socket.write("}");
    expect(await closed).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each(["/read", "/iterated"])("is 408 if the service waits: %s", async (path) => {
    const running = await start();
    const { socket, closed } = open(running);
    socket.write(`${head(path, 100)}{`);
    await wait(500);
    socket.write(" ");
    const reply = await closed;
    expect(reply).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"RequestTimeout"/);
    expect(reply).toMatch(/^connection: close\r$/im);
  });

  it("does not change the time for which Node keeps an idle connection", async () => {
    const running = await start({
      configureServer: (server: { keepAliveTimeout: number; keepAliveTimeoutBuffer?: number }) => {
        server.keepAliveTimeout = 150;
        server.keepAliveTimeoutBuffer = 0;
      },
    });
    const { socket, text, closed } = open(running);
    socket.write(`${head("/read", 7)}{"a":1}`);
    await until(() => text().includes('{"data":{"a":1}}'));
    await closed;
  });
});

describe("C43 the time of a request", () => {
  it.each(["/forgotten", "/stuck-sink"])("limits a handler that does not read the complete body: %s", async (path) => {
    const running = await start({ timeouts: { request: 1_000, idle: 300 } });
    const { socket, text } = open(running);
    socket.write(head(path, 50_000_000));
    socket.write(Buffer.alloc(4_000_000));
    await until(() => text().includes("GatewayTimeout"));
    expect(text()).toMatch(/^HTTP\/1\.1 504 /);
  });

  it("removes what the late handler had set, and ignores what it writes afterwards", async () => {
    const { url } = await start({ timeouts: { request: 100 } });
    const response = await fetch(`${url}/late`);
    expect([response.status, response.headers.get("content-type")]).toEqual([504, "application/problem+json"]);
    for (const name of ["etag", "set-cookie", "location", "link", "cache-control"]) {
      expect([name, response.headers.get(name)]).toEqual([name, null]);
    }
    expect(((await response.json()) as { code: string }).code).toBe("GatewayTimeout");
    await wait(400);
    expect((await fetch(`${url}/api`)).status).toBe(200);
    expect(logged().filter(({ code }) => code === "GatewayTimeout")).toHaveLength(1);
  });

  it("longer than Node's maximum timer is no limit", async () => {
    const { url } = await start({ timeouts: { request: 1e12, idle: 1e12 }, shutdown: { drain: 1e12 } });
    expect((await fetch(`${url}/read`, { method: "POST", body: "" })).status).not.toBe(504);
  });

  it("passes through the error handlers of the application, once", async () => {
    const seen: string[] = [];
    const first: ErrorRequestHandler = (error, _req, _res, next) => {
      seen.push(`first ${error.code}`);
      next(error);
    };
    const failing: ErrorRequestHandler = (_error, _req, _res, _next) => Promise.reject(new Error("in the handler"));
    const last: ErrorRequestHandler = (error, _req, res, _next) => {
      seen.push(`last ${error.message}`);
      res.status(504).json({ mine: true });
    };
    const { url } = await start({
      use: [routes(), first, failing],
      timeouts: { request: 100 },
      middlewares: { errorHandler: last },
    });
    const response = await fetch(`${url}/forgotten`, { method: "POST", body: "{}" });
    expect([response.status, await response.json()]).toEqual([504, { mine: true }]);
    expect(seen).toEqual(["first GatewayTimeout", "last in the handler"]);
  });

  it("is handled by Express itself with errorHandler: false", async () => {
    const { url } = await start({ timeouts: { request: 100 }, middlewares: { errorHandler: false } });
    const response = await fetch(`${url}/forgotten`, { method: "POST" });
    expect([response.status, response.headers.get("content-type")]).toEqual([504, "text/html; charset=utf-8"]);
  });
});

describe("C43 clients that are slow or disconnect", () => {
  it("200 concurrent bodies: the silent get 408, the slow are served, and no timer or listener remains", async () => {
    const running = await start();
    await (await fetch(`${running.url}/api`)).text();
    const before = timersRunning();
    const slow = Array.from({ length: 100 }, () => open(running));
    const silent = Array.from({ length: 100 }, () => open(running));
    for (const { socket } of [...slow, ...silent]) socket.write(`${head("/read", 10, "Connection: close\r\n")}{`);
    for (const part of ['"a":', " ", " ", "1", " }"]) {
      await wait(450);
      for (const { socket } of slow) socket.write(part);
    }
    const responses = await Promise.all(silent.map(({ closed }) => closed));
    expect(responses.every((text) => text.startsWith("HTTP/1.1 408 "))).toBe(true);
    const served = await Promise.all(slow.map(({ closed }) => closed));
    expect(served.every((text) => text.startsWith("HTTP/1.1 200 "))).toBe(true);
    expect((await fetch(`${running.url}/api`)).status).toBe(200);
    await until(() => timersRunning() <= before + 1);
  });

  it("a disconnect during a body or a response leaves no timer", async () => {
    const running = await start();
    const before = timersRunning();
    for (const path of ["/read", "/unread", "/iterated", "/stuck-sink", "/forgotten"]) {
      for (let i = 0; i < 10; i++) {
        const { socket } = open(running);
        socket.write(`${head(path, 100)}{`);
        setTimeout(() => socket.destroy(), 5 * i);
      }
    }
    await wait(100);
    expect((await fetch(`${running.url}/api`)).status).toBe(200);
    await until(() => timersRunning() <= before + 1);
    expect(logged().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it("one connection serves many bodies without a growing number of listeners", async () => {
    const running = await start();
    const { socket, text } = open(running);
    let serverSocket: Socket | undefined;
    running.server.on("request", (request) => {
      serverSocket = request.socket;
    });
    const counts: number[] = [];
    for (let i = 1; i <= 30; i++) {
      socket.write(`${head("/read", 7)}{"a":1}`);
      await until(() => text().split('{"data":{"a":1}}').length > i);
      counts.push(
        (serverSocket?.eventNames() ?? []).reduce((sum, name) => sum + (serverSocket?.listenerCount(name) ?? 0), 0),
      );
    }
    expect(counts.at(-1)).toBe(counts[1]);
  });
});

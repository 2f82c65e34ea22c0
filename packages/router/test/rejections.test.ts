import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { PassThrough, type Readable } from "node:stream";
import { httpErrors } from "@servicekit/core";
import express, { type Express, type RequestHandler } from "express";
import { afterEach, describe, expect, it } from "vitest";
import {
  makeBodyParserStep,
  makeQueryParserStep,
  makeServer,
  makeValidationStep,
  type RouteStep,
  ServiceRouter,
} from "../src/index.js";
import { serve, type Wiring } from "./serve.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(app: Express): Promise<number> {
  const server = makeServer(app);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Admits requests with a header, and records each authentication. */
function gate(looks: string[] = []): RouteStep {
  return {
    key: "authentication",
    handlers: (value, route) =>
      value !== true
        ? []
        : [
            async (request, _response, next) => {
              looks.push(route?.path ?? "");
              if (request.headers.authorization === undefined) throw httpErrors.Unauthorized();
              next();
            },
          ],
  };
}

const echo: RequestHandler = (request, response) => {
  response.json({ body: request.body ?? null });
};

function gated(looks: string[] = [], wiring: Partial<Wiring> = {}): Express {
  const step = gate(looks);
  return serve(
    (app) => {
      const router = ServiceRouter();
      router.post({ path: "/closed", authentication: true }, echo);
      router.post({ path: "/raw", authentication: true, bodyParser: false }, echo);
      router.post({ path: "/open" }, echo);
      router.post({ path: "/on/:id", authentication: true }, (_request, _response, next) => next("route"));
      router.post({ path: "/on/2", authentication: true }, echo);
      app.use(router);
    },
    {
      global: [step, makeBodyParserStep(), makeQueryParserStep()],
      route: [step, makeValidationStep()],
      ...wiring,
    },
  );
}

/** The response text of a connection; `until` ends the wait. */
function reader(socket: Socket) {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  return {
    until: async (part: string): Promise<string> => {
      while (!text.includes(part)) await once(socket, "data");
      return text;
    },
    closed: (): Promise<string> =>
      new Promise((resolve) => {
        if (socket.destroyed) resolve(text);
        else socket.once("close", () => resolve(text));
      }),
  };
}

async function readByIterator(stream: Readable): Promise<string> {
  let body = "";
  for await (const chunk of stream) body += chunk;
  return body;
}

async function readByEvents(stream: Readable): Promise<string> {
  let body = "";
  stream.on("data", (chunk) => {
    body += chunk;
  });
  await once(stream, "end");
  return body;
}

const head = (path: string, lines: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, "Host: x", "Content-Type: application/json", ...lines, "", ""].join("\r\n");

describe("C58 authentication before the body is read", () => {
  it.each([
    ["a body that has not come yet", ["Content-Length: 100"]],
    ["a body that is too large", ["Content-Length: 100000000"]],
    ["a body without a length", ["Transfer-Encoding: chunked"]],
    ["a media type that nobody takes", ["Content-Length: 100", "Content-Type: image/png"]],
    ["an encoding that nobody takes", ["Content-Length: 100", "Content-Encoding: x"]],
    ["a malformed query", ["Content-Length: 100"]],
  ])("returns 401 to %s", async (what, lines) => {
    const socket = connect(await listen(gated()), "127.0.0.1");
    const reply = reader(socket);
    const path = what === "a malformed query" ? "/closed?a[=1" : "/closed";
    const own = lines.some((line) => line.startsWith("Content-Type"));
    socket.write(own ? head(path, lines).replace("Content-Type: application/json\r\n", "") : head(path, lines));
    expect(await reply.until("}")).toMatch(/^HTTP\/1\.1 401[\s\S]*"code":"Unauthorized"/);
    socket.destroy();
  });

  it("returns 401 for a body that cannot be parsed, and 400 to an authorized caller", async () => {
    const port = await listen(gated());
    const post = (path: string, headers = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: "POST",
        body: "{",
        headers: { "content-type": "application/json", ...headers },
      });
    expect((await post("/closed")).status).toBe(401);
    expect((await post("/closed", { authorization: "x" })).status).toBe(400);
    expect((await post("/open")).status).toBe(400);
  });

  it("runs once per route, and for a fall-through on entering the next one", async () => {
    const looks: string[] = [];
    const port = await listen(gated(looks));
    const reply = await fetch(`http://127.0.0.1:${port}/on/2`, {
      method: "POST",
      body: '{"a":1}',
      headers: { "content-type": "application/json", authorization: "x" },
    });
    expect([reply.status, await reply.json()]).toEqual([200, { body: { a: 1 } }]);
    expect(looks).toEqual(["/on/:id", "/on/2"]);
  });

  it("runs for the route of a rewritten URL", async () => {
    const looks: string[] = [];
    const rewrite: RequestHandler = (request, _response, next) => {
      if (request.url === "/old") request.url = "/closed";
      next();
    };
    const port = await listen(gated(looks, { before: (app) => app.use(rewrite) }));
    expect((await fetch(`http://127.0.0.1:${port}/old`, { method: "POST" })).status).toBe(401);
    expect(looks).toEqual(["/closed"]);
  });

  it("does not count a rejection as passed when an error handler reverts it", async () => {
    const looks: string[] = [];
    const port = await listen(
      gated(looks, {
        before: (app) => {
          app.use((_error: unknown, _request: unknown, _response: unknown, next: () => void) => next());
        },
      }),
    );
    expect((await fetch(`http://127.0.0.1:${port}/closed`, { method: "POST" })).status).toBe(401);
    expect(looks).toEqual(["/closed", "/closed"]);
  });

  it("provides the parsed body to plain middleware", async () => {
    const seen: unknown[] = [];
    const port = await listen(
      gated([], {
        before: (app) =>
          app.use((request, _response, next) => {
            seen.push(request.body);
            next();
          }),
      }),
    );
    const options = { method: "POST", body: '{"a":1}', headers: { "content-type": "application/json" } };
    await fetch(`http://127.0.0.1:${port}/closed`, options);
    await fetch(`http://127.0.0.1:${port}/closed`, { ...options, headers: { ...options.headers, authorization: "x" } });
    expect(seen).toEqual([{ a: 1 }]);
  });
});

describe("the unread body of a rejected request", () => {
  it("C58 is not requested if the client waits with it", async () => {
    const socket = connect(await listen(gated()), "127.0.0.1");
    const reply = reader(socket);
    socket.write(head("/closed", ["Content-Length: 100000", "Expect: 100-continue"]));
    const text = await reply.closed();
    expect(text).toMatch(/^HTTP\/1\.1 401/);
    expect(text).toMatch(/Connection: close/i);
  });

  it.each(["/open", "/closed"])("C58 is requested by %s when it is read", async (path) => {
    const socket = connect(await listen(gated()), "127.0.0.1");
    const reply = reader(socket);
    socket.write(head(path, ["Content-Length: 7", "Expect: 100-continue", "Authorization: x"]));
    await reply.until("HTTP/1.1 100 Continue");
    socket.write('{"a":1}');
    expect(await reply.until('{"body":{"a":1}}')).toContain("HTTP/1.1 200");
    socket.destroy();
  });

  it.each([
    ["for await", readByIterator],
    ["data events", readByEvents],
    ["a pipe", (request: IncomingMessage) => readByEvents(request.pipe(new PassThrough()))],
  ])("C58 sends 100 Continue when a handler reads the body with %s", async (_way, read) => {
    const app = express().post("/", async (request, response) => void response.send(await read(request)));
    const socket = connect(await listen(app), "127.0.0.1");
    const received = reader(socket);
    socket.write(head("/", ["Content-Length: 4", "Expect: 100-continue"]));
    await received.until("HTTP/1.1 100 Continue");
    socket.write("body");
    expect(await received.until("\r\n\r\nbody")).toContain("HTTP/1.1 200");
    socket.destroy();
  });

  it("is not requested if it is not read", async () => {
    const socket = connect(await listen(gated()), "127.0.0.1");
    const reply = reader(socket);
    socket.write(head("/raw", ["Content-Length: 7", "Expect: 100-continue", "Authorization: x"]));
    const text = await reply.closed();
    expect(text).toMatch(/^HTTP\/1\.1 200/);
  });

  it("is discarded if it is short, and the connection stays open", async () => {
    const socket = connect(await listen(gated()), "127.0.0.1");
    const reply = reader(socket);
    socket.write(head("/closed", ["Content-Length: 1000"]));
    await reply.until("HTTP/1.1 401");
    socket.write("x".repeat(1000));
    socket.write(head("/closed", ["Content-Length: 2", "Authorization: x"]));
    socket.write("{}");
    expect(await reply.until('{"body":{}}')).toContain("HTTP/1.1 200");
    socket.destroy();
  });

  it.each(["/closed", "/open"])(
    "does not prevent the sender of a large one from reading the response of %s",
    async (path) => {
      const port = await listen(gated());
      const size = 8 * 1024 * 1024;
      for (let round = 0; round < 5; round++) {
        const socket = connect(port, "127.0.0.1");
        const reply = reader(socket);
        socket.write(head(path, [`Content-Length: ${size}`]));
        // A client that reads the response only when it has sent everything.
        const sent = new Promise<Error | null | undefined>((resolve) => socket.write(Buffer.alloc(size, 32), resolve));
        expect(await sent).toBeFalsy();
        const text = await reply.closed();
        expect(text).toMatch(path === "/open" ? /^HTTP\/1\.1 413/ : /^HTTP\/1\.1 401/);
        expect(text).toMatch(/Connection: close/i);
      }
    },
  );

  it("closes the connection of an endless sender", async () => {
    const socket = connect(await listen(gated()), "127.0.0.1");
    const reply = reader(socket);
    socket.write(head("/closed", ["Transfer-Encoding: chunked"]));
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const pump = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on("drain", pump);
    pump();
    expect(await reply.closed()).toMatch(/^HTTP\/1\.1 401/);
  });
});

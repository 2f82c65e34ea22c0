import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import express from "express";
import { afterEach, expect, it } from "vitest";
import { blockEventLoop } from "../../../scripts/test/block-event-loop.js";
import { type HttpServerOptions, makeServer } from "../src/index.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

async function start(options: HttpServerOptions): Promise<{ server: Server; open: () => Promise<Socket> }> {
  const app = express().get("/", (_request, response) => void response.send("answer"));
  const server = makeServer(app, { connectionsCheckingInterval: 50, ...options });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const open = async (): Promise<Socket> => {
    const accepted = once(server, "connection");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("utf8");
    await Promise.all([accepted, once(socket, "connect")]);
    // A server that has closed the connection may also reset it.
    return socket.on("error", () => undefined);
  };
  return { server, open };
}

it.each([
  { headersTimeout: 3_000, requestTimeout: 0 },
  { headersTimeout: 3_000, requestTimeout: 3_000 },
])("C67 processes a request that arrived during a stall shorter than the time limits %j", async (limits) => {
  const { open } = await start(limits);
  for (let round = 0; round < 2; round++) {
    const socket = await open();
    socket.write(request);
    blockEventLoop(500);
    const [response] = await once(socket, "data");
    expect(response).toContain("HTTP/1.1 200");
    socket.destroy();
  }
});

it("C67 returns 408 to a new connection after a stall longer than headersTimeout, and serves the next one", async () => {
  const { open } = await start({ headersTimeout: 500, requestTimeout: 0 });
  const late = await open();
  late.write(request);
  blockEventLoop(1_000);
  expect((await once(late, "data"))[0]).toContain("HTTP/1.1 408");
  const next = await open();
  next.write(request);
  expect((await once(next, "data"))[0]).toContain("HTTP/1.1 200");
});

it("C67 closes an idle connection after a stall longer than keepAliveTimeout, and serves a new one", async () => {
  const { open } = await start({ keepAliveTimeout: 100 });
  const stored = await open();
  stored.write(request);
  expect((await once(stored, "data"))[0]).toContain("HTTP/1.1 200");
  const received: unknown[] = [];
  stored.on("data", (chunk) => received.push(chunk));
  stored.write(request);
  // Node waits a second longer than it announces to the client.
  blockEventLoop(1_500);
  await new Promise((resolve) => stored.once("close", resolve));
  expect(received).toEqual([]);
  const next = await open();
  next.write(request);
  expect((await once(next, "data"))[0]).toContain("HTTP/1.1 200");
});

it("C67 returns 408 to a client that sends no complete headers in time", async () => {
  const { open, server } = await start({ headersTimeout: 200, requestTimeout: 400 });
  const silent = await open();
  expect((await once(silent, "data"))[0]).toContain("HTTP/1.1 408");
  server.headersTimeout = 100;
  const partial = await open();
  partial.write("GET / HT");
  expect((await once(partial, "data"))[0]).toContain("HTTP/1.1 408");
});

import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import express from "express";
import { afterEach, expect, it } from "vitest";
import { type HttpServerOptions, makeServer } from "../src/index.js";

/** Holds the event loop, as a long computation does. */
function stall(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

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
    return socket;
  };
  return { server, open };
}

it.each([
  { headersTimeout: 1_000, requestTimeout: 0 },
  { headersTimeout: 1_000, requestTimeout: 1_000 },
])("F14 C67 a request that came while the process stood still is no late one %j", async (limits) => {
  const { open } = await start(limits);
  for (let round = 0; round < 2; round++) {
    const socket = await open();
    socket.write(request);
    stall(2_500);
    const [answer] = await once(socket, "data");
    expect(answer).toContain("HTTP/1.1 200");
    socket.destroy();
  }
});

it("F14 C67 a request on a kept connection is answered when the process stood still for longer than it is kept", async () => {
  const { open } = await start({ keepAliveTimeout: 500 });
  const socket = await open();
  for (let round = 0; round < 2; round++) {
    socket.write(request);
    if (round > 0) stall(3_000);
    const [answer] = await once(socket, "data");
    expect(answer).toContain("HTTP/1.1 200");
  }
  // Nothing came, so it is closed as before.
  await once(socket, "close");
});

it("F14 C67 a client that is silent has its limit all the same", async () => {
  const { open, server } = await start({ headersTimeout: 700, requestTimeout: 900 });
  const socket = await open();
  stall(2_000);
  const [answer] = await once(socket, "data");
  expect(answer).toContain("408");
  server.headersTimeout = 300;
  const quicker = await open();
  quicker.write("GET / HT");
  expect((await once(quicker, "data"))[0]).toContain("408");
});

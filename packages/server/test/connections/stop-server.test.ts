import { once } from "node:events";
import http, { type ServerResponse } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { watchConnections } from "../../src/index.js";
import { connectRaw, listen, packet } from "../serve.js";

/** A server whose responses wait until the test sends them. */
async function serve() {
  const stored = new Map<string, ServerResponse>();
  const server = http.createServer((request, response) => void stored.set(request.url ?? "", response));
  const connections = watchConnections(server);
  const port = await listen(server);
  const cut: (string | undefined)[] = [];
  const stop = (drain = 60_000) => connections.stop(drain, ({ url }) => cut.push(url));
  const reply = (url: string) => stored.get(url)?.end(url);
  return { stored, server, connections, port, cut, stop, response: reply };
}

describe("C44 the stop of a server", () => {
  it("C44 counts the requests without a complete response", async () => {
    const { connections, port, stored, response: reply } = await serve();
    const client = await connectRaw(port, packet("/1", "/2"));
    await expect.poll(() => stored.size).toBe(2);
    expect(connections.count()).toBe(2);
    reply("/1");
    reply("/2");
    await expect.poll(() => connections.count()).toBe(0);
    await expect.poll(() => client.statuses()).toEqual([200, 200]);
  });

  it("C44 closes idle connections immediately, and others after their last response", async () => {
    const { port, stored, response: reply, stop, cut } = await serve();
    const [idle, busy] = [await connectRaw(port), await connectRaw(port, packet("/1", "/2"))];
    await expect.poll(() => stored.size).toBe(2);
    const stopped = stop();
    await idle.closed;
    reply("/1");
    await expect.poll(() => busy.statuses()).toEqual([200]);
    expect(busy.received()).not.toMatch(/connection: close/i);
    reply("/2");
    await busy.closed;
    await stopped;
    expect(busy.statuses()).toEqual([200, 200]);
    expect(busy.received()).toMatch(/connection: close/i);
    expect(cut).toEqual([]);
  });

  it("C44 accepts no connection afterwards", async () => {
    const { port, server, stop } = await serve();
    await stop();
    expect(server.listening).toBe(false);
    await expect(connectRaw(port)).rejects.toThrow();
  });

  it("C44 sends the queued end of a large response, and rejects new connections meanwhile", async () => {
    const { port, stored, server, stop, cut } = await serve();
    const client = connect(port, "127.0.0.1").pause();
    client.write(packet("/large"));
    await expect.poll(() => stored.size).toBe(1);
    const size = 64 * 1024 * 1024;
    const response = stored.get("/large") as ServerResponse;
    response.end(Buffer.alloc(size));
    const stopped = stop();
    expect(response.writableFinished).toBe(false);
    const late = await connectRaw(port, packet("/late"));
    await late.closed;
    expect([late.received(), server.listening]).toEqual(["", true]);
    let received = 0;
    client.on("data", ({ length }) => (received += length)).resume();
    await once(client, "close");
    await stopped;
    expect(received).toBeGreaterThan(size);
    expect([server.listening, cut]).toEqual([false, []]);
  });

  it("C44 reports and aborts the requests that still run after the drain time", async () => {
    const { port, stored, stop, cut, connections } = await serve();
    const client = await connectRaw(port, packet("/slow"));
    await expect.poll(() => stored.size).toBe(1);
    await stop(1);
    await client.closed;
    expect(cut).toEqual(["/slow"]);
    expect([connections.count(), connections.running.size]).toEqual([0, 0]);
  });

  it("C44 completes immediately for a server that never listened", async () => {
    await watchConnections(http.createServer()).stop(60_000, () => undefined);
  });

  it("C44 ends connections after their next response before it stops to accept", async () => {
    const { port, stored, connections, response: reply } = await serve();
    const running = await connectRaw(port, packet("/running"));
    await expect.poll(() => stored.size).toBe(1);
    connections.endConnections();
    reply("/running");
    await running.closed;
    expect(running.received()).toMatch(/connection: close/i);
    const later = await connectRaw(port, packet("/later"));
    await expect.poll(() => stored.size).toBe(2);
    reply("/later");
    await later.closed;
    expect(later.statuses()).toEqual([200]);
  });

  it("C44 leaves responses alone whose headers were sent", async () => {
    const { port, stored, connections } = await serve();
    const client = await connectRaw(port, packet("/streamed"));
    await expect.poll(() => stored.size).toBe(1);
    const response = stored.get("/streamed") as ServerResponse;
    response.writeHead(200, { "content-length": 4 });
    response.write("ab");
    connections.endConnections();
    expect(response.shouldKeepAlive).toBe(true);
    response.end("cd");
    await expect.poll(() => client.received()).toMatch(/abcd$/);
  });
});

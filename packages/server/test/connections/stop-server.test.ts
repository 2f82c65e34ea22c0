import http, { type ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { watchConnections } from "../../src/index.js";
import { connectRaw, listen, packet } from "../serve.js";

/** A server whose responses wait until the test sends them. */
async function serve() {
  const held = new Map<string, ServerResponse>();
  const server = http.createServer((request, response) => void held.set(request.url ?? "", response));
  const connections = watchConnections(server);
  const port = await listen(server);
  const cut: (string | undefined)[] = [];
  const stop = (drain = 60_000) => connections.stop(drain, ({ url }) => cut.push(url));
  const answer = (url: string) => held.get(url)?.end(url);
  return { held, server, connections, port, cut, stop, answer };
}

describe("C44 the stop of a server", () => {
  it("C44 counts the requests without a complete response", async () => {
    const { connections, port, held, answer } = await serve();
    const client = await connectRaw(port, packet("/1", "/2"));
    await expect.poll(() => held.size).toBe(2);
    expect(connections.count()).toBe(2);
    answer("/1");
    answer("/2");
    await expect.poll(() => connections.count()).toBe(0);
    expect(client.statuses()).toEqual([200, 200]);
  });

  it("C44 closes idle connections at once, and others after their last response", async () => {
    const { port, held, answer, stop, cut } = await serve();
    const [idle, busy] = [await connectRaw(port), await connectRaw(port, packet("/1", "/2"))];
    await expect.poll(() => held.size).toBe(2);
    const stopped = stop();
    await idle.closed;
    answer("/1");
    await expect.poll(() => busy.statuses()).toEqual([200]);
    expect(busy.received()).not.toMatch(/connection: close/i);
    answer("/2");
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

  it("C44 reports and cuts the requests that still run after the drain time", async () => {
    const { port, held, stop, cut, connections } = await serve();
    const client = await connectRaw(port, packet("/slow"));
    await expect.poll(() => held.size).toBe(1);
    await stop(1);
    await client.closed;
    expect(cut).toEqual(["/slow"]);
    expect([connections.count(), connections.running.size]).toEqual([0, 0]);
  });

  it("C44 is over at once for a server that never listened", async () => {
    await watchConnections(http.createServer()).stop(60_000, () => undefined);
  });

  it("C44 ends connections after their next response before it stops to accept", async () => {
    const { port, held, connections, answer } = await serve();
    const running = await connectRaw(port, packet("/running"));
    await expect.poll(() => held.size).toBe(1);
    connections.endConnections();
    answer("/running");
    await running.closed;
    expect(running.received()).toMatch(/connection: close/i);
    const later = await connectRaw(port, packet("/later"));
    await expect.poll(() => held.size).toBe(2);
    answer("/later");
    await later.closed;
    expect(later.statuses()).toEqual([200]);
  });

  it("C44 leaves responses alone whose headers were sent", async () => {
    const { port, held, connections } = await serve();
    const client = await connectRaw(port, packet("/streamed"));
    await expect.poll(() => held.size).toBe(1);
    const response = held.get("/streamed") as ServerResponse;
    response.writeHead(200, { "content-length": 4 });
    response.write("ab");
    connections.endConnections();
    expect(response.shouldKeepAlive).toBe(true);
    response.end("cd");
    await expect.poll(() => client.received()).toMatch(/abcd$/);
  });
});

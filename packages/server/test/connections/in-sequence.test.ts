import http, { type ServerResponse } from "node:http";
import type { Gate } from "@servicekit/router";
import { describe, expect, it } from "vitest";
import { watchConnections } from "../../src/index.js";
import { inSequence } from "../../src/internal.js";
import { connectRaw, listen, packet } from "../serve.js";

/** A server that begins pipelined requests in sequence, and responds when the test calls it. */
async function serve(gate?: Gate) {
  const begun: string[] = [];
  const stored = new Map<string, ServerResponse>();
  let enter: Gate = (_request, _response, goOn) => goOn();
  const server = http.createServer((request, response) =>
    enter(request, response, () => {
      begun.push(request.url ?? "");
      stored.set(request.url ?? "", response);
    }),
  );
  const { running } = watchConnections(server);
  enter = inSequence(running, gate);
  const port = await listen(server);
  const reply = (url: string, status = 200) => stored.get(url)?.writeHead(status).end(url);
  return { begun, port, response: reply };
}

describe("C79 pipelined requests", () => {
  it("C79 start one after another, each after the previous response", async () => {
    const { begun, port, response: reply } = await serve();
    const client = await connectRaw(port, packet("/1", "/2", "/3"));
    for (const url of ["/1", "/2", "/3"]) {
      await expect.poll(() => begun.at(-1)).toBe(url);
      reply(url);
    }
    await expect.poll(() => client.statuses()).toEqual([200, 200, 200]);
    expect(begun).toEqual(["/1", "/2", "/3"]);
    client.socket.write(packet("/4"));
    await expect.poll(() => begun.at(-1)).toBe("/4");
  });

  it("C79 of different connections do not wait for each other", async () => {
    const { begun, port } = await serve();
    await connectRaw(port, packet("/a"));
    await connectRaw(port, packet("/b"));
    await expect.poll(() => begun.toSorted()).toEqual(["/a", "/b"]);
  });

  it("C79 are not started after a 429, and the connection is closed", async () => {
    const { begun, port, response: reply } = await serve();
    const client = await connectRaw(port, packet("/1", "/2"));
    await expect.poll(() => begun).toEqual(["/1"]);
    reply("/1", 429);
    await client.closed;
    expect([begun, client.statuses()]).toEqual([["/1"], [429]]);
  });

  it("C79 pass through the next gate when they start", async () => {
    const passed: (string | undefined)[] = [];
    const {
      begun,
      port,
      response: reply,
    } = await serve((request, response, goOn) => {
      passed.push(request.url);
      if (request.url === "/rejected") response.writeHead(503).end();
      else goOn();
    });
    const client = await connectRaw(port, packet("/1", "/rejected", "/2"));
    await expect.poll(() => passed).toEqual(["/1"]);
    reply("/1");
    await expect.poll(() => begun).toEqual(["/1", "/2"]);
    reply("/2");
    await expect.poll(() => client.statuses()).toEqual([200, 503, 200]);
    expect(passed).toEqual(["/1", "/rejected", "/2"]);
  });

  it("C79 of a disconnected client are not started", async () => {
    const { begun, port, response: reply } = await serve();
    const client = await connectRaw(port, packet("/1", "/2"));
    await expect.poll(() => begun).toEqual(["/1"]);
    client.socket.destroy();
    await client.closed;
    reply("/1");
    const other = await connectRaw(port, packet("/3"));
    await expect.poll(() => begun).toEqual(["/1", "/3"]);
    other.socket.destroy();
  });
});

import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import express, { type Express, type RequestHandler } from "express";
import { expect, it } from "vitest";
import { makeApp } from "../src/index.js";

/** The bytes of a response, and the writes in which they were sent. */
async function bytesOf(app: Express, method: string): Promise<{ readonly text: string; readonly pieces: number }> {
  app.disable("x-powered-by");
  const server = createServer((request, response) => {
    response.sendDate = false;
    app(request, response);
  });
  let pieces = 0;
  server.on("connection", (socket) => {
    for (const name of ["_write", "_writev"] as const) {
      const write = socket[name] as (...args: unknown[]) => void;
      socket[name] = (...args: unknown[]) => {
        const [given] = args as [string | Buffer | { readonly chunk: string | Buffer }[]];
        const chunks = Array.isArray(given) ? given.map(({ chunk }) => chunk) : [given];
        // Node marks the end of a response by an empty write.
        pieces += chunks.filter(({ length }) => length > 0).length;
        write.apply(socket, args);
      };
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("latin1");
  socket.write(`${method} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  let text = "";
  for await (const chunk of socket) text += chunk;
  server.close();
  return { text, pieces };
}

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

it.each<readonly [string, RequestHandler]>([
  ["JSON with letters of all kinds", (_request, response) => void response.json({ name: "Zoë 日本 🦊" })],
  ["text", (_request, response) => void response.send("Zoë")],
  ["every byte", (_request, response) => void response.send(everyByte)],
  ["a header of Latin-1", (_request, response) => void response.set("X-Name", "Zoë").json({ name: "Zoë" })],
  ["bytes without a length", (_request, response) => void response.end(everyByte)],
  ["a callback", (_request, response) => void response.end(everyByte, () => undefined)],
  ["a callback behind an encoding", (_request, response) => void response.end(everyByte, "utf8", () => undefined)],
  [
    "what was written before",
    (_request, response) => {
      response.write("first");
      response.end(everyByte);
    },
  ],
  ["headers written before", (_request, response) => void response.writeHead(200, { a: "b" }).end(everyByte)],
  ["more than is copied", (_request, response) => void response.send(Buffer.alloc(100_000, 200))],
  ["nothing", (_request, response) => void response.status(204).end(everyByte)],
])("sends the same bytes as Express: %s", async (_name, handler) => {
  for (const method of ["GET", "HEAD"]) {
    const ours = await bytesOf(makeApp().use(handler), method);
    expect(ours.text).toBe((await bytesOf(express().use(handler), method)).text);
  }
});

it("writes the headers and the bytes of a short response in one write", async () => {
  const { pieces } = await bytesOf(
    makeApp().use((_request, response) => void response.json({ a: 1 })),
    "GET",
  );
  expect(pieces).toBe(1);
});

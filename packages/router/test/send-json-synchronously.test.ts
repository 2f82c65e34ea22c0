import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import express, { type Express, type RequestHandler } from "express";
import { expect, it } from "vitest";
import { makeApp } from "../src/index.js";

/** The response bytes of an application to a request with these lines. */
async function bytesOf(app: Express, method: string, lines: readonly string[]): Promise<string> {
  app.disable("x-powered-by");
  const server = createServer((request, response) => {
    response.sendDate = false;
    app(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("latin1");
  const head = [`${method} / HTTP/1.1`, "Host: x", "Connection: close", ...lines];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  let text = "";
  for await (const chunk of socket) text += chunk;
  server.close();
  return text;
}

const row = { name: "Zoë 日本 🦊", at: new Date(0), price: 1.5 };
/** The tags of `{"a":1}` and of `row`, as Express computes them. */
const tags = ['If-None-Match: W/"7-gHBg6KrC2Jtde7lx44VR4hqlrOg"', "If-None-Match: *"];

it.each<readonly [string, RequestHandler]>([
  ["letters of ASCII", (_request, response) => void response.json({ a: 1 })],
  ["letters of all kinds", (_request, response) => void response.json(row)],
  ["more than Node writes at once", (_request, response) => void response.json("é".repeat(100_000))],
  ["null", (_request, response) => void response.json(null)],
  ["a text", (_request, response) => void response.json("x")],
  ["nothing", (_request, response) => void response.json(undefined)],
  ["a status", (_request, response) => void response.status(418).json({ a: 1 })],
  ["204", (_request, response) => void response.status(204).json({ a: 1 })],
  ["205", (_request, response) => void response.status(205).json({ a: 1 })],
  ["304", (_request, response) => void response.status(304).json({ a: 1 })],
  ["a type of its own", (_request, response) => void response.type("application/problem+json").json({ a: 1 })],
  ["a type without a character set", (_request, response) => void response.set("content-type", "text/x").json(1)],
  ["a tag of its own", (_request, response) => void response.set("etag", '"mine"').json({ a: 1 })],
  ["a time of change", (_request, response) => void response.set("last-modified", new Date(0).toUTCString()).json(row)],
  ["a header of Latin-1", (_request, response) => void response.set("X-Name", "Zoë").json({ name: "Zoë" })],
  [
    "a length of its own",
    (_request, response) => void response.set("Transfer-Encoding", "chunked").json({ name: "Zoë" }),
  ],
  [
    "send put in its place",
    (_request, response, next) => {
      const { send } = response;
      response.send = (body) => send.call(response, typeof body === "string" ? `[${body}]` : body);
      next();
    },
  ],
])("sends the same JSON bytes as Express: %s", async (_name, handler) => {
  const last: RequestHandler = (_request, response) => void response.json({ a: 1 });
  for (const [key, value] of [
    ["etag", "weak"],
    ["etag", "strong"],
    ["etag", false],
    ["json spaces", 2],
    ["json escape", true],
    ["json replacer", (key: string, inner: unknown) => (key === "a" ? 2 : inner)],
  ] as const) {
    for (const method of ["GET", "HEAD", "POST"]) {
      for (const lines of [[], ...tags.map((tag) => [tag]), ["If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT"]]) {
        const responses = [makeApp(), express()].map((app) =>
          bytesOf(app.set(key, value).use(handler, last), method, lines),
        );
        const [ours, theirs] = await Promise.all(responses);
        expect(ours).toBe(theirs);
      }
    }
  }
});

it("sends nothing if a value cannot be serialized", async () => {
  const app = makeApp().set("env", "test");
  app.use((_request, response) => void response.json({ a: 1n }));
  expect(await bytesOf(app, "GET", [])).toMatch(/^HTTP\/1.1 500 /);
});

it.each([
  [false, "127.0.0.1"],
  [undefined, "127.0.0.1"],
  [true, "8.8.8.8"],
  [1, "9.9.9.9"],
  ["loopback", "9.9.9.9"],
])("determines the address of a client with trust proxy %j", async (trust, address) => {
  const forwarded = ["X-Forwarded-For: 8.8.8.8, 9.9.9.9"];
  const responses = [makeApp(), express()].map((app) => {
    if (trust !== undefined) app.set("trust proxy", trust);
    app.use(({ ip }, response) => void response.end(ip));
    return bytesOf(app, "GET", forwarded);
  });
  const [ours, theirs] = await Promise.all(responses);
  expect(ours).toBe(theirs);
  expect(ours).toContain(address);
});

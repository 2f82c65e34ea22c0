import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as tick } from "node:timers/promises";
import { isResponseEnded } from "@servicekit/router/internal";
import express, { type RequestHandler } from "express";
import { describe, expect, it } from "vitest";
import { holdResponse } from "./hold-response.js";

/** The response of a handler whose headers wait for another one. */
async function send(
  handler: RequestHandler,
  ...before: RequestHandler[]
): Promise<{ response: Response; text: string }> {
  const app = express();
  app.use(
    ...before,
    (_request, response, next) => {
      holdResponse(response, () =>
        response.statusCode >= 400
          ? undefined
          : tick().then(() => void response.setHeader("X-Late", String(response.statusCode))),
      );
      next();
    },
    handler,
  );
  const server = http.createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { method: "POST" });
  const text = await response.text();
  server.close();
  return { response, text };
}

describe("C122 a held response", () => {
  it.each<[string, RequestHandler, number, string]>([
    ["json", (_request, response) => void response.status(201).json({ a: 1 }), 201, '{"a":1}'],
    ["an empty body", (_request, response) => void response.status(204).end(), 204, ""],
    [
      "pieces",
      (_request, response) => {
        response.write("one,");
        response.write("two,");
        response.end("three");
      },
      200,
      "one,two,three",
    ],
    [
      "writeHead",
      (_request, response) => void response.writeHead(202, { "X-Own": "1" }).end("accepted"),
      202,
      "accepted",
    ],
    [
      "flushed headers",
      (_request, response) => {
        response.flushHeaders();
        setTimeout(() => response.end("later"), 5);
      },
      200,
      "later",
    ],
    [
      "a redirect of its own",
      (_request, response) => void response.status(200).set("Location", "/x").send("moved"),
      200,
      "moved",
    ],
  ])("has headers that were completed after its handler ended it: %s", async (_name, handler, status, expected) => {
    const { response, text } = await send(handler);
    expect({ status: response.status, late: response.headers.get("x-late"), text }).toEqual({
      status,
      late: String(status),
      text: expected,
    });
  });

  it("counts as ended while it waits", async () => {
    let isEnded: boolean | undefined;
    await send((_request, response) => {
      response.json({});
      isEnded = isResponseEnded(response);
    });
    expect(isEnded).toBe(true);
  });

  it("does not wait if its status needs no headers", async () => {
    const { response, text } = await send((_request, response) => void response.status(409).send("conflict"));
    expect({ status: response.status, late: response.headers.get("x-late"), text }).toEqual({
      status: 409,
      late: null,
      text: "conflict",
    });
  });
});

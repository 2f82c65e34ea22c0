import http from "node:http";
import type { ErrorRequestHandler, RequestHandler } from "express";
import express from "express";
import { describe, expect, it } from "vitest";
import { type RequestTimes } from "../../src/index.js";
import { timeLimits } from "../../src/internal.js";
import { connectRaw, listen } from "../serve.js";

const long = 600_000;
const patient: RequestTimes = {
  responseMs: () => long,
  body: { idleMs: long, bodyMs: long, bytesPerSecond: 0 },
};

async function serve(times: Partial<RequestTimes>, handler: RequestHandler, isDirect = false) {
  const codes: string[] = [];
  const handleError: ErrorRequestHandler = (error, _request, response, _next) => {
    codes.push(error.code);
    response.status(error.status).end();
  };
  const app = express();
  app.use(timeLimits({ ...patient, ...times }, isDirect ? handleError : undefined));
  app.use(handler);
  app.use(handleError);
  return { codes, port: await listen(http.createServer(app)) };
}
const never: RequestHandler = () => undefined;
const readAll: RequestHandler = (request, response) => {
  request.on("data", () => undefined).once("end", () => response.end("whole"));
};
const post = (length: number, body: string): string =>
  `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${body}`;
const statusOf = (port: number): Promise<number> => fetch(`http://127.0.0.1:${port}`).then(({ status }) => status);

describe("C43 the time limits of a request", () => {
  it.each([false, true])("C43 a handler that does not respond is 504 (own error handler: %s)", async (isDirect) => {
    const { port, codes } = await serve({ responseMs: () => 20 }, never, isDirect);
    expect([await statusOf(port), codes]).toEqual([504, ["GatewayTimeout"]]);
  });

  it("C43 a response that has started may take longer", async () => {
    const { port, codes } = await serve({ responseMs: () => 20 }, (_request, response) => {
      response.write("begun ");
      setTimeout(() => response.end("ended"), 60);
    });
    const response = await fetch(`http://127.0.0.1:${port}`);
    expect([response.status, await response.text(), codes]).toEqual([200, "begun ended", []]);
  });

  it("C43 a body whose client is silent is 408", async () => {
    const body = { ...patient.body, idleMs: 40 };
    const { port, codes } = await serve({ body, responseMs: () => 20 }, readAll);
    const client = await connectRaw(port, post(10, "12345"));
    await expect.poll(() => client.statuses()).toEqual([408]);
    expect(codes).toEqual(["RequestTimeout"]);
  });

  it("C43 a body that exceeds its total time is 408, although bytes still arrive", async () => {
    const body = { ...patient.body, idleMs: 400, bodyMs: 300 };
    const { port } = await serve({ body }, readAll);
    const client = await connectRaw(port, post(1_000_000, "1"));
    const drip = setInterval(() => client.socket.write("1"), 20);
    await expect.poll(() => client.statuses()).toEqual([408]);
    clearInterval(drip);
  });

  it("C43 a body that arrives in time is read, and its time does not count for the response", async () => {
    const body = { ...patient.body, idleMs: 4_000 };
    const { port, codes } = await serve({ body, responseMs: () => 2_000 }, readAll);
    const client = await connectRaw(port, post(6, "123"));
    client.socket.write("456");
    await expect.poll(() => client.statuses()).toEqual([200]);
    expect(codes).toEqual([]);
  });

  it("C43 a body that the handler does not read is not late: the response is", async () => {
    const body = { ...patient.body, idleMs: 40, bodyMs: 40 };
    const { port, codes } = await serve({ body, responseMs: () => 100 }, never);
    const client = await connectRaw(port, post(10, "12345"));
    await expect.poll(() => client.statuses()).toEqual([504]);
    expect(codes).toEqual(["GatewayTimeout"]);
  });
});

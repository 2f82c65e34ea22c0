import cors from "cors";
import express, { type RequestHandler } from "express";
import helmet from "helmet";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { setOnce } from "./set-once.js";

/** The headers of a response as they were sent. */
async function headersOf(...handlers: RequestHandler[]): Promise<string[]> {
  const app = express();
  app.use(...handlers, (_request, response) => void response.end());
  const { res } = (await request(app).get("/")) as request.Response & { res: { rawHeaders: string[] } };
  return res.rawHeaders.filter((_text, at) => !/^date$/i.test(res.rawHeaders[at - (at % 2)] ?? ""));
}

const varies: RequestHandler = (_request, response, next) => void next(response.vary("Accept") && undefined);

describe("C43 a middleware with constant headers", () => {
  it.each([
    ["helmet", (options?: object) => helmet(options), undefined],
    [
      "helmet with options",
      (options?: object) => helmet(options),
      { contentSecurityPolicy: { directives: { imgSrc: ["*"] } }, xPoweredBy: false },
    ],
    [
      "helmet with less",
      (options?: object) => helmet(options),
      { strictTransportSecurity: false, frameguard: { action: "deny" } },
    ],
    [
      "cors with origins",
      (options?: object) => cors(options),
      { origin: ["https://a.example"], credentials: true, exposedHeaders: ["ETag"] },
    ],
    ["cors for all", (options?: object) => cors(options), { origin: "*" }],
  ])("sends the same bytes, in the same order: %s", async (_name, make, options) => {
    for (const before of [[], [varies]]) {
      expect(await headersOf(...before, setOnce(make(options), options))).toEqual(
        await headersOf(...before, make(options)),
      );
    }
  });

  it.each([
    ["before others", []],
    ["behind others", [varies]],
  ])("shares nothing between requests, %s", async (_place, before) => {
    const change: RequestHandler = (_request, response, next) => {
      response.appendHeader("x-dns-prefetch-control", "twice").removeHeader("X-Frame-Options");
      response.append("Content-Security-Policy", "sandbox").setHeader("constructor", "a name like any other");
      next();
    };
    const same = setOnce(helmet(), undefined);
    const untouched = await headersOf(...before, same);
    expect(await headersOf(...before, same, change)).toEqual(await headersOf(...before, helmet(), change));
    expect(await headersOf(...before, same)).toEqual(untouched);
  });

  it("is called each time if a function of its options may read the request", () => {
    const options = { contentSecurityPolicy: { directives: { "script-src": [() => "'nonce-1'"] } } };
    const made = helmet(options as never);
    expect(setOnce(made, options)).toBe(made);
  });

  it("is called each time if it is asynchronous, or fails", () => {
    const slow: RequestHandler = (_request, _response, next) => void setImmediate(next);
    const failing: RequestHandler = (_request, _response, next) => next(new Error("no"));
    expect([setOnce(slow, {}), setOnce(failing, {})]).toEqual([slow, failing]);
  });
});

import { createServer, type IncomingHttpHeaders, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import compression from "compression";
import express, { type RequestHandler, type Response } from "express";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeCompression } from "../../src/compression/make-compression.js";

/** The ways in which a handler responds, with a text of some length. */
const ways: Readonly<Record<string, (response: Response, text: string) => void>> = {
  send: (response, text) => void response.send(text),
  json: (response, text) => void response.json({ text }),
  sendBuffer: (response, text) => void response.send(Buffer.from(text)),
  end: (response, text) => void response.end(text),
  endBuffer: (response, text) => void response.end(Buffer.from(text)),
  endLatin: (response, text) => void response.end(`${text}é`, "latin1"),
  endTold: (response, text) => void response.end(text, () => response.emit("told")),
  write: (response, text) => {
    response.write(text);
    response.end();
  },
  writeTwice: (response, text) => {
    response.write(text);
    response.write(text, "utf8");
    response.end("x");
  },
  writeFlush: (response, text) => {
    response.write(text);
    (response as Response & { flush(): void }).flush();
    setImmediate(() => response.end("rest"));
  },
  writeHead: (response, text) => void response.writeHead(201, { "x-told": "1", "content-type": "text/css" }).end(text),
  writeHeadSent: (response, text) => void response.writeHead(203, "Fine").end(text),
  flushHeaders: (response, text) => {
    response.flushHeaders();
    response.end(text);
  },
  pipe: (response, text) => void Readable.from([text, text]).pipe(response),
  drain: (response, text) => {
    response.once("drain", () => response.end("drained"));
    if (response.write(text.repeat(20))) response.end("drained");
  },
  nothing: (response) => void response.end(),
  endTwice: (response, text) => {
    response.end(text);
    response.end("again");
  },
};

const setting = fc.record({
  way: fc.constantFrom(...Object.keys(ways)),
  length: fc.constantFrom(0, 1, 1_000, 1_023, 1_024, 5_000, 65_536, 65_537, 200_000),
  method: fc.constantFrom("GET", "GET", "GET", "HEAD", "POST"),
  accept: fc.constantFrom(
    "gzip",
    "br",
    "gzip, deflate, br",
    "gzip, deflate, br, zstd",
    "deflate",
    "deflate, gzip",
    "identity",
    "*",
    "gzip;q=0",
    "br;q=0.1, gzip",
    "GZIP",
    "",
    "zstd",
  ),
  status: fc.constantFrom(200, 200, 204, 304, 404),
  headers: fc.dictionary(
    fc.constantFrom("content-type", "cache-control", "content-encoding", "etag", "vary", "content-length"),
    fc.constant(0),
    { maxKeys: 3 },
  ),
  pick: fc.nat(3),
  wrapped: fc.constantFrom("none", "none", "end", "headers"),
});
const values: Readonly<Record<string, readonly string[]>> = {
  "content-type": ["text/plain", "image/png", "application/json", "text/html; charset=utf-8"],
  "cache-control": ["no-transform", "public, no-transform", "max-age=1", "no-store"],
  "content-encoding": ["identity", "gzip", "identity", "br"],
  etag: ['"a"', 'W/"a"', '"b-gzip"', '"c"'],
  vary: ["Accept", "*", "accept-encoding", "Origin"],
};

/** As an application wraps a response after the compression: passes through, and adds a header at the last moment. */
const wrappers: Readonly<Record<string, RequestHandler>> = {
  none: (_request, _response, next) => next(),
  end: (_request, response, next) => {
    const { end, write } = response;
    response.setHeader("x-wrapped", "0");
    response.write = function (this: Response, ...args: unknown[]) {
      return (write as (...all: unknown[]) => boolean).apply(this, args);
    } as Response["write"];
    response.end = function (this: Response, ...args: unknown[]) {
      if (!response.headersSent) response.setHeader("x-wrapped", "1");
      return (end as (...all: unknown[]) => Response).apply(this, args);
    } as Response["end"];
    next();
  },
  headers: (_request, response, next) => {
    const { writeHead } = response;
    response.writeHead = function (this: Response, ...args: unknown[]) {
      if (!this.headersSent) this.setHeader("Content-Type", "text/plain");
      return (writeHead as (...all: unknown[]) => Response).apply(this, args);
    } as Response["writeHead"];
    next();
  },
};

function serve(compress: RequestHandler) {
  let current: (response: Response) => void = () => undefined;
  let wrapped = "none";
  const app = express();
  app.disable("x-powered-by");
  app.use(compress);
  app.use((request, response, next) => wrappers[wrapped]?.(request, response, next));
  app.use((_request, response) => current(response));
  const server = createServer(app);
  const listening = new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    close: () => server.close(),
    call: async (given: { method: string; accept: string; wrapped: string }, reply: typeof current) => {
      await listening;
      current = reply;
      wrapped = given.wrapped;
      return new Promise<readonly [number, IncomingHttpHeaders, string]>((resolve, reject) => {
        const { port } = server.address() as AddressInfo;
        const sent = send(
          { host: "127.0.0.1", port, agent: false, method: given.method, headers: { "accept-encoding": given.accept } },
          (came) => {
            const chunks: Buffer[] = [];
            came.on("data", (chunk: Buffer) => chunks.push(chunk));
            came.on("error", reject);
            came.on("end", () =>
              resolve([came.statusCode ?? 0, came.headers, decode(Buffer.concat(chunks), came.headers)]),
            );
          },
        );
        sent.setTimeout(5_000, () => sent.destroy(new Error("no answer")));
        sent.on("error", reject).end();
      });
    },
  };
}

function decode(bytes: Buffer, headers: IncomingHttpHeaders): string {
  const decoders: Readonly<Record<string, (coded: Buffer) => Buffer>> = {
    gzip: gunzipSync,
    br: brotliDecompressSync,
    deflate: inflateSync,
  };
  const decoder = decoders[String(headers["content-encoding"])];
  try {
    return (bytes.length === 0 || decoder === undefined ? bytes : decoder(bytes)).toString("latin1");
  } catch {
    // A coding that the handler has set.
    return bytes.toString("latin1");
  }
}

/** The framing of the end may differ; and strong tags contain the coding here. */
function compared(
  [status, headers, text]: readonly [number, IncomingHttpHeaders, string],
  namesCoding: boolean,
): unknown {
  const { date: _date, "content-length": _length, "transfer-encoding": _transfer, etag, ...others } = headers;
  const coding = headers["content-encoding"];
  const isNamed = namesCoding && etag?.startsWith('"') === true && coding !== undefined && coding !== "identity";
  if (isNamed) expect(etag).toContain(`-${coding}"`);
  return [status, { ...others, etag: isNamed ? etag.replace(new RegExp(`-${coding}"$`), '"') : etag }, text];
}

describe("C43 compression that waits for the response", () => {
  it("responds as the library does, whatever a handler does and however the response is wrapped", async () => {
    const sides = [serve(makeCompression()), serve(compression())];
    try {
      await fc.assert(
        fc.asyncProperty(setting, async ({ way, length, status, headers, pick, ...given }) => {
          const responses: unknown[] = [];
          for (const [place, side] of sides.entries()) {
            const reply = await side.call(given, (response) => {
              response.status(status);
              response.on("error", () => undefined);
              for (const name of Object.keys(headers)) {
                const value = name === "content-length" ? undefined : values[name]?.[pick];
                if (value !== undefined) response.setHeader(name, value);
              }
              ways[way]?.(response, "line of text ".repeat(16_000).slice(0, length));
            });
            responses.push(compared(reply, place === 0));
          }
          expect(responses[0]).toEqual(responses[1]);
        }),
        { numRuns: Number(process.env.PROPERTY_RUNS ?? 200) },
      );
    } finally {
      for (const side of sides) side.close();
    }
  }, 120_000);

  it("sends the length of synchronously compressed responses, and streams long ones", async () => {
    const side = serve(makeCompression());
    const lengthOf = async (length: number) => {
      const given = { method: "GET", accept: "gzip, deflate, br", wrapped: "none" };
      const [, headers] = await side.call(given, (response) => void response.type("text").send("x".repeat(length)));
      return [headers["content-encoding"], headers["transfer-encoding"], Number(headers["content-length"]) < length];
    };
    expect(await lengthOf(60_000)).toEqual(["br", undefined, true]);
    expect(await lengthOf(70_000)).toEqual(["br", "chunked", false]);
    side.close();
  });
});

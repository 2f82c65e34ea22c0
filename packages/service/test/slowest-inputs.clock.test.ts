import http from "node:http";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { growth, inProportion, longestTurn } from "../../../scripts/test/measure.js";
import { heapGrowth } from "../../../scripts/test/measure-heap.js";
import { someOf } from "../../../scripts/test/slow-share.js";
import { fill, slowestPatterns } from "../../../scripts/test/slowest-patterns.js";
import type { ServiceInitConfig } from "../src/config/service-config.js";
import { ServiceRouter } from "../src/index.js";
import { type ServedSchema, serveSchema } from "./served-schema.js";

const parsers = ["json", "text", "raw", "urlencoded", "multipart"] as const;
const bodies = ServiceRouter();
for (const parser of parsers)
  bodies.post({ path: `/${parser}`, bodyParser: [{ parser }] }, (request, response) => {
    response.json({ data: typeof request.body });
  });

let shop: ServedSchema;
const agent = new http.Agent({ keepAlive: true });
beforeAll(async () => {
  shop = await serveSchema(inject("postgresUrl"), {
    generated: path.join(import.meta.dirname, "generated/shop"),
    schema: { directory: path.join(import.meta.dirname, "fixtures/shop") },
    config: {
      use: [bodies],
      mcp: { access: "write" },
      models: { Category: { import: true, export: true }, Customer: { import: true } },
      middlewares: { rateLimit: false, cors: { allowedOrigins: ["https://a.test"] } },
    } as ServiceInitConfig,
  });
  await shop.sql(
    `INSERT INTO "Product" (id, title, slug, price, weight, attributes) VALUES ('p', 'a', 'a', 1, 1, '{}')`,
  );
}, 180_000);
afterAll(async () => {
  agent.destroy();
  await shop?.close();
});

/** A request whose size is that of a text in it. */
interface Sized {
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What reads a part of requests, and what its inputs are made of. */
interface Reader {
  readonly pieces: readonly string[];
  /** The length of the largest input, which the limits of the service allow. */
  readonly size: number;
  readonly request: (text: string) => Sized;
}

const bodySize = 960_000;
const accept = "application/json, text/event-stream";

const body = (
  target: string,
  type: string,
  [before, after]: readonly [string, string],
  pieces: readonly string[],
): Reader => ({
  ...{ pieces, size: bodySize },
  request: (text) => ({ target, headers: { "content-type": type, accept }, body: `${before}${text}${after}` }),
});
const csv = (target: string, around: readonly [string, string], pieces: readonly string[]) =>
  body(`/api/${target}/many?dryRun=true`, "text/csv", around, pieces);
const json = (target: string, around: readonly [string, string], pieces: readonly string[]) =>
  body(target, "application/json", around, pieces);
const multipart = (around: readonly [string, string], pieces: readonly string[]) =>
  body("/multipart", "multipart/form-data; boundary=x", around, pieces);
// Node reads at most 16 KB of headers, and a query of more than 8 KB is rejected.
const header = (name: string, [before, after]: readonly [string, string], pieces: readonly string[]): Reader => ({
  ...{ pieces, size: 14_000 },
  request: (text) => ({ target: "/api/products/p", headers: { [name]: `${before}${text}${after}` } }),
});
const query = (before: string, pieces: readonly string[]): Reader => ({
  ...{ pieces, size: 7_600 },
  request: (text) => ({ target: `/api/${before}${text}` }),
});

const customerColumns = "number,name,email,vip,bornOn,credit,channels,labels,address,photo,ip,note,tenantId,referredBy";
const customer = (cell: string): string => `${customerColumns.replaceAll(/\w+/g, cell)}\n`;
const unknownColumns = Array.from({ length: 99 }, (_, index) => `c${index}`).join();
const part = "--x\r\nContent-Disposition: form-data; name=";
const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":';

const readers: Readonly<Record<string, Reader>> = {
  "CSV, the records": csv("categories", ["name,slug\n", ""], [",", "\n", "\r", '"', '""', " ", "a", "é", ";", "'="]),
  "CSV, the header": csv("categories", ["", ""], [",", "\n", "\r", '"', '""', " ", "a", "é", "\ufeff"]),
  "CSV, a cell in quotes": csv("categories", ['name\n"', '"'], [",", "\n", "\r", '""', " ", "a", "é"]),
  "CSV, a cell that is not closed": csv("categories", ['name\n"', ""], [",", "\n", "\r", '""', '"a', " ", "é"]),
  "CSV, JSON in cells": csv(
    "customers",
    ['number,channels,address\n1,"[', ']",\n'],
    ["[", "]", "{", "}", '""', " ", "1", "e-", ",", "\\"],
  ),
  "CSV, rows of each type": csv(
    "customers",
    [`${customerColumns}\n`, ""],
    ["", "x", '""', '"{""a"":1}"', "12.50", "1".repeat(70), '"[""a"",""b""]"', "a".repeat(70)].map(customer),
  ),
  "CSV, unknown columns": csv(
    "categories",
    [`${unknownColumns}\n`, ""],
    ["", "a", '""', '"a""b"'].map((cell) => `${`${cell},`.repeat(98)}${cell}\n`),
  ),
  "JSON lines": body(
    "/api/customers/many?dryRun=true",
    "application/x-ndjson",
    ["", ""],
    ["{", "}", "\n", "\r", " ", '"', "[", "]", "1", ",", '{"number":1}\n', '{"x":1}\n', "\ufeff"],
  ),
  "JSON of a bulk": json(
    "/api/customers/many",
    ["[", "{}]"],
    ["{", "}", " ", '"', "[", "]", ",", '{"number":1},', '{"x":1},', "null,", "\\"],
  ),
  "JSON, a text": json("/api/categories", ['{"name":"', '"}'], ["\\u0041", "\\", "é", "a", " ", "😀", "\\\\", "\\n"]),
  "JSON, a number": json("/api/products", ['{"price":', "}"], ["1", "0", ".", "e", "-", "+", ",", "]"]),
  "JSON of a declared route": json(
    "/json",
    ["[", "]"],
    ["{", "}", "[", "]", "1", ",", '"', '"a":', "e-", "1.0000000000000000000001", "__proto__"],
  ),
  "a url-encoded form": body(
    "/urlencoded",
    "application/x-www-form-urlencoded",
    ["", ""],
    ["a", "=", "&", "%", "%41", "[", "]", "+", ".", "%ff"],
  ),
  text: body("/text", "text/plain", ["", ""], ["a", "é", "\n", " ", "\0", "\ufeff"]),
  "raw bytes": body("/raw", "application/octet-stream", ["", ""], ["a", "\n", "\0"]),
  "a multipart body": multipart(
    [`${part}a\r\n\r\n`, "\r\n--x--\r\n"],
    ["\r\n", "--", "x", "\r", "\n", "a", "\r\n--x\r\n", `${part}a\r\n\r\n`, `${part}"a[b]"\r\n\r\n`],
  ),
  "the head of a part": multipart(
    ["--x\r\n", "\r\n\r\na\r\n--x--\r\n"],
    ["a", ":", " ", "\r\n", "\r", ";", "=", '"', "\\", "Content-Disposition: form-data; ", "name="],
  ),
  "MCP, the arguments of a tool": json(
    "/api/mcp",
    [`${call}{"name":"find","arguments":{"resource":"products","where":`, "}}}"],
    ["{", "}", "[", "]", '"a":', "1", ",", '"a"', "{}"],
  ),
  "MCP, the name of a tool": json("/api/mcp", [`${call}{"name":"`, '"}}'], ["a", "\\n", "é", " ", "/", ".", "_"]),
  "MCP, a batch of messages": json("/api/mcp", ["[", "]"], [`${call}{}}`, ",", "{}", "1", "[", "]", "null"]),
  "If-None-Match": header("if-none-match", ['"a",', "x"], ['"', "W/", ",", " ", "a", "*", "\\", "\t"]),
  "If-Match": header("if-match", ['"a",', "x"], ['"', "W/", ",", " ", "a", "*", "\\", "\t"]),
  Range: header("range", ["bytes=", "x"], ["0", "-", ",", " ", "bytes=", "a", "="]),
  Accept: header("accept", ["a/b", "x"], ["/", "*", ",", ";", "q=", "0.", " ", "a", '"']),
  "Accept-Encoding": header("accept-encoding", ["gzip", "x"], ["*", ",", ";", "q=", "0.", " ", "a"]),
  Cookie: header("cookie", ["a=", "x"], [";", "=", " ", "a", '"', "%41", "%", ","]),
  Forwarded: header("forwarded", ["for=", "x"], [";", "=", ",", '"', "\\", "[", "]", ":", "for=", "1", " "]),
  "X-Forwarded-For": header("x-forwarded-for", ["", "x"], [",", " ", ":", "1", ".", "[", "]", "%"]),
  "Content-Type": {
    ...header("content-type", ["application/json", "x"], [";", "=", '"', "\\", " ", "a", "/", "charset="]),
    request: (text) => ({ target: "/json", headers: { "content-type": `application/json${text}x` }, body: "{}" }),
  },
  "the names of a query": query("products?", ["a", "=", "&", "[", "]", "__", ".", "%41", "+", "or"]),
  "the conditions of a query": query("products?or[0]", ["[title]", "=a", "&or", "[0]", "[and]", "__in", ","]),
  "a list of values": query("products?title__in=", [",", "a", "\\", "%22", "%2C", "+", "'"]),
  "a search": query("products?search=", ["a", "+", "-", "%22", "*", "(", ")", "|", "or", "%5C"]),
  "an order": query("products?sort=", ["title", ",", "-", ".", "a", "+", "%22"]),
  "a cursor": query("products?cursor=", ["a", "=", "-", "_", "eyJ", "%2B", "."]),
};

/** Sends a request, and waits for the complete response. */
function send({ target, headers = {}, body }: Sized): Promise<void> {
  const { port } = new URL(shop.service.url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const method = body === undefined ? "GET" : "POST";
    const options = { port, host: "127.0.0.1", agent, method, path: target, headers: { ...headers, ...length } };
    const request = http.request(options);
    request.on("response", (response) => {
      response.on("end", () => resolve()).resume();
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** The longest turn of the event loop that a request may cause, in milliseconds. */
const maxTurn = 50;

it.each(someOf(Object.keys(readers)))(
  "C59 the slowest inputs take time and memory in proportion to their size, in short turns: %s",
  async (name) => {
    const { pieces, size, request } = readers[name] as Reader;
    const read = (text: string) => send(request(text));
    const slowest = await slowestPatterns({ pieces, size: Math.min(size, 20_000), read }, 3);
    for (const pattern of slowest) {
      const about = `${name}: ${JSON.stringify(pattern)}`;
      const readLength = (length: number) => read(fill(pattern, length));
      expect.soft(await growth(readLength, size / 4), about).toBeLessThan(inProportion);
      expect.soft(await heapGrowth(readLength, size / 4), about).toBeLessThan(inProportion);
      expect.soft(await longestTurn(() => read(fill(pattern, size)), maxTurn), about).toBeLessThan(maxTurn);
    }
  },
);

import http from "node:http";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { growth, inProportion } from "../../../scripts/test/measure.js";
import { someOf } from "../../../scripts/test/slow-share.js";
import type { ServiceInitConfig } from "../src/config/service-config.js";
import { ServiceRouter } from "../src/index.js";
import { type ServedSchema, serveSchema } from "./served-schema.js";

const forms = ServiceRouter();
forms.post({ path: "/forms", bodyParser: [{ parser: "urlencoded" }] }, (request, response) => {
  response.json({ data: Object.keys(Object(request.body)).length });
});
forms.post({ path: "/multipart", bodyParser: [{ parser: "multipart" }] }, (request, response) => {
  response.json({ data: Object.keys(Object(request.body)).length });
});

/** Repeated pieces of requests: each parser meets the characters of its own grammar and those of others. */
const pieces = [" ", ",", ";", "=", '"', "\\", "%", ":", ".", "/", "[", "]", "-", "0", "a", "_", "&"];
const pairs = ["a,", "a=", "a;", "; ", " ,", '",', '\\"', "a.", "0.", "%41", "e0", "::", "a b", "a[", "a__", "[0]"];
const every = [...pieces, ...pairs];

/** Node reads at most 16 KB of headers. */
const headerSize = 3_600;
/** A query of more than 8 KB is rejected. */
const querySize = 1_900;
/** A body of more than 1 MB is rejected. */
const bodySize = 240_000;

const fill = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

let shop: ServedSchema;
let accounts: ServedSchema;
let orders: ServedSchema;
const agent = new http.Agent({ keepAlive: true });
beforeAll(async () => {
  const serve = (folder: string, generated: string, config: ServiceInitConfig) =>
    serveSchema(inject("postgresUrl"), {
      generated: path.join(import.meta.dirname, generated),
      schema: { directory: path.join(import.meta.dirname, folder) },
      config: {
        trustProxy: true,
        mcp: { access: "write" },
        middlewares: {
          cors: { allowedOrigins: ["https://a.test"] },
          rateLimit: { limit: 10_000_000 },
        },
        ...config,
      } as ServiceInitConfig,
    });
  shop = await serve("fixtures/shop", "generated/shop", { use: [forms] });
  orders = await serve("fixtures/idempotency", "generated/idempotency", { idempotency: {} });
  await shop.sql(
    `INSERT INTO "Product" (id, title, slug, price, weight, attributes) VALUES ('p', 'a', 'a', 1, 1, '{}')`,
  );
  accounts = await serve("../../auth/test/fixtures/static", "../../auth/test/generated/static", {
    authentication: {
      mode: "static",
      password: { cost: 4 },
      jwt: { secret: "a secret of tests that has more than 32 bytes" },
    },
  } as ServiceInitConfig);
}, 180_000);
afterAll(async () => {
  agent.destroy();
  await shop?.close();
  await accounts?.close();
  await orders?.close();
});

interface Sent {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a raw request, and waits for the complete response. */
function send(to: ServedSchema, { method = "GET", target, headers = {}, body }: Sent): Promise<number> {
  const { port } = new URL(to.service.url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const options = { port, host: "127.0.0.1", agent, method, path: target, headers: { ...headers, ...length } };
    const request = http.request(options);
    request.on("response", (response) => {
      response.on("end", () => resolve(response.statusCode ?? 0)).resume();
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** The pieces for which the time of a request grows faster than its size. */
async function worse(
  among: readonly string[],
  size: number,
  make: (text: string) => Sent,
  to = shop,
): Promise<string[]> {
  const found: string[] = [];
  for (const piece of among) {
    const grown = await growth((count) => send(to, make(fill(piece, count))), size);
    if (grown >= inProportion) found.push(`${JSON.stringify(piece)}: ${grown.toFixed(1)}`);
  }
  return found;
}

describe("C59 the time of a request grows in proportion to its size: headers", () => {
  it.each(
    someOf<[string, string, string]>([
      ["if-none-match", '"a",', "x"],
      ["if-none-match", "W/", ""],
      ["if-match", '"a",', "x"],
      ["if-modified-since", "Wed, ", "x"],
      ["range", "bytes=0-1", "x"],
      ["accept", "a/b;q=0", "x"],
      ["accept-encoding", "gzip;q=0", "x"],
      ["x-forwarded-for", "10.0.0.1", "x"],
      ["x-forwarded-for", "[::1", "%x"],
      ["x-forwarded-proto", "https", "x"],
      ["x-forwarded-host", "a.test", "x"],
      ["forwarded", "for=1", "x"],
      ["origin", "https://a", "x"],
      ["referer", "https://a", "x"],
      ["x-request-id", "a", "x"],
      ["user-agent", "a", "x"],
      ["traceparent", "00-", "x"],
      ["tracestate", "a=1", "x"],
      ["sec-fetch-site", "a", "x"],
    ]),
  )("%s: %s…%s", async (name, before, after) => {
    const make = (text: string): Sent => ({
      target: "/api/products/p",
      headers: { [name]: `${before}${text}${after}` },
    });
    expect(await worse(every, headerSize, make)).toEqual([]);
  });

  it.each(
    someOf<[string, string, string]>([
      ["if-match", '"a",', "x"],
      ["content-type", "application/json;", "x"],
      ["content-type", "application/json; charset=", "x"],
      ["content-type", "multipart/form-data; boundary=", "x"],
      ["content-encoding", "gzip", "x"],
      ["prefer", "a", "x"],
    ]),
  )("%s of a write: %s…%s", async (name, before, after) => {
    const make = (text: string): Sent => ({
      method: "PATCH",
      target: "/api/products/p",
      headers: { "content-type": "application/json", [name]: `${before}${text}${after}` },
      body: '{"title":"a"}',
    });
    expect(await worse(every, headerSize, make)).toEqual([]);
  });

  it("idempotency-key", async () => {
    const make = (text: string): Sent => ({
      method: "POST",
      target: "/api/orders",
      headers: { "content-type": "application/json", "idempotency-key": `"${text}x` },
      body: '{"item":1}',
    });
    expect(await worse(every, headerSize, make, orders)).toEqual([]);
  });

  it.each(
    someOf<[string, string, string]>([
      ["authorization", "Bearer ", "!"],
      ["authorization", "Bearer eyJhbGciOiJIUzI1NiJ9.", "!"],
      ["authorization", "Basic ", "!"],
      ["authorization", "Bearer svk_", "!"],
      ["x-api-key", "svk_", "!"],
      ["cookie", "a=", "!"],
      ["cookie", "accessToken=", "!"],
      ["cookie", "refreshToken=", "!"],
    ]),
  )("%s of a caller: %s…%s", async (name, before, after) => {
    const make = (text: string): Sent => ({
      target: "/api/notes/1",
      headers: { [name]: `${before}${text}${after}` },
    });
    expect(await worse(every, headerSize, make, accounts)).toEqual([]);
  });
});

/** As a path or a query can contain it. */
const inUrl = ["+", ...every].map((piece) =>
  piece === " " ? "%20" : piece.replaceAll(" ", "%20").replaceAll('"', "%22"),
);

describe("C59 the time of a request grows in proportion to its size: paths", () => {
  it.each(
    someOf([
      "variants",
      "order-lines",
      "exchange-rates",
      "tax-rates",
      "forecasts",
      "products",
      "coupons",
      "stocks",
      "x",
    ]),
  )("the id of %s", async (resource) => {
    expect(await worse(inUrl, headerSize, (text) => ({ target: `/api/${resource}/${text}x` }))).toEqual([]);
  });

  it("segments of an unknown path", async () => {
    expect(await worse([...inUrl, "/a", "/.", "/..", "/%2F"], headerSize, (text) => ({ target: `/${text}` }))).toEqual(
      [],
    );
    expect(await worse(inUrl, headerSize, (text) => ({ target: `/api/uploads/images/${text}.png` }))).toEqual([]);
  });
});

describe("C59 the time of a request grows in proportion to its size: queries", () => {
  it.each(
    someOf([
      "variants?sku=",
      "variants?sku__in=",
      "variants?sku__contains=",
      "variants?barcode=",
      "products?weight=",
      "products?price=",
      "products?attributes=",
      "products?released=",
      "products?images=",
      "products?sizes__has=",
      "products?search=",
      "products?sort=",
      "products?fields=",
      "products?include=",
      "products?page=",
      "products?cursor=",
      "products?or[0]",
      "products?",
      "customers?ip=",
      "customers?bornOn=",
      "customers?tenantId=",
      "customers?photo=",
      "orders?state=",
      "orders?total=",
    ]),
  )("%s", async (target) => {
    expect(await worse(inUrl, querySize, (text) => ({ target: `/api/${target}${text}x` }))).toEqual([]);
  });
});

const few = [" ", "0", "a", ".", "-", "\\\\", "=", "/", "a b", "0.", "%41", "é"];

describe("C59 the time of a request grows in proportion to its size: bodies", () => {
  const json = { "content-type": "application/json" };
  it.each(
    someOf<[string, string, string, string]>([
      ["POST", "variants", '{"sku":"', 'x","productId":"a"}'],
      ["POST", "categories", '{"name":"', 'x"}'],
      ["POST", "products", '{"title":"a","slug":"', 'x"}'],
      ["POST", "products", '{"price":"1', 'x"}'],
      ["POST", "products", '{"released":"2020-01-01T00:00:00.', 'x"}'],
      ["POST", "products", '{"images":["', '!"]}'],
      ["POST", "products", '{"', '":1}'],
      ["POST", "customers", '{"ip":"::', 'x"}'],
      ["POST", "customers", '{"tenantId":"', 'x"}'],
      ["POST", "customers", '{"number":"1', 'x"}'],
      ["DELETE", "variants/many", '{"ids":["', 'x"]}'],
      ["DELETE", "order-lines/many", '{"ids":["', 'x"]}'],
      ["DELETE", "exchange-rates/many", '{"ids":["', 'x"]}'],
      ["PATCH", "variants/many", '[{"sku":"', 'x"}]'],
      ["POST", "mcp", '{"jsonrpc":"2.0","id":1,"method":"', 'x"}'],
    ]),
  )("JSON: %s /%s %s…%s", async (method, target, before, after) => {
    const make = (text: string): Sent => ({
      method,
      target: `/api/${target}`,
      headers: { ...json, accept: "application/json, text/event-stream" },
      body: `${before}${text}${after}`,
    });
    expect(await worse(few, bodySize, make)).toEqual([]);
  });

  it.each(
    someOf<[string, string]>([
      ['{"sku":', "}"],
      ["[", "]"],
      ['{"ids":[', "]}"],
      ['{"price":1', "}"],
      ['{"weight":1', "}"],
      ['{"weight":1e-', "}"],
    ]),
  )("JSON that is %s…%s", async (before, after) => {
    const make = (text: string): Sent => ({
      method: "POST",
      target: "/api/products",
      headers: json,
      body: `${before}${text}${after}`,
    });
    expect(await worse(["[", "{", "0", "1,", '"a",', "\\", '{"a":', "-", " ", '"'], bodySize, make)).toEqual([]);
  });

  it.each(
    someOf<[string, string]>([
      ["login", '{"username":"'],
      ["login", '{"password":"a long password","username":"'],
      ["login", '{"username":"a","password":"'],
      ["signup", '{"username":"a","password":"a long password","email":"'],
      ["refresh", '{"refreshToken":"'],
    ]),
  )("what POST /auth/%s reads from %s", async (endpoint, before) => {
    const make = (text: string): Sent => ({
      method: "POST",
      target: `/api/auth/${endpoint}`,
      headers: json,
      body: `${before}${text}x"}`,
    });
    expect(await worse([...few, "İ", "ﷺ", "\u0301", "@", "@a."], headerSize, make, accounts)).toEqual([]);
  });

  it.each(someOf(["", "title=", "a[", "price=1", "weight=0.", "variants[0][sku]="]))(
    "a form of %s…",
    async (before) => {
      const make = (text: string): Sent => ({
        method: "POST",
        target: "/forms",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: `${before}${text}`,
      });
      expect(await worse([...few, "+", "&", "a&", "a=&", "%", "[", "[a]", "[0]"], bodySize, make)).toEqual([]);
    },
  );

  it.each(
    someOf<[string, string, string]>([
      ["a name", 'form-data; name="', '"\r\n\r\n1'],
      ["a name of a file", 'form-data; name="images"; filename="', '.png"\r\nContent-Type: image/png\r\n\r\n1'],
      ["parameters", "form-data; name=a; ", "\r\n\r\n1"],
      ["a value", 'form-data; name="a"\r\n\r\n', ""],
      ["a media type", 'form-data; name="images"; filename="a.png"\r\nContent-Type: image/png;', "\r\n\r\n1"],
    ]),
  )("multipart: %s", async (_, before, after) => {
    const boundary = "----x";
    const make =
      (target: string) =>
      (text: string): Sent => ({
        method: "POST",
        target,
        headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
        body: `--${boundary}\r\nContent-Disposition: ${before}${text}${after}\r\n--${boundary}--\r\n`,
      });
    const inHeaders = ["; ", ";", "=", '\\"', "a", ".", "/", "%41", "[", "[a]", " ", "a="];
    const inBodies = ["a", "\r\n--", "-", "\r\n", " "];
    for (const target of ["/api/uploads/images", "/multipart"]) {
      expect(await worse(inHeaders, headerSize, make(target))).toEqual([]);
      expect(await worse(inBodies, bodySize, make(target))).toEqual([]);
    }
  });
});

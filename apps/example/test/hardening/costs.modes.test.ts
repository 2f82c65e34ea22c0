import http from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  type AccountDatabase,
  type AccountShop,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import type { Problem } from "../api.js";

/** A promise resolved from outside. */
function signal() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

const nested = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
const json = { "content-type": "application/json" };

/** Bodies that cost more than their size, or are always rejected, with the response to an authorized caller. */
const bodies: readonly [what: string, body: Uint8Array, headers: Record<string, string>, status: number][] = [
  ["a megabyte of brackets in brotli", brotliCompressSync(nested), { ...json, "content-encoding": "br" }, 413],
  ["a megabyte of brackets in gzip", gzipSync(nested), { ...json, "content-encoding": "gzip" }, 413],
  ["a megabyte of brackets", Buffer.from(nested), json, 400],
  ["33 levels", Buffer.from(`${'{"a":'.repeat(33)}1${"}".repeat(33)}`), json, 400],
  ["a megabyte of numbers", Buffer.from(`[${"0,".repeat(500_000)}0]`), json, 413],
  ["a megabyte of empty lists", Buffer.from(`[${"[],".repeat(300_000)}[]]`), json, 413],
  ["a megabyte of keys", Buffer.from(`{${Array.from({ length: 80_000 }, (_, at) => `"k${at}":1`).join()}}`), json, 413],
  ["the same key a hundred thousand times", Buffer.from(`{${'"a":1,'.repeat(100_000)}"a":1}`), json, 413],
  ["a megabyte of digits", Buffer.from(`{"name":${"1".repeat(1_000_000)}}`), json, 400],
  ["a megabyte of escapes", Buffer.from(`{"name":"${"\\u0041".repeat(160_000)}"}`), json, 400],
  ["an own key __proto__", Buffer.from('{"\\u005f_proto__":{"name":"x"}}'), json, 400],
  ["two megabytes", Buffer.alloc(2_000_000, 32), json, 413],
  ["invalid JSON", Buffer.from("{"), json, 400],
  ["a picture", Buffer.from("x"), { "content-type": "image/png" }, 415],
  ["an unknown content encoding", Buffer.from("{}"), { ...json, "content-encoding": "zip" }, 415],
  [
    "a form of a hundred thousand fields",
    Buffer.from("a&".repeat(100_000)),
    { "content-type": "application/x-www-form-urlencoded" },
    415,
  ],
];

describe.each(inject("accounts"))("a shop with %s accounts", (accounts) => {
  let database: AccountDatabase;
  let shop: AccountShop;
  beforeAll(async () => {
    database = await createAccountDatabase();
    // A busy machine must not make a statement time out.
    shop = await startAccounts({ database, accounts, config: { timeouts: { statement: 20_000 } } });
  });
  afterAll(async () => {
    await shop?.close();
    await database?.drop();
  });

  const post = async (as: string | undefined, path: string, body: Uint8Array, headers: Record<string, string>) => {
    const signed = as === undefined ? {} : { authorization: `Bearer ${await shop.tokenOf(as)}` };
    const reply = await fetch(shop.url + path, {
      method: "POST",
      body: new Uint8Array(body),
      headers: { ...headers, ...signed },
    });
    await reply.text();
    return reply.status;
  };

  describe.each(bodies)("C58 %s", (_what, body, headers, status) => {
    it.each(["/api/suppliers", "/api/suppliers/many", "/api/users", "/api/orders/1/ship"])(
      "is 401 to an anonymous client and 403 to a caller without access, on %s",
      async (path) => {
        expect(await post(undefined, path, body, headers)).toBe(401);
        expect(await post("ada", path, body, headers)).toBe(403);
      },
    );

    it("is 401 to an anonymous client on account routes", async () => {
      expect(await post(undefined, "/api/auth/update-password", body, headers)).toBe(401);
    });

    it(`is ${status} to an authorized caller`, async () => {
      expect(await post("root", "/api/suppliers", body, headers)).toBe(status);
    });

    it("is rejected if the route is open", async () => {
      expect(await post(undefined, "/api/auth/login", body, headers)).toBeGreaterThanOrEqual(400);
      expect((await fetch(`${shop.url}/api/health/live`)).status).toBe(200);
    });
  });

  describe("C58 a form of files", () => {
    const form = { "content-type": "multipart/form-data; boundary=b" };
    const part = '--b\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\n\r\n';
    /**
     * Starts a body of 50 MB and sends no more of it than 64 KB, so that only a server that does not wait for it
     * responds.
     */
    const begin = async (as: string | undefined, target: string, headers: Record<string, string>) => {
      const signed = as === undefined ? {} : { authorization: `Bearer ${await shop.tokenOf(as)}` };
      return new Promise<number | undefined>((resolve, reject) => {
        const request = http.request(shop.url + target, {
          method: "POST",
          headers: { ...headers, ...signed, "content-length": "50000000" },
        });
        request.on("response", (response) => {
          resolve(response.statusCode);
          request.destroy();
        });
        request.on("error", reject);
        request.write(part + "x".repeat(64_000));
      });
    };

    it.each([
      ["of files", "/api/uploads/files", form],
      ["of images", "/api/uploads/images", form],
      ["without a boundary", "/api/uploads/files", { "content-type": "multipart/form-data" }],
      ["of another media type", "/api/uploads/files", { "content-type": "image/png" }],
      ["in an unknown content encoding", "/api/uploads/files", { ...form, "content-encoding": "zip" }],
      ["of an unknown category", "/api/uploads/nothing", form],
    ])(
      "%s is rejected before its body is read: 401 to an anonymous client, 403 to a caller without access",
      async (_, target, headers) => {
        expect(await begin(undefined, target, headers)).toBe(401);
        expect(await begin("ada", target, headers)).toBe(403);
      },
    );

    it("is 415 and 400 to an authorized caller", async () => {
      const send = (headers: Record<string, string>, body: string) =>
        post("root", "/api/uploads/files", Buffer.from(body), headers);
      expect(await send({ "content-type": "image/png" }, "x")).toBe(415);
      expect(await send({ "content-type": "multipart/form-data" }, "x")).toBe(400);
      expect(await send(form, part)).toBe(400);
    });
  });

  it("C59 expensive lists, includes and bulk changes use half of the connections together, alternating; the rest are 503", async () => {
    const filter = Array.from({ length: 6 }, (_, at) => `or[${at}][body][icontains]=zz${at}`).join("&");
    const expensive = [
      ["GET", `/api/reviews?count=false&${filter}`],
      ["GET", "/api/categories?limit=1&include=products.reviews"],
      ["PATCH", `/api/reviews/many?${filter}`],
      ["DELETE", `/api/reviews/many?${filter}`],
    ] as const;
    const call = (at: number) => {
      const [method, target] = expensive[at % expensive.length] ?? expensive[0];
      return shop.as<Problem>("root", method, target, method === "PATCH" ? { rating: 5 } : undefined);
    };
    for (const at of expensive.keys()) expect([at, (await call(at)).status]).toEqual([at, 200]);
    const [locked, release] = [signal(), signal()];
    const waiting = database.client.$transaction(
      async (inside) => {
        await inside.$executeRaw`LOCK TABLE "reviews" IN ACCESS EXCLUSIVE MODE`;
        locked.resolve();
        await release.promise;
      },
      { timeout: 60_000 },
    );
    await locked.promise;
    const responded: (readonly [number, string | undefined, string | null])[] = [];
    const all = Array.from({ length: 56 }, async (_, at) => {
      const { status, body, headers } = await call(at);
      responded.push([status, body.code, headers.get("retry-after")]);
    });
    // Five read, forty wait.
    await expect.poll(() => responded.length, { timeout: 20_000 }).toBe(11);
    expect(responded).toEqual(Array(11).fill([503, "DatabaseBusy", "2"]));
    // The other half is free.
    expect((await shop.as("root", "GET", "/api/tags?limit=1")).status).toBe(200);
    release.resolve();
    await Promise.all([waiting, ...all]);
    expect(responded.slice(11)).toEqual(Array(45).fill([200, undefined, null]));
  });

  it("a filter above the maximum cost is 400, with its cost", async () => {
    const terms = Array.from({ length: 50 }, (_, at) => `or[${at}][category__products__reviews__body__icontains]=zz`);
    const reply = await shop.as<Problem>("root", "GET", `/api/products?${terms.join("&")}`);
    expect([reply.status, reply.body.code]).toEqual([400, "QueryLimitExceeded"]);
    expect(reply.body.detail).toMatch(/costs 6402\. Maximum: 1000/);
  });

  it("C59 a bulk of a thousand invalid items is 400, and names the first of them", async () => {
    const reply = await shop.as<{ errors: { path: string }[] }>(
      "root",
      "POST",
      "/api/tags/many",
      Array.from({ length: 1000 }, () => ({ name: 1, other: {} })),
    );
    expect(reply.status).toBe(400);
    expect(reply.body.errors[0]?.path).toMatch(/^\/0\//);
    expect(reply.body.errors.length).toBeLessThanOrEqual(1000);
  });

  it("C59 C14 a bulk of a thousand rows is written completely or not at all", async () => {
    const rows = Array.from({ length: 1000 }, (_, at) => ({ name: `${accounts} tag ${at}` }));
    const total = () => database.client.tag.count();
    const before = await total();
    const twice = [...rows.slice(0, 999), rows[0]];
    const rejected = await shop.as<{ errors: { path: string }[] }>("root", "POST", "/api/tags/many", twice);
    expect([rejected.status, rejected.body.errors]).toEqual([409, [expect.objectContaining({ path: "/999/name" })]]);
    expect(await total()).toBe(before);
    expect((await shop.as("root", "POST", "/api/tags/many", rows)).status).toBe(201);
    expect(await total()).toBe(before + 1000);
  });
});

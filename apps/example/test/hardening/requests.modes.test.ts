import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import type { Problem, Row } from "../api.js";
import { inside, sendRaw } from "./send-raw.js";

type Reported = Problem & { readonly data: Row };

describe.each(inject("accounts"))("with %s accounts", (accounts) => {
  const folder = mkdtempSync(path.join(tmpdir(), "hardening-requests-"));
  let database: AccountDatabase;
  let shop: AccountShop;
  let token: string;
  beforeAll(async () => {
    database = await createAccountDatabase();
    shop = await startAccounts({ database, accounts, config: { fileUpload: { baseUploadDir: folder } } });
    token = await shop.tokenOf("root");
  });
  afterAll(async () => {
    await shop?.close();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = (method: string, target: string, body?: unknown, who: string | undefined = "root") =>
    shop.as<Reported>(who, method, `/api${target}`, body);
  /** As a superuser. */
  const send = (method: string, target: string, headers: Record<string, string> = {}, body?: Buffer | string) =>
    sendRaw(shop.url, method, target, { ...bearer(token), ...headers }, body);
  const alive = async () => expect((await fetch(`${shop.url}/api/health/live`)).status).toBe(200);

  describe("a field that a role cannot see is an unknown key", () => {
    /** Everything in a response except the request id and the key itself. */
    const message = ({ status, body }: { status: number; body: Reported }) =>
      JSON.stringify([status, body.code, body.detail, body.errors]).replaceAll("nobodysKey", "clientIp");

    it.each<[string, (key: string) => object]>([
      ["with a wrong type", (key) => ({ [key]: 5 })],
      ["with a valid type", (key) => ({ [key]: "1.2.3.4" })],
      ["null", (key) => ({ [key]: null })],
      ["after an invalid field", (key) => ({ note: 5, [key]: {} })],
      ["before an invalid field", (key) => ({ [key]: [], note: 5 })],
      ["next to other unknown keys", (key) => ({ other: 1, [key]: 5, another: 1 })],
    ])("a body with it %s gets the same response", async (_, make) => {
      const { orderId } = await database.own("ada");
      const target = `/orders/${orderId}`;
      const hidden = await call("PATCH", target, make("clientIp"), "ada");
      expect(hidden.body.errors?.map(({ path, code }) => `${path} ${code}`)).toContain("/clientIp UnknownField");
      expect(hidden.status).toBe(400);
      expect(message(await call("PATCH", target, make("nobodysKey"), "ada"))).toBe(message(hidden));
      const many = await call("PATCH", "/orders/many", [{ id: orderId, ...make("clientIp") }], "ada");
      expect(message(await call("PATCH", "/orders/many", [{ id: orderId, ...make("nobodysKey") }], "ada"))).toBe(
        message(many),
      );
    });

    it("a caller who can see it gets its type", async () => {
      const { orderId } = await database.own("ada");
      const { status, body } = await call("PATCH", `/orders/${orderId}`, { clientIp: 5 });
      expect([status, body.errors?.map(({ code }) => code)]).toEqual([400, ["InvalidType"]]);
    });
  });

  describe("the document", () => {
    const pages = ["", "/reference", "/llms.txt", "/schemas.json"].map((suffix) => `/api/api-docs${suffix}`);
    const documents = ["/api/api-docs.json", "/api/api-docs.yaml", ...pages];
    const statusOf = async (url: string, target: string, headers: Record<string, string> = {}) =>
      (await fetch(url + target, { redirect: "manual", headers })).status;

    it("is off in production", async () => {
      const made = await startAccounts({ database, accounts, environment: { NODE_ENV: "production" } });
      for (const target of documents) expect(await statusOf(made.url, target)).toBe(404);
      await made.close();
    });

    it("is closed if it is enabled in production, except for superusers, until apidocs.auth opens it", async () => {
      const open = (apidocs: object) =>
        startAccounts({
          ...{ database, accounts, environment: { NODE_ENV: "production" } },
          config: { apidocs: { mode: "orm", enableAfterBuild: true, ...apidocs } },
        });
      const closed = await open({});
      const all = [...documents, "/api/api-docs/swagger-ui-init.js"];
      const headers = async (name: string) => ({ authorization: `Bearer ${await closed.tokenOf(name)}` });
      const edda = await headers("edda");
      const root = await headers("root");
      for (const target of all) {
        expect([target, await statusOf(closed.url, target)]).toEqual([target, 401]);
        expect([target, await statusOf(closed.url, target, edda)]).toEqual([target, 403]);
        expect([target, await statusOf(closed.url, target, root)]).toEqual([target, 200]);
      }
      await closed.close();
      const opened = await open({ auth: false });
      for (const target of all) expect([target, await statusOf(opened.url, target)]).toEqual([target, 200]);
      await opened.close();
    });
  });

  describe("ORM options in a request", () => {
    it.each(["where", "select", "include[posts]", "orderBy", "take", "skip", "distinct", "prismaQueryOptions"])(
      "?%s is 400, even for a superuser",
      async (name) => {
        const value = name === "prismaQueryOptions" ? '{"where":{}}' : "1";
        expect((await call("GET", `/tags?${name}=${encodeURIComponent(value)}`)).status).toBe(400);
      },
    );
  });

  describe("a bulk change without a filter", () => {
    it.each<[string, string, unknown]>([
      ["PATCH", "/tags/many", { name: "lost" }],
      ["PATCH", "/tags/many?", { name: "lost" }],
      ["PATCH", "/tags/many?id=", { name: "lost" }],
      ["PATCH", "/tags/many?or=", { name: "lost" }],
      ["PATCH", "/tags/many?not=", { name: "lost" }],
      ["PATCH", "/tags/many?id__in=", { name: "lost" }],
      ["PATCH", "/tags/many?unknown=1", { name: "lost" }],
      ["DELETE", "/tags/many", undefined],
      ["DELETE", "/tags/many", {}],
      ["DELETE", "/tags/many", { ids: null }],
      ["DELETE", "/tags/many?or[0]=", undefined],
      ["DELETE", "/tags/many?__proto__[x]=1", undefined],
    ])("%s %s %j is 400, and changes nothing", async (method, target, body) => {
      const before = await database.client.tag.findMany({ orderBy: { id: "asc" } });
      expect((await call(method, target, body)).status).toBe(400);
      expect(await database.client.tag.findMany({ orderBy: { id: "asc" } })).toEqual(before);
    });
  });

  it("of 20 equal concurrent creates one is 201 and 19 are 409", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => call("POST", "/tags", { name: "only one" })));
    expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    const bulk = await call("POST", "/tags/many", [{ name: "new one" }, { name: "only one" }]);
    expect(bulk.status).toBe(409);
    expect(await database.client.tag.count({ where: { name: { in: ["only one", "new one"] } } })).toBe(1);
  });

  it("a bulk creates no user with permissions, and changes none", async () => {
    const before = await database.client.user.count();
    const user = { username: "mallory", email: "mallory@example.com", password: "a long password", isSuperUser: true };
    for (const who of [undefined, "ada", "edda"]) {
      const expected = who === undefined ? 401 : 403;
      expect((await shop.as(who, "POST", "/api/users/many", [user])).status).toBe(expected);
      expect((await shop.as(who, "PATCH", "/api/users/many?id__gt=0", { isSuperUser: true })).status).toBe(expected);
    }
    expect(await database.client.user.count()).toBe(before);
    expect(await database.client.user.count({ where: { isSuperUser: true } })).toBe(1);
  });

  it.each<[string, unknown]>([
    ["an operation of the ORM", { create: { name: "x" } }],
    ["connectOrCreate", { connectOrCreate: { where: { id: 1 }, create: { name: "x" } } }],
    ["update", { update: { where: { id: 1 }, data: { name: "x" } } }],
    ["deleteMany", { deleteMany: {} }],
    ["set", { set: [] }],
  ])("%s in a body is 400, and writes nothing", async (_, products) => {
    const before = await database.client.product.findMany({ orderBy: { id: "asc" } });
    expect((await call("PATCH", "/tags/1", { products })).status).toBe(400);
    expect((await call("PATCH", "/products/1", { stock: { increment: 1 } })).status).toBe(400);
    expect(await database.client.product.findMany({ orderBy: { id: "asc" } })).toEqual(before);
  });

  describe("a new password", () => {
    it.each(["short", "password", "12345678", "x".repeat(73), "ä".repeat(37)])("%s is 400", async (password) => {
      const user = { username: "newpass", email: "newpass@example.com", password };
      expect((await shop.call("POST", "/api/auth/signup", user)).status).toBe(400);
      const change = { currentPassword: "harbour and pine", newPassword: password };
      expect((await call("POST", "/auth/update-password", change, "edda")).status).toBe(400);
    });
  });

  describe("the cookie", () => {
    it("is HTTP-only and same-site, and secure in production", async () => {
      const login = { username: "edda", password: "harbour and pine" };
      const cookies = async (at: AccountShop) => {
        const { headers } = await at.call("POST", "/api/auth/login", login);
        return headers.getSetCookie().filter((one) => one.startsWith("access_token="));
      };
      expect(await cookies(shop)).toEqual([expect.stringMatching(/; HttpOnly; SameSite=(Lax|Strict)/i)]);
      const made = await startAccounts({ database, accounts, environment: { NODE_ENV: "production" } });
      expect(await cookies(made)).toEqual([expect.stringMatching(/(?=.*HttpOnly)(?=.*Secure)(?=.*SameSite=)/i)]);
      await made.close();
    });

    it("a foreign origin gets no CORS permission", async () => {
      const headers = { origin: "https://evil.example", "access-control-request-method": "DELETE" };
      for (const method of ["GET", "OPTIONS"]) {
        const reply = await send(method, "/api/tags", headers);
        expect(reply.headers["access-control-allow-origin"]).not.toBe("https://evil.example");
        expect(reply.headers["access-control-allow-credentials"]).toBeUndefined();
      }
    });
  });

  describe("the requirements of HTTP", () => {
    const json = { "content-type": "application/json" };
    it.each<[string, string, string, Record<string, string>, string | Buffer | undefined, number | number[]]>([
      ["an unknown path", "GET", "/api/nothing", {}, undefined, 404],
      ["a wrong method", "PUT", "/api/tags", json, "{}", 405],
      ["TRACE", "TRACE", "/api/tags", {}, undefined, [404, 405]],
      ["an unknown method", "PROPFIND", "/api/tags", {}, undefined, [404, 405]],
      ["an unsupported response type", "GET", "/api/tags", { accept: "image/png" }, undefined, 406],
      ["a body of another type", "POST", "/api/tags", { "content-type": "text/plain" }, "x", 415],
      [
        "a charset that JSON does not allow",
        "POST",
        "/api/tags",
        { "content-type": "application/json; charset=latin1" },
        "{}",
        415,
      ],
      ["an unknown content encoding", "POST", "/api/tags", { ...json, "content-encoding": "x" }, "{}", 415],
      ["invalid gzip", "POST", "/api/tags", { ...json, "content-encoding": "gzip" }, "{}", 400],
      ["invalid JSON", "POST", "/api/tags", json, "{", 400],
      ["invalid UTF-8", "POST", "/api/tags", json, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400],
      ["a body of 2 MB", "POST", "/api/tags", json, `{"name":"${"x".repeat(2_000_000)}"}`, 413],
      ["a URL of 9 kB", "GET", `/api/tags?search=${"x".repeat(9_000)}`, {}, undefined, 414],
      ["a URL of 20 kB", "GET", `/api/tags?search=${"x".repeat(20_000)}`, {}, undefined, [414, 431]],
      ["a header of 20 kB", "GET", "/api/tags", { "x-long": "x".repeat(20_000) }, undefined, 431],
      ["an expectation", "POST", "/api/tags", { ...json, expect: "magic" }, "{}", 417],
      ["a bad percent code in a path", "GET", "/api/tags/%zz", {}, undefined, 400],
      ["NUL in a path", "GET", "/api/settings/%00", {}, undefined, [400, 404]],
      ["a slash in an id", "GET", "/api/settings/a%2Fb", {}, undefined, 404],
      ["an id out of range", "GET", "/api/tags/99999999999999999999", {}, undefined, [400, 404]],
      ["an id with a fraction", "GET", "/api/tags/1.5", {}, undefined, [400, 404]],
    ])("%s: %s", async (_what, method, target, headers, body, expected) => {
      const reply = await send(method, target, headers, body);
      expect([expected].flat(), reply.text).toContain(reply.status);
      if (reply.status === 405) expect(reply.headers.allow).toMatch(/GET/);
      // HTTP itself rejects these, before there is a request.
      if (reply.status !== 431 && reply.status !== 417)
        expect(reply.headers["content-type"]).toMatch(/^application\/problem\+json/);
      expect(reply.text).not.toMatch(inside);
      expect(reply.text).not.toMatch(/x{1000}/);
      await alive();
    });

    it("HEAD is GET without a body, and OPTIONS lists the methods", async () => {
      const [head, get] = [await send("HEAD", "/api/tags/1"), await send("GET", "/api/tags/1")];
      expect([head.status, head.text, head.headers.etag]).toEqual([200, "", get.headers.etag]);
      const options = await send("OPTIONS", "/api/tags");
      expect([options.status, options.text]).toEqual([204, ""]);
      expect(options.headers.allow).toMatch(/POST/);
    });
  });

  it("values are returned as sent, or rejected", async () => {
    const { body } = await call("GET", "/products/1?fields=categoryId");
    const product = {
      sku: `round ${accounts}`,
      name: "\u{1F600} é",
      price: "12345678.10",
      categoryId: body.data.categoryId,
    };
    const attributes = { a: [1, null, true, "\u2028"], constructor: 1 };
    const made = await call("POST", "/products", { ...product, attributes });
    expect([made.status, made.body.data]).toEqual([201, expect.objectContaining({ ...product, attributes })]);
    for (const wrong of [{ name: "a\u0000b" }, { name: "\ud800" }, { releasedOn: "10000-01-01" }])
      expect((await call("PATCH", `/products/${made.body.data.id}`, wrong)).status).toBe(400);
    const text = `{"price":1e400}`;
    expect((await call("PATCH", `/products/${made.body.data.id}`, text)).status).toBe(400);
  });

  it("no response has a server banner, each has its declared type, and none of a caller is cached", async () => {
    for (const target of ["/api", "/api/tags", "/api/nothing", "/api/users/me", "/api/api-docs", "/api/health/live"]) {
      const { headers } = await send("GET", target);
      expect([headers["x-powered-by"], headers.server]).toEqual([undefined, undefined]);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      if (target === "/api/users/me" || target === "/api/tags") {
        expect(headers["cache-control"]).toMatch(/no-store|private|no-cache/);
      }
    }
  });

  it.each<[string, string]>([
    ["1,001 parameters", Array.from({ length: 1_001 }, (_, at) => `a${at}=1`).join("&")],
    ["40 levels", `a${"[b]".repeat(40)}=1`],
    ["a list of 7,000 commas", `id__in=${",".repeat(7_000)}`],
    ["a huge index", "or[4294967294][name]=x&or[x][name]=y"],
  ])("%s in a query is 400", async (_, query) => {
    expect((await call("GET", `/tags?${query}`)).status).toBe(400);
    await alive();
  });

  it("a URL-encoded body is not JSON", async () => {
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const many = Array.from({ length: 1_001 }, (_, at) => `a${at}=1`).join("&");
    for (const body of ["name=x", many, `a${"[b]".repeat(40)}=1`]) {
      expect((await send("POST", "/api/tags", type, body)).status).toBe(415);
    }
  });

  it.each([
    "/api/tags/".padEnd(8_000, "a-"),
    "/api/".padEnd(8_000, "/a"),
    "/api/tags/".padEnd(8_000, ":a."),
    "/api/orders/".padEnd(7_000, "1/ship/"),
    "//evil.example/%2e%2e",
    "/api/api-docs//evil.example/..",
    "/\\\\evil.example",
  ])("%.24s… triggers no slow pattern, and matches no other route", async (target) => {
    const reply = await send("GET", target);
    expect([200, 302, 308, 400, 404]).toContain(reply.status);
    expect(reply.headers.location ?? "").not.toMatch(/evil|^\/\/|^https?:/);
    await alive();
  });

  it("every response of these tests is documented", async () => {
    // `call` validates each response against the document (contract C47); here is an invalid one.
    const { body } = await shop.call<{ paths: object }>("GET", "/api/api-docs.json");
    expect(Object.keys(body.paths).length).toBeGreaterThan(50);
  });

  it("no value of a client makes the service call another", async () => {
    let requested = 0;
    const other = http.createServer((_request, response) => {
      requested += 1;
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/x.png`;
    await call("POST", "/settings", { key: `url ${accounts}`, value: { $ref: url, url } });
    await call("GET", `/tags?search=${encodeURIComponent(url)}`);
    await call("GET", `/uploads/images/${encodeURIComponent(url)}`);
    await call("POST", "/tags", { name: url });
    const headers = {
      referer: url,
      origin: url,
      forwarded: `host=${url}`,
      "x-forwarded-host": url,
      host: url.slice(7, -6),
    };
    for (const method of ["GET", "POST"]) await send(method, "/api/tags", headers);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><image href="${url}"/></svg>`;
    const body = new FormData();
    body.append("file", new Blob([svg]), "a.svg");
    await fetch(`${shop.url}/api/uploads/images`, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${token}` },
    });
    await new Promise<void>((resolve) => other.close(() => resolve()));
    expect(requested).toBe(0);
  });
});

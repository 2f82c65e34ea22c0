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

type Told = Problem & { readonly data: Row };

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

  const ask = (method: string, target: string, body?: unknown, who: string | undefined = "root") =>
    shop.as<Told>(who, method, `/api${target}`, body);
  /** As a superuser. */
  const send = (method: string, target: string, headers: Record<string, string> = {}, body?: Buffer | string) =>
    sendRaw(shop.url, method, target, { ...bearer(token), ...headers }, body);
  const alive = async () => expect((await fetch(`${shop.url}/api/health/live`)).status).toBe(200);

  describe("F10 what a role does not see is a key that nobody knows", () => {
    /** Everything of an answer but what names the request, and the key itself. */
    const said = ({ status, body }: { status: number; body: Told }) =>
      JSON.stringify([status, body.code, body.detail, body.errors]).replaceAll("nobodysKey", "clientIp");

    it.each<[string, (key: string) => object]>([
      ["of a wrong type", (key) => ({ [key]: 5 })],
      ["of a right type", (key) => ({ [key]: "1.2.3.4" })],
      ["null", (key) => ({ [key]: null })],
      ["after a fault", (key) => ({ note: 5, [key]: {} })],
      ["before a fault", (key) => ({ [key]: [], note: 5 })],
      ["beside another unknown key", (key) => ({ other: 1, [key]: 5, another: 1 })],
    ])("F10 R2 R3 a body with it %s is answered alike", async (_, make) => {
      const { orderId } = await database.own("ada");
      const target = `/orders/${orderId}`;
      const hidden = await ask("PATCH", target, make("clientIp"), "ada");
      expect(hidden.body.errors?.map(({ path, code }) => `${path} ${code}`)).toContain("/clientIp UnknownField");
      expect(hidden.status).toBe(400);
      expect(said(await ask("PATCH", target, make("nobodysKey"), "ada"))).toBe(said(hidden));
      const many = await ask("PATCH", "/orders/many", [{ id: orderId, ...make("clientIp") }], "ada");
      expect(said(await ask("PATCH", "/orders/many", [{ id: orderId, ...make("nobodysKey") }], "ada"))).toBe(
        said(many),
      );
    });

    it("F10 whoever sees it is told of its type", async () => {
      const { orderId } = await database.own("ada");
      const { status, body } = await ask("PATCH", `/orders/${orderId}`, { clientIp: 5 });
      expect([status, body.errors?.map(({ code }) => code)]).toEqual([400, ["InvalidType"]]);
    });
  });

  describe("F10 the document", () => {
    const pages = ["", "/reference", "/llms.txt", "/schemas.json"].map((suffix) => `/api/api-docs${suffix}`);
    const documents = ["/api/api-docs.json", "/api/api-docs.yaml", ...pages];
    const statusOf = async (url: string, target: string, headers: Record<string, string> = {}) =>
      (await fetch(url + target, { redirect: "manual", headers })).status;

    it("F10 R24 is not there in production", async () => {
      const made = await startAccounts({ database, accounts, environment: { NODE_ENV: "production" } });
      for (const target of documents) expect(await statusOf(made.url, target)).toBe(404);
      await made.close();
    });

    it("F10 R24 is closed where production serves it, but for superusers, until apidocs.auth opens it", async () => {
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

  describe("R5 options of the ORM in a request", () => {
    it.each(["where", "select", "include[posts]", "orderBy", "take", "skip", "distinct", "prismaQueryOptions"])(
      "R5 ?%s is 400, for a superuser too",
      async (name) => {
        const value = name === "prismaQueryOptions" ? '{"where":{}}' : "1";
        expect((await ask("GET", `/tags?${name}=${encodeURIComponent(value)}`)).status).toBe(400);
      },
    );
  });

  describe("R7 a bulk change without a filter", () => {
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
    ])("R7 %s %s %j is 400, and changes nothing", async (method, target, body) => {
      const before = await database.client.tag.findMany({ orderBy: { id: "asc" } });
      expect((await ask(method, target, body)).status).toBe(400);
      expect(await database.client.tag.findMany({ orderBy: { id: "asc" } })).toEqual(before);
    });
  });

  it("R8 of 20 equal creates one is 201 and 19 are 409", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => ask("POST", "/tags", { name: "only one" })));
    expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    const bulk = await ask("POST", "/tags/many", [{ name: "new one" }, { name: "only one" }]);
    expect(bulk.status).toBe(409);
    expect(await database.client.tag.count({ where: { name: { in: ["only one", "new one"] } } })).toBe(1);
  });

  it("R10 attack 13: a bulk creates no user with rights, and changes none", async () => {
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
  ])("R11 attack 12: %s in a body is 400, and writes nothing", async (_, products) => {
    const before = await database.client.product.findMany({ orderBy: { id: "asc" } });
    expect((await ask("PATCH", "/tags/1", { products })).status).toBe(400);
    expect((await ask("PATCH", "/products/1", { stock: { increment: 1 } })).status).toBe(400);
    expect(await database.client.product.findMany({ orderBy: { id: "asc" } })).toEqual(before);
  });

  describe("R14 a new password", () => {
    it.each(["short", "password", "12345678", "x".repeat(73), "ä".repeat(37)])("R14 %s is 400", async (password) => {
      const user = { username: "newpass", email: "newpass@example.com", password };
      expect((await shop.call("POST", "/api/auth/signup", user)).status).toBe(400);
      const change = { currentPassword: "harbour and pine", newPassword: password };
      expect((await ask("POST", "/auth/update-password", change, "edda")).status).toBe(400);
    });
  });

  describe("R17 the cookie", () => {
    it("R17 is HTTP-only and of this site, and secure in production", async () => {
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

    it("R17 a foreign origin is told of no permission", async () => {
      const headers = { origin: "https://evil.example", "access-control-request-method": "DELETE" };
      for (const method of ["GET", "OPTIONS"]) {
        const answer = await send(method, "/api/tags", headers);
        expect(answer.headers["access-control-allow-origin"]).not.toBe("https://evil.example");
        expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
      }
    });
  });

  describe("R19 R20 what HTTP asks for", () => {
    const json = { "content-type": "application/json" };
    it.each<[string, string, string, Record<string, string>, string | Buffer | undefined, number | number[]]>([
      ["an unknown path", "GET", "/api/nothing", {}, undefined, 404],
      ["a wrong method", "PUT", "/api/tags", json, "{}", 405],
      ["TRACE", "TRACE", "/api/tags", {}, undefined, [404, 405]],
      ["CONNECT of a path is none", "PROPFIND", "/api/tags", {}, undefined, [404, 405]],
      ["an answer that nobody makes", "GET", "/api/tags", { accept: "image/png" }, undefined, 406],
      ["a body of another type", "POST", "/api/tags", { "content-type": "text/plain" }, "x", 415],
      [
        "a charset that JSON has not",
        "POST",
        "/api/tags",
        { "content-type": "application/json; charset=latin1" },
        "{}",
        415,
      ],
      ["an encoding nobody knows", "POST", "/api/tags", { ...json, "content-encoding": "x" }, "{}", 415],
      ["gzip that is none", "POST", "/api/tags", { ...json, "content-encoding": "gzip" }, "{}", 400],
      ["no JSON", "POST", "/api/tags", json, "{", 400],
      ["no UTF-8", "POST", "/api/tags", json, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400],
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
    ])("R19 R20 %s: %s", async (_what, method, target, headers, body, expected) => {
      const answer = await send(method, target, headers, body);
      expect([expected].flat(), answer.text).toContain(answer.status);
      if (answer.status === 405) expect(answer.headers.allow).toMatch(/GET/);
      // HTTP itself refuses these, before there is a request.
      if (answer.status !== 431 && answer.status !== 417)
        expect(answer.headers["content-type"]).toMatch(/^application\/problem\+json/);
      expect(answer.text).not.toMatch(inside);
      expect(answer.text).not.toMatch(/x{1000}/);
      await alive();
    });

    it("R19 HEAD is GET without a body, and OPTIONS says what there is", async () => {
      const [head, get] = [await send("HEAD", "/api/tags/1"), await send("GET", "/api/tags/1")];
      expect([head.status, head.text, head.headers.etag]).toEqual([200, "", get.headers.etag]);
      const options = await send("OPTIONS", "/api/tags");
      expect([options.status, options.text]).toEqual([204, ""]);
      expect(options.headers.allow).toMatch(/POST/);
    });
  });

  it("R22 values come back as they went, or are refused", async () => {
    const { body } = await ask("GET", "/products/1?fields=categoryId");
    const product = {
      sku: `round ${accounts}`,
      name: "\u{1F600} é",
      price: "12345678.10",
      categoryId: body.data.categoryId,
    };
    const attributes = { a: [1, null, true, "\u2028"], constructor: 1 };
    const made = await ask("POST", "/products", { ...product, attributes });
    expect([made.status, made.body.data]).toEqual([201, expect.objectContaining({ ...product, attributes })]);
    for (const wrong of [{ name: "a\u0000b" }, { name: "\ud800" }, { releasedOn: "10000-01-01" }])
      expect((await ask("PATCH", `/products/${made.body.data.id}`, wrong)).status).toBe(400);
    const text = `{"price":1e400}`;
    expect((await ask("PATCH", `/products/${made.body.data.id}`, text)).status).toBe(400);
  });

  it("R24 no answer bears a banner, each is of the type that it says, and none of a caller is kept", async () => {
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
  ])("R9 attack 24: %s in a query is 400", async (_, query) => {
    expect((await ask("GET", `/tags?${query}`)).status).toBe(400);
    await alive();
  });

  it("R9 attack 24: a URL-encoded body is no JSON", async () => {
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
  ])("R9 R24 attack 25: %.24s… matches no slow pattern, and leads nowhere else", async (target) => {
    const answer = await send("GET", target);
    expect([200, 302, 308, 400, 404]).toContain(answer.status);
    expect(answer.headers.location ?? "").not.toMatch(/evil|^\/\/|^https?:/);
    await alive();
  });

  it("R27 every answer of these tests is one that the document knows", async () => {
    // `call` holds each answer against the document (contract C47); here is one that it would find.
    const { body } = await shop.call<{ paths: object }>("GET", "/api/api-docs.json");
    expect(Object.keys(body.paths).length).toBeGreaterThan(50);
  });

  it("R28 no value of a client makes the service ask another", async () => {
    let asked = 0;
    const other = http.createServer((_request, response) => {
      asked += 1;
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/x.png`;
    await ask("POST", "/settings", { key: `url ${accounts}`, value: { $ref: url, url } });
    await ask("GET", `/tags?search=${encodeURIComponent(url)}`);
    await ask("GET", `/uploads/images/${encodeURIComponent(url)}`);
    await ask("POST", "/tags", { name: url });
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
    expect(asked).toBe(0);
  });
});

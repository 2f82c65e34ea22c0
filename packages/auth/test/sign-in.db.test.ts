import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { Served } from "./serve-auth.js";
import { alice, bearer, startWithAlice, tokenOf, type WithAlice } from "./with-alice.js";

let started: WithAlice;
let opened: WithAlice["opened"];
let served: Served;
const serve: WithAlice["serve"] = (options) => started.serve(options);

beforeAll(async () => {
  started = await startWithAlice(inject("postgresUrl"));
  ({ opened, served } = started);
});
afterAll(() => started?.close());
beforeEach(() => started.renew());

describe("login", () => {
  it("C26 returns the user without hidden fields, the token and its expiry, and sets the cookie", async () => {
    const before = Date.now();
    const response = await served.api.post("/api/auth/login").send({ username: "alice", password: alice.password });
    expect(response.status).toBe(200);
    expect(Object.keys(response.body).sort()).toEqual(["accessToken", "data", "expiresAt"]);
    expect(Object.keys(response.body.data).sort()).toEqual(
      ["id", "username", "email", "name", "score", "role", "roles", "isActive", "isSuperUser", "emailVerified"]
        .concat(["passwordChangedAt", "lastLoginAt", "deletedAt", "createdAt", "credit"])
        .sort(),
    );
    expect(response.body.data.score).toBe("9007199254740993");
    expect(new Date(response.body.expiresAt).getTime()).toBeGreaterThan(Date.now() + 29.9 * 86_400_000);
    const [cookie = ""] = response.headers["set-cookie"] as unknown as string[];
    expect(cookie).toMatch(/^access_token=[\w.-]+; Max-Age=2592000; Path=\/; Expires=.*; HttpOnly; SameSite=Lax$/);
    expect(response.headers["cache-control"]).toBe("no-store");
    const row = await opened.client.user.findFirstOrThrow();
    expect(row.lastLoginAt?.getTime()).toBeGreaterThanOrEqual(before);
    expect(response.body.data.lastLoginAt).toBe(row.lastLoginAt?.toISOString());
    expect(row.password).toMatch(/^\$2[aby]\$04\$/);
  });

  it("C26 sends the token only as configured", async () => {
    const cookieOnly = await serve({ config: { login: { sendAccessTokenThrough: "cookie-only" } } });
    const responseOnly = await serve({ config: { login: { sendAccessTokenThrough: "response-only" } } });
    const body = { username: "alice", password: alice.password };
    const first = await cookieOnly.api.post("/api/auth/login").send(body);
    expect([Object.keys(first.body).sort(), first.headers["set-cookie"]?.length]).toEqual([["data", "expiresAt"], 2]);
    const second = await responseOnly.api.post("/api/auth/login").send(body);
    expect([typeof second.body.accessToken, second.headers["set-cookie"]]).toEqual(["string", undefined]);
  });

  it("C26 sets the cookie's flags by the environment and the settings", async () => {
    const production = await serve({ nodeEnv: "production" });
    const body = { username: "alice", password: alice.password };
    const response = await production.api.post("/api/auth/login").send(body);
    expect(response.headers["set-cookie"]?.[0]).toMatch(/; HttpOnly; Secure; SameSite=None$/);
    const other = await serve({ config: { jwt: { cookie: { httpOnly: false, secure: true, sameSite: "strict" } } } });
    const [cookie] = (await other.api.post("/api/auth/login").send(body)).headers["set-cookie"] as unknown as string[];
    expect(cookie).toMatch(/Z?GMT; Secure; SameSite=Strict$/);
  });

  it("C26 returns the same response for an unknown user, a wrong password, an inactive and a deleted user", async () => {
    const wrong = await served.api.post("/api/auth/login").send({ username: "alice", password: "wrong horse" });
    expect([wrong.status, wrong.body.code]).toEqual([401, "InvalidCredentials"]);
    expect(wrong.headers["www-authenticate"]).toMatch(/^Bearer /);
    const unknown = await served.api.post("/api/auth/login").send({ username: "nobody", password: "wrong horse" });
    await opened.client.user.updateMany({ data: { isActive: false } });
    const inactive = await served.api.post("/api/auth/login").send({ username: "alice", password: alice.password });
    await opened.client.user.updateMany({ data: { isActive: true, deletedAt: new Date() } });
    const deleted = await served.api.post("/api/auth/login").send({ username: "alice", password: alice.password });
    for (const other of [unknown, inactive, deleted]) {
      expect(other.status).toBe(401);
      expect(other.body).toEqual(wrong.body);
      expect(other.headers["set-cookie"]).toBeUndefined();
    }
  });

  it.each([
    ["an object in place of the name", { username: { not: "x" }, password: alice.password }],
    ["an operator in place of the password", { username: "alice", password: { startsWith: "" } }],
    ["a list", { username: ["alice"], password: alice.password }],
    ["null", { username: null, password: alice.password }],
    ["no name", { password: alice.password }],
    ["no password", { username: "alice" }],
    ["a number", { username: "alice", password: 12345678 }],
    ["an empty name", { username: "", password: alice.password }],
    ["an unknown key", { username: "alice", password: alice.password, remember: true }],
    ["a name that is not allowed", { email: "alice@example.com", password: alice.password }],
    ["a column reference", { username: { _ref: "username", _container: "User" }, password: alice.password }],
    ["NUL", { username: "alice\0", password: alice.password }],
    ["half a surrogate pair", { username: "\ud800", password: alice.password }],
    ["73 bytes", { username: "alice", password: "x".repeat(73) }],
    ["25 characters of 3 bytes", { username: "alice", password: "€".repeat(25) }],
    ["a list as body", [{ username: "alice", password: alice.password }]],
  ])("rejects %s with 400", async (_, body) => {
    const response = await served.api.post("/api/auth/login").send(body);
    expect([response.status, response.body.code, response.headers["set-cookie"]]).toEqual([
      400,
      "ValidationError",
      undefined,
    ]);
  });

  it("rejects an own key __proto__ and a missing body", async () => {
    const text = '{"__proto__":{"username":"alice"},"password":"correct horse"}';
    const polluted = await served.api.post("/api/auth/login").set("content-type", "application/json").send(text);
    expect(polluted.status).toBe(400);
    expect((await served.api.post("/api/auth/login")).status).toBe(400);
  });

  it("C26 compares normalized names literally, without LIKE wildcards, or exactly if configured", async () => {
    const exact = await serve({ config: { login: { normalizeNames: false } } });
    const spellings = ["ALICE", " alice ", "Ａlice", "al\u200bice"];
    for (const [at, username, status] of [
      ...spellings.map((name) => [served, name, 200] as const),
      ...spellings.map((name) => [exact, name, 401] as const),
      ...["ali%", "alic_", "alice\\"].map((name) => [served, name, 401] as const),
    ]) {
      const response = await at.api.post("/api/auth/login").send({ username, password: alice.password });
      expect([username, response.status]).toEqual([username, status]);
    }
  });

  it("C26 accepts any of the allowed names, including one through a relation", async () => {
    const many = await serve({ config: { login: { allowedUsernames: ["username", "email", "profile.nickname"] } } });
    const user = await opened.client.user.findFirstOrThrow();
    await opened.client.profile.create({ data: { nickname: "al", userId: user.id } });
    const { password } = alice;
    const byEmail = await many.api.post("/api/auth/login").send({ email: alice.email, password });
    const byNickname = await many.api.post("/api/auth/login").send({ "profile.nickname": "al", password });
    expect([byEmail.status, byNickname.status, byNickname.body.data?.id]).toEqual([200, 200, user.id]);
    const both = await many.api.post("/api/auth/login").send({ email: alice.email, username: "alice", password });
    expect(both.status).toBe(400);
  });

  it("rejects logins of users with an invalid or missing hash", async () => {
    for (const password of ["", "junk", "correct horse", `$2b$04$${"x".repeat(10)}`]) {
      await opened.client.user.updateMany({ data: { password } });
      const response = await served.api.post("/api/auth/login").send({ username: "alice", password: alice.password });
      expect(response.status).toBe(401);
    }
  });
});

describe("the access token", () => {
  it("C23 is accepted in the header and the cookie, and identifies the caller", async () => {
    const token = await tokenOf(served);
    const { id } = await opened.client.user.findFirstOrThrow();
    const byHeader = await served.api.get("/api/signed-in").set(bearer(token));
    expect(byHeader.body).toEqual({ id: String(id), roles: ["READER"], userId: String(id) });
    const byCookie = await served.api.get("/api/signed-in").set("cookie", `theme=dark; access_token=${token}`);
    expect(byCookie.body.id).toBe(String(id));
    expect(byHeader.headers["cache-control"]).toBe("private, no-cache");
  });

  it("C23 has precedence in the header, even if it is malformed there", async () => {
    const token = await tokenOf(served);
    for (const header of ["Bearer", "Bearer x", "Bearer ", `Bearer ${token} ${token}`, `bearer${token}`]) {
      const response = await served.api
        .get("/api/signed-in")
        .set("authorization", header)
        .set("cookie", `access_token=${token}`);
      expect([header, response.status, response.body.code]).toEqual([header, 401, "InvalidToken"]);
      expect(response.headers["www-authenticate"]).toContain('error="invalid_token"');
    }
    const lower = await served.api.get("/api/signed-in").set("authorization", `bearer ${token}`);
    expect(lower.status).toBe(200);
  });

  it("C87 is read from the cookie, and public routes stay open, if a proxy sends credentials of another scheme", async () => {
    const token = await tokenOf(served);
    for (const authorization of [
      "Basic YTpi",
      `Basic ${token}`,
      "Digest username=a",
      "Negotiate YTpi",
      token,
      "",
      ",",
    ]) {
      const get = (path: string) => served.api.get(path).set("authorization", authorization);
      const signedIn = await get("/api/signed-in").set("cookie", `access_token=${token}`);
      expect([authorization, signedIn.status]).toEqual([authorization, 200]);
      const anonymous = await get("/api/signed-in");
      expect([anonymous.status, anonymous.body.code]).toEqual([401, "Unauthorized"]);
      const foreign = await served.api
        .post("/api/signed-in")
        .set({ authorization, cookie: `access_token=${token}`, origin: "https://evil.example" });
      expect([foreign.status, foreign.body.code]).toEqual([403, "CrossSiteRequest"]);
    }
  });

  it("is required: 401 with WWW-Authenticate without it", async () => {
    const response = await served.api.get("/api/signed-in");
    expect([response.status, response.body.code]).toEqual([401, "Unauthorized"]);
    expect(response.headers["www-authenticate"]).toBe('Bearer realm="api"');
  });

  it("ends with the user: inactive, deleted, marked as deleted", async () => {
    const token = await tokenOf(served);
    const status = async () => (await served.api.get("/api/signed-in").set(bearer(token))).status;
    expect(await status()).toBe(200);
    await opened.client.user.updateMany({ data: { isActive: false } });
    expect(await status()).toBe(401);
    await opened.client.user.updateMany({ data: { isActive: true, deletedAt: new Date() } });
    expect(await status()).toBe(401);
    await opened.client.user.updateMany({ data: { deletedAt: null } });
    expect(await status()).toBe(200);
    await opened.client.user.deleteMany();
    expect(await status()).toBe(401);
  });

  it("C23 ends with any change of the stored hash, even in the same second, and with passwordChangedAt", async () => {
    const token = await tokenOf(served);
    const row = await opened.client.user.findFirstOrThrow();
    const status = async () => (await served.api.get("/api/signed-in").set(bearer(token))).status;
    await opened.client.user.updateMany({ data: { password: await served.auth.hashPassword("another horse") } });
    expect(await status()).toBe(401);
    await opened.client.user.updateMany({ data: { password: row.password } });
    expect(await status()).toBe(200);
    await opened.client.user.updateMany({ data: { passwordChangedAt: new Date(Date.now() + 2_000) } });
    expect(await status()).toBe(401);
  });

  it("reflects a changed role in the next request", async () => {
    const token = await tokenOf(served);
    const status = async (path: string) => (await served.api.get(path).set(bearer(token))).status;
    expect(await status("/api/edit")).toBe(403);
    await opened.client.user.updateMany({ data: { role: "EDITOR" } });
    expect(await status("/api/edit")).toBe(200);
    await opened.client.user.updateMany({ data: { role: "READER" } });
    expect(await status("/api/edit")).toBe(403);
  });

  it("C28 ends with a logout, which deletes the cookie, and no other token does", async () => {
    const [token, other] = [await tokenOf(served), await tokenOf(served)];
    const response = await served.api.delete("/api/auth/logout").set("cookie", `access_token=${token}`);
    expect([response.status, response.text]).toEqual([204, ""]);
    expect(response.headers["set-cookie"]?.[0]).toMatch(/^access_token=; Path=\/; Expires=Thu, 01 Jan 1970/);
    expect((await served.api.get("/api/signed-in").set(bearer(token))).status).toBe(401);
    expect((await served.api.get("/api/signed-in").set(bearer(other))).status).toBe(200);
    expect((await served.api.delete("/api/auth/logout").set(bearer(token))).status).toBe(401);
  });

  it("costs one indexed read of the user and nothing else", async () => {
    const token = await tokenOf(served);
    await served.api.get("/api/signed-in").set(bearer(token));
    opened.statements.length = 0;
    await served.api.get("/api/signed-in").set(bearer(token));
    expect(opened.statements).toHaveLength(1);
    expect(opened.statements[0]).toMatch(/^SELECT .* WHERE \("public"."User"."id" = \$1 AND 1=1\) LIMIT/);
  });
});

describe("C59 input of anonymous clients", () => {
  it("is rejected before anything is read from the database, whatever the token", async () => {
    const token = await tokenOf(served);
    const [head = "", claims = "", mac = ""] = token.split(".");
    const wrong = [
      "x",
      "a.b.c",
      `${head}.${claims}.${"A".repeat(mac.length)}`,
      `${head}.${Buffer.from('{"sub":"1"}').toString("base64url")}.${mac}`,
      token.repeat(20),
    ];
    opened.statements.length = 0;
    for (const given of [...wrong, undefined]) {
      for (const path of ["/api/signed-in", "/api/users/me"]) {
        const response = await served.api.get(path).set(given === undefined ? {} : bearer(given));
        expect(response.status).toBe(401);
        const cookie = { cookie: `access_token=${given ?? ""}` };
        expect((await served.api.get(path).set(cookie)).status).toBe(401);
      }
    }
    expect(opened.statements).toEqual([]);
  });

  it("of more than 16 KB below /auth is 413", async () => {
    opened.statements.length = 0;
    for (const path of ["login", "signup", "forgot-password", "reset-password", "verify-email"]) {
      const response = await served.api.post(`/api/auth/${path}`).send({ username: "x".repeat(16_500) });
      expect([path, response.status]).toEqual([path, 413]);
    }
    expect(opened.statements).toEqual([]);
  });

  it("C60 with a forged device cookie costs no read", async () => {
    const cookie = `known_device=${"A".repeat(22)}.99999999999.${"A".repeat(43)}.${"A".repeat(43)}`;
    const reads = async (headers: Record<string, string>): Promise<number> => {
      opened.statements.length = 0;
      await served.api.post("/api/auth/login").set(headers).send({ username: "alice", password: "wrong" });
      return opened.statements.length;
    };
    expect(await reads({ cookie })).toBe(await reads({}));
  });
});

describe("access control in static mode", () => {
  it("C29 roles, every role, no rule, superuser", async () => {
    const token = await tokenOf(served);
    const status = async (path: string) => (await served.api.get(path).set(bearer(token))).status;
    expect([await status("/api/edit"), await status("/api/any"), await status("/api/closed")]).toEqual([403, 200, 403]);
    await opened.client.user.updateMany({ data: { isSuperUser: true } });
    expect([await status("/api/edit"), await status("/api/any"), await status("/api/closed")]).toEqual([200, 200, 200]);
  });

  it("C25 role and roles count together", async () => {
    const token = await tokenOf(served);
    await opened.client.user.updateMany({ data: { roles: ["EDITOR", "AUDITOR"] } });
    const response = await served.api.get("/api/edit").set(bearer(token));
    expect([response.status, response.body.roles]).toEqual([200, ["READER", "EDITOR", "AUDITOR"]]);
  });

  it("C50 is checked before anything is validated", async () => {
    const token = await tokenOf(served);
    const anonymous = await served.api.patch("/api/checked/1").send({ wrong: true });
    const forbidden = await served.api.patch("/api/checked/1").set(bearer(token)).send({ wrong: true });
    const absent = await served.api.patch("/api/checked/1").set(bearer(token)).send({ title: "x" });
    expect([anonymous.status, forbidden.status]).toEqual([401, 403]);
    expect(absent.body).toEqual(forbidden.body);
    await opened.client.user.updateMany({ data: { role: "EDITOR" } });
    expect((await served.api.patch("/api/checked/1").set(bearer(token)).send({ wrong: true })).status).toBe(400);
  });

  it("applies to HEAD, other spellings and trailing slashes", async () => {
    for (const path of ["/api/signed-in", "/api/SIGNED-IN", "/api/signed-in/"]) {
      expect([path, (await served.api.get(path)).status]).toEqual([path, 401]);
      expect([path, (await served.api.head(path)).status]).toEqual([path, 401]);
    }
  });

  it("does not apply to a public route, even with a header of its own", async () => {
    const response = await served.api.get("/api/public").set("authorization", "Bearer somebody-else's");
    expect([response.status, response.body.id]).toEqual([200, null]);
  });

  it.each([
    ["a route that identifies", "/api/known"],
    ['C30 a route that declares authentication: "optional"', "/api/optional"],
  ])(
    "%s identifies the caller, allows anonymous ones, and rejects an invalid header, not a stale cookie",
    async (_, path) => {
      const token = await tokenOf(served);
      const { id } = await opened.client.user.findFirstOrThrow();
      const known = await served.api.get(path).set(bearer(token));
      expect([known.body.id, known.headers.vary]).toEqual([String(id), "Authorization, Cookie"]);
      expect((await served.api.get(path)).body.id).toBeNull();
      expect((await served.api.get(path).set("authorization", "Bearer x")).status).toBe(401);
      const stale = await served.api.get(path).set("cookie", "access_token=x");
      expect([stale.status, stale.body.id]).toEqual([200, null]);
      const foreign = await served.api
        .post(path)
        .set("cookie", `access_token=${token}`)
        .set("origin", "https://evil.example");
      expect([foreign.status, foreign.body.id]).toEqual([200, null]);
    },
  );

  it("C30 enabled: false opens everything, has no routes, and is logged", async () => {
    const off = await serve({ config: { enabled: false } });
    expect((await off.api.get("/api/closed")).status).toBe(200);
    expect((await off.api.post("/api/auth/login").send({})).status).toBe(404);
    expect(off.auth.warnings.join()).toContain("authentication.enabled is false");
    expect(off.auth.allows({} as never, { resource: "x", action: "y" })).toBe(true);
  });
});

describe("C31 requests across sites", () => {
  const send = async (headers: Record<string, string>, at = served) => {
    const token = await tokenOf(served);
    return (await at.api.post("/api/signed-in").set("cookie", `access_token=${token}`).set(headers)).status;
  };

  it("rejects a foreign origin with the cookie on an unsafe method, and nothing else", async () => {
    expect(await send({})).toBe(200);
    expect(await send({ origin: "https://evil.example" })).toBe(403);
    expect(await send({ origin: "null" })).toBe(403);
    expect(await send({ "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await send({ "sec-fetch-site": "same-site" })).toBe(403);
    expect(await send({ "sec-fetch-site": "same-origin" })).toBe(200);
    const own = new URL(served.url).host;
    expect(await send({ origin: `http://${own}`, host: own })).toBe(200);
    expect(await send({ origin: `http://${own}.evil.example`, host: own })).toBe(403);
  });

  it("accepts exactly the allowed origins", async () => {
    const open = await serve({ allowedOrigins: ["https://app.example", "*"] });
    expect(await send({ origin: "https://app.example", "sec-fetch-site": "cross-site" }, open)).toBe(200);
    expect(await send({ origin: "https://app.example.evil.example" }, open)).toBe(403);
    expect(await send({ origin: "http://app.example" }, open)).toBe(403);
  });

  it("accepts a safe method and a token in the header", async () => {
    const token = await tokenOf(served);
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const safe = await served.api.get("/api/signed-in").set("cookie", `access_token=${token}`).set(headers);
    const header = await served.api.post("/api/signed-in").set(bearer(token)).set(headers);
    expect([safe.status, header.status]).toEqual([200, 200]);
  });

  it("rejects a login from a foreign page, which would sign its visitor in to another account", async () => {
    const response = await served.api
      .post("/api/auth/login")
      .set("origin", "https://evil.example")
      .send({ username: "alice", password: alice.password });
    expect([response.status, response.body.code, response.headers["set-cookie"]]).toEqual([
      403,
      "CrossSiteRequest",
      undefined,
    ]);
  });
});

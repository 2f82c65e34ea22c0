import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  password,
  secret,
  signUp,
  startAccounts,
} from "../accounts/account-shop.js";
import { claimsOf, forge } from "../accounts/forge.js";
import type { Problem } from "../api.js";

describe.each(inject("accounts"))("with %s accounts", (accounts) => {
  let database: AccountDatabase;
  let shop: AccountShop;
  beforeAll(async () => {
    database = await createAccountDatabase();
    shop = await startAccounts({ database, accounts });
  });
  afterAll(async () => {
    await shop?.close();
    await database?.drop();
  });

  const me = (headers: Record<string, string>) => shop.call<Problem>("GET", "/api/users/me", undefined, headers);

  describe("no token outlives its user or session", () => {
    it("a logout ends it", async () => {
      const token = await shop.tokenOf("ada");
      expect((await shop.call("DELETE", "/api/auth/logout", undefined, bearer(token))).status).toBe(204);
      expect((await me(bearer(token))).status).toBe(401);
      await shop.tokenOf("ada");
    });

    it.each<[string, object]>([
      ["suspension", { isActive: false }],
      ["deletion", { deletedAt: new Date() }],
      ["passwordChangedAt", { passwordChangedAt: new Date(Date.now() + 3_600_000) }],
    ])("%s ends it", async (_, data) => {
      const user = await signUp(shop);
      const token = await shop.tokenOf(user.username, user.password);
      await database.client.user.update({ where: { id: user.id }, data });
      expect((await me(bearer(token))).status).toBe(401);
    });

    it("a password change ends it: one's own, and a superuser's on the generated route", async () => {
      const user = await signUp(shop);
      const first = await shop.tokenOf(user.username, user.password);
      const change = { currentPassword: user.password, newPassword: "the second password" };
      const changed = await shop.call<{ accessToken: string }>(
        "POST",
        "/api/auth/update-password",
        change,
        bearer(first),
      );
      expect([(await me(bearer(first))).status, (await me(bearer(changed.body.accessToken))).status]).toEqual([
        401, 200,
      ]);
      expect((await shop.as("root", "PATCH", `/api/users/${user.id}`, { password: "the third password" })).status).toBe(
        200,
      );
      expect((await me(bearer(changed.body.accessToken))).status).toBe(401);
      expect((await me(bearer(await shop.tokenOf(user.username, "the third password")))).status).toBe(200);
    });

    it("a token of a deleted row is 401, also if its id is reused", async () => {
      const user = await signUp(shop);
      const token = await shop.tokenOf(user.username, user.password);
      await database.client.user.delete({ where: { id: user.id } });
      expect((await me(bearer(token))).status).toBe(401);
      const { username, email } = user;
      await database.client.user.create({ data: { id: user.id, username, email, password: "$2b$04$nothing" } });
      expect((await me(bearer(token))).status).toBe(401);
    });

    it("a removed role has no effect in the next request, and an added one has", async () => {
      const user = await signUp(shop);
      const token = await shop.tokenOf(user.username, user.password);
      const read = async () => (await shop.call("GET", "/api/suppliers", undefined, bearer(token))).status;
      const give = async (isStaff: boolean) => {
        const roles = isStaff ? { connect: { name: "editor" } } : { set: [] };
        const where = { id: user.id };
        if (accounts === "dynamic") await database.client.user.update({ where, data: { roles } });
        else await shop.as("root", "PATCH", `/api/users/${user.id}`, { role: isStaff ? "STAFF" : "CUSTOMER" });
      };
      expect(await read()).toBe(403);
      await give(true);
      expect(await read()).toBe(200);
      await give(false);
      expect(await read()).toBe(403);
    });
  });

  describe("the token chooses neither algorithm nor key", () => {
    const hs256 = { alg: "HS256" };
    type Forger = (claims: Readonly<Record<string, unknown>>, real: string) => string;
    it.each<[string, Forger]>([
      ["alg none", (claims) => forge({ alg: "none" }, claims)],
      ["alg None", (claims) => forge({ alg: "None" }, claims)],
      [
        "alg none with the original signature",
        (claims, real) => forge({ alg: "none" }, claims) + (real.split(".")[2] ?? ""),
      ],
      ["HS384", (claims) => forge({ alg: "HS384" }, claims, secret, "sha384")],
      ["HS512", (claims) => forge({ alg: "HS512" }, claims, secret, "sha512")],
      ["hs256", (claims) => forge({ alg: "hs256" }, claims, secret)],
      ["RS256", (claims) => forge({ alg: "RS256" }, claims, secret)],
      ["no alg", (claims) => forge({ typ: "JWT" }, claims, secret)],
      ["another secret", (claims) => forge(hs256, claims, `${secret}x`)],
      ["an empty secret", (claims) => forge(hs256, claims, "")],
      ["an embedded jwk", (claims) => forge({ ...hs256, jwk: { kty: "oct", k: "YQ" } }, claims, "a")],
      ["a jku", (claims) => forge({ ...hs256, jku: "http://127.0.0.1:1/keys" }, claims, "a")],
      ["a kid that is a path", (claims) => forge({ ...hs256, kid: "../../../dev/null" }, claims, "")],
      ["an unknown crit", (claims) => forge({ ...hs256, crit: ["x"], x: 1 }, claims, secret)],
      ["b64 false", (claims) => forge({ ...hs256, crit: ["b64"], b64: false }, claims, secret)],
      ["no exp", ({ exp: _, ...claims }) => forge(hs256, claims, secret)],
      ["a past exp", (claims) => forge(hs256, { ...claims, exp: 1_700_000_000 }, secret)],
      ["exp as a string", (claims) => forge(hs256, { ...claims, exp: "9999999999" }, secret)],
      ["no iat", ({ iat: _, ...claims }) => forge(hs256, claims, secret)],
      ["no jti", ({ jti: _, ...claims }) => forge(hs256, claims, secret)],
      ["jti as an object", (claims) => forge(hs256, { ...claims, jti: {} }, secret)],
      ["no sub", ({ sub: _, ...claims }) => forge(hs256, claims, secret)],
      ["sub as a number", (claims) => forge(hs256, { ...claims, sub: Number(claims.sub) }, secret)],
      ["sub as an operator", (claims) => forge(hs256, { ...claims, sub: { not: "0" } }, secret)],
      ["sub as a list", (claims) => forge(hs256, { ...claims, sub: [claims.sub] }, secret)],
      ["another user's id", (claims) => forge(hs256, { ...claims, sub: "1" }, secret)],
      ["a sub that is not an id", (claims) => forge(hs256, { ...claims, sub: "1 OR 1=1" }, secret)],
      ["a sub above the range of ids", (claims) => forge(hs256, { ...claims, sub: "99999999999999999999" }, secret)],
      ["no claim of the password", (claims) => forge(hs256, withoutPasswordClaim(claims), secret)],
      ["changed claims under the old signature", (claims, real) => swap(real, { ...claims, sub: "5" })],
      ["a truncated signature", (_, real) => real.slice(0, -4)],
      ["no signature", (_, real) => real.slice(0, real.lastIndexOf(".") + 1)],
      ["two parts", (_, real) => real.split(".").slice(0, 2).join(".")],
      ["an encrypted form", () => "a.b.c.d.e"],
      ["9 kB of it", () => "a".repeat(9_000)],
    ])("%s is 401 with WWW-Authenticate, in the header and in the cookie", async (_, make) => {
      const real = await shop.tokenOf("will");
      expect((await me(bearer(real))).status).toBe(200);
      const token = make(claimsOf(real), real);
      for (const headers of [bearer(token), { cookie: `access_token=${token}` }]) {
        const reply = await me(headers);
        expect(reply.status).toBe(401);
        expect(reply.headers.get("www-authenticate")).toMatch(/^Bearer/);
      }
    });

    it.each(["Basic YWRhOmhhcmJvdXI=", "Bearer", "Bearer ", "bearer x y", "Token abc", ","])(
      "the header %j is 401, whatever the cookie is",
      async (authorization) => {
        const cookie = `access_token=${await shop.tokenOf("will")}`;
        expect((await me({ authorization })).status).toBe(401);
        if (authorization.toLowerCase().startsWith("bearer")) {
          expect((await me({ authorization, cookie })).status).toBe(401);
        }
      },
    );

    it("a token for another audience or of another issuer is 401", async () => {
      const jwt = { secret, issuer: "shop", audience: "web" };
      const other = await startAccounts({ database, accounts, authentication: { jwt } });
      const token = await shop.tokenOf("will");
      expect((await other.call("GET", "/api/users/me", undefined, bearer(token))).status).toBe(401);
      const theirs = await other.tokenOf("will");
      const claims = claimsOf(theirs);
      const send = async (changed: object) => {
        return (
          await other.call("GET", "/api/users/me", undefined, bearer(forge(hs256, { ...claims, ...changed }, secret)))
        ).status;
      };
      expect([
        await send({}),
        await send({ aud: "app" }),
        await send({ iss: "x" }),
        await send({ aud: undefined }),
      ]).toEqual([200, 401, 401, 401]);
      await other.close();
    });
  });

  describe("a token in a URL is ignored", () => {
    it.each(["access_token", "token", "accessToken", "jwt", "authorization"])(
      "?%s= does not authenticate",
      async (name) => {
        const token = await shop.tokenOf("will");
        const response = await fetch(`${shop.url}/api/users/me?${name}=${token}`);
        expect(response.status).toBe(401);
      },
    );

    it.each(["redirect", "redirect_uri", "returnTo", "next", "callback"])(
      "?%s= at the login does not redirect",
      async (name) => {
        const path = `/api/auth/login?${name}=https://evil.example/`;
        const reply = await shop.call("POST", path, { username: "ada", password });
        expect(reply.status).toBeLessThan(500);
        expect([301, 302, 303, 307, 308]).not.toContain(reply.status);
        expect(reply.headers.get("location")).toBeNull();
        expect(reply.text).not.toContain("evil.example");
      },
    );
  });
});

/** Without the claim that ties a token to the stored hash, whatever its name is. */
function withoutPasswordClaim(claims: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const known = ["sub", "iat", "exp", "jti"];
  return Object.fromEntries(Object.entries(claims).filter(([name]) => known.includes(name)));
}

function swap(token: string, claims: object): string {
  const [header, , signature] = token.split(".");
  return [header, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
}

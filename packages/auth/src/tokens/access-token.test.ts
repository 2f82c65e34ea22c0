import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readAuthSettings } from "../settings.js";
import type { UserRecord } from "../users/user-store.js";
import { makeAccessTokens } from "./access-token.js";

const secret = "a secret of tests that has more than thirty-two bytes";
const old = "another secret of tests that has more than thirty-two bytes";

function tokensOf(jwt: object = {}) {
  return makeAccessTokens(readAuthSettings({ mode: "static", jwt: { secret, ...jwt } }, { nodeEnv: "test" }).jwt);
}

const user: UserRecord = {
  id: 7,
  passwordHash: "hash",
  isActive: true,
  isSuperUser: false,
  roles: [],
  permissions: [],
  user: { id: 7 },
};

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const now = Math.floor(Date.now() / 1000);
const goodClaims = { sub: "7", iat: now, exp: now + 60, jti: "j", pwd: "p" };

/** A manually signed token: valid signature, any header, as an attacker or a bug would create. */
function forge(header: object, claims: object = goodClaims, key = secret, algorithm = "sha256"): string {
  const signed = `${base64(header)}.${base64(claims)}`;
  return `${signed}.${createHmac(algorithm, key).update(signed).digest("base64url")}`;
}

afterEach(() => vi.useRealTimers());

describe("C23 access tokens", () => {
  it("are HS256 with sub, iat, exp, jti and a mark of the password", async () => {
    const { token, expiresAt } = await tokensOf({ expiresIn: "90s" }).sign(user);
    const [header = "", payload = ""] = token.split(".");
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({ alg: "HS256", typ: "JWT" });
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    expect(Object.keys(claims).sort()).toEqual(["exp", "iat", "jti", "pwd", "sub"]);
    expect([claims.sub, claims.exp - claims.iat]).toEqual(["7", 90]);
    expect(expiresAt.getTime()).toBe(claims.exp * 1000);
    expect(JSON.stringify(claims)).not.toContain("hash");
    const verified = await tokensOf().verify(token);
    expect(verified).toMatchObject({ sub: "7", jti: claims.jti });
    expect([verified?.fits(user), verified?.fits({ ...user, passwordHash: "other" })]).toEqual([true, false]);
    expect(verified?.fits({ ...user, id: 8 })).toBe(false);
  });

  it("accepts a valid manually signed token, so the rejections below have no other reason", async () => {
    expect(await tokensOf().verify(forge({ alg: "HS256", typ: "JWT" }))).toMatchObject({ sub: "7" });
  });

  it.each<[string, string]>([
    ["alg none", `${base64({ alg: "none" })}.${base64(goodClaims)}.`],
    ["alg None", `${base64({ alg: "None" })}.${base64(goodClaims)}.`],
    ["alg none with a signature", forge({ alg: "none" })],
    ["alg hs256 in small letters", forge({ alg: "hs256" })],
    ["alg HS512", forge({ alg: "HS512" }, goodClaims, secret, "sha512")],
    ["alg HS384", forge({ alg: "HS384" }, goodClaims, secret, "sha384")],
    ["alg RS256", forge({ alg: "RS256" })],
    ["alg EdDSA", forge({ alg: "EdDSA" })],
    ["no alg", forge({ typ: "JWT" })],
    ["alg as a list", forge({ alg: ["HS256"] })],
    ["an embedded key", forge({ alg: "HS256", jwk: { kty: "oct", k: "eA" } }, goodClaims, "x")],
    ["a kid that is a path", forge({ alg: "HS256", kid: "../../dev/null" }, goodClaims, "")],
    ["a crit header", forge({ alg: "HS256", crit: ["x"], x: 1 })],
    ["another secret", forge({ alg: "HS256" }, goodClaims, old)],
    ["an empty secret", forge({ alg: "HS256" }, goodClaims, "")],
    ["no exp", forge({ alg: "HS256" }, { ...goodClaims, exp: undefined })],
    ["no iat", forge({ alg: "HS256" }, { ...goodClaims, iat: undefined })],
    ["no sub", forge({ alg: "HS256" }, { ...goodClaims, sub: undefined })],
    ["no jti", forge({ alg: "HS256" }, { ...goodClaims, jti: undefined })],
    ["no mark", forge({ alg: "HS256" }, { ...goodClaims, pwd: undefined })],
    ["a sub that is an object", forge({ alg: "HS256" }, { ...goodClaims, sub: { not: "" } })],
    ["a sub that is a number", forge({ alg: "HS256" }, { ...goodClaims, sub: 7 })],
    ["an empty sub", forge({ alg: "HS256" }, { ...goodClaims, sub: "" })],
    ["a jti that is a list", forge({ alg: "HS256" }, { ...goodClaims, jti: ["j"] })],
    ["a mark that is an object", forge({ alg: "HS256" }, { ...goodClaims, pwd: {} })],
    ["an exp that is a text", forge({ alg: "HS256" }, { ...goodClaims, exp: String(now + 60) })],
    ["an exp that is not a number", forge({ alg: "HS256" }, { ...goodClaims, exp: null })],
    ["an expired one", forge({ alg: "HS256" }, { ...goodClaims, exp: now - 1 })],
    ["one that is not valid yet", forge({ alg: "HS256" }, { ...goodClaims, nbf: now + 60 })],
    ["no JSON", `${base64({ alg: "HS256" })}.bm8.x`],
    ["two parts", "a.b"],
    ["five parts", "a.b.c.d.e"],
    ["nothing", ""],
    ["dots", ".."],
  ])("rejects %s", async (_, token) => {
    const tokens = tokensOf();
    expect(await tokens.verify(token)).toBeUndefined();
    expect(await tokens.verify(token)).toBeUndefined();
  });

  it("rejects every token with one changed character", async () => {
    const tokens = tokensOf();
    const { token } = await tokens.sign(user);
    expect(await tokens.verify(token)).toBeDefined();
    for (let at = 0; at < token.length - 1; at += 7) {
      const letter = token[at] === "A" ? "B" : "A";
      if (token[at] === ".") continue;
      expect(await tokens.verify(token.slice(0, at) + letter + token.slice(at + 1))).toBeUndefined();
    }
  });

  it("C24 a list of secrets verifies with all and signs with the first", async () => {
    const [before, both, after] = [tokensOf({ secret: old }), tokensOf({ secret: `${secret}, ${old}` }), tokensOf()];
    const { token } = await before.sign(user);
    expect((await both.verify(token))?.fits(user)).toBe(true);
    expect(await after.verify(token)).toBeUndefined();
    const { token: fresh } = await both.sign(user);
    expect((await after.verify(fresh))?.fits(user)).toBe(true);
    expect(await before.verify(fresh)).toBeUndefined();
  });

  it("issuer and audience are required if they are set", async () => {
    const [ours, theirs] = [tokensOf({ issuer: "a", audience: "b" }), tokensOf({ issuer: "a", audience: "c" })];
    const { token } = await ours.sign(user);
    expect(await ours.verify(token)).toBeDefined();
    expect(await theirs.verify(token)).toBeUndefined();
    expect(await ours.verify((await tokensOf().sign(user)).token)).toBeUndefined();
  });

  it("a cached token ends when it expires", async () => {
    const tokens = tokensOf({ expiresIn: "60s" });
    const { token } = await tokens.sign(user);
    expect(await tokens.verify(token)).toBeDefined();
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });
    expect(await tokens.verify(token)).toBeUndefined();
    expect(await tokens.verify(token)).toBeUndefined();
  });

  it("a short development secret signs and verifies", async () => {
    const tokens = tokensOf({ secret: "short" });
    expect((await tokens.verify((await tokens.sign(user)).token))?.fits(user)).toBe(true);
  });
});

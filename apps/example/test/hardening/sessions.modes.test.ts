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
import type { Problem, Row } from "../api.js";

interface Held {
  readonly accessToken: string;
  readonly refreshToken: string;
}

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

  const signIn = async (username = "will", headers: Record<string, string> = {}): Promise<Held> =>
    (await shop.call<Held>("POST", "/api/auth/login", { username, password }, headers)).body;
  const refresh = (refreshToken: string) => shop.call<Held & Problem>("POST", "/api/auth/refresh", { refreshToken });
  const status = async (accessToken: string): Promise<number> =>
    (await shop.call("GET", "/api/users/me", undefined, bearer(accessToken))).status;
  const letGraceEnd = () =>
    database.client.authSession.updateMany({ data: { rotatedAt: new Date(Date.now() - 11_000) } });

  it("C72 a stolen refresh token is useless once both have used it, which is logged", async () => {
    const stolen = await signIn();
    const thief = (await refresh(stolen.refreshToken)).body;
    expect(await status(thief.accessToken)).toBe(200);
    await letGraceEnd();
    const owner = await refresh(stolen.refreshToken);
    expect([owner.status, owner.body.code]).toEqual([401, "InvalidRefreshToken"]);
    expect([await status(thief.accessToken), (await refresh(thief.refreshToken)).status]).toEqual([401, 401]);
    const lines = shop
      .log()
      .split("\n")
      .filter((line) => line.includes("a refresh token was used twice"));
    expect(lines.map((line) => (JSON.parse(line) as { level: number }).level)).toEqual([40]);
    expect(shop.log()).not.toContain(stolen.refreshToken);
  });

  it("C72 replaying the tokens of an ended session fails", async () => {
    const stored = await signIn();
    expect((await shop.call("DELETE", "/api/auth/logout", undefined, bearer(stored.accessToken))).status).toBe(204);
    for (let at = 0; at < 3; at++) expect((await refresh(stored.refreshToken)).status).toBe(401);
    expect(await status(stored.accessToken)).toBe(401);
  });

  it("C72 no user can be signed in to a session prepared by another", async () => {
    const prepared = await signIn("ada");
    const cookie = `refresh_token=${prepared.refreshToken}; access_token=${prepared.accessToken}`;
    const victim = await signIn("will", { cookie });
    const [theirs, ours] = [claimsOf(prepared.accessToken), claimsOf(victim.accessToken)];
    expect(ours.sid).not.toBe(theirs.sid);
    expect((await refresh(prepared.refreshToken)).status).toBe(200);
    const list = await shop.call<{ data: Row[] }>("GET", "/api/auth/sessions", undefined, bearer(prepared.accessToken));
    expect(list.body.data.map(({ id }) => id)).not.toContain(ours.sid);
  });

  it("C72 of a hundred concurrent refreshes no two return different tokens, and none ends the session", async () => {
    const { refreshToken } = await signIn();
    const responses = await Promise.all(Array.from({ length: 100 }, () => refresh(refreshToken)));
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
    expect(new Set(responses.map((response) => response.body.refreshToken)).size).toBe(1);
    expect((await refresh(responses[0]?.body.refreshToken ?? "")).status).toBe(200);
  });

  it("C72 a token for another's session, or for none, is rejected", async () => {
    const [ada, will] = [await signIn("ada"), await signIn("will")];
    const claims = claimsOf(will.accessToken);
    const swap = (changed: object) => forge({ alg: "HS256", typ: "JWT" }, { ...claims, ...changed }, secret);
    expect(await status(swap({}))).toBe(200);
    for (const sid of [claimsOf(ada.accessToken).sid, undefined, "", "x", {}, ["x"], 1, { not: "" }]) {
      expect(await status(swap({ sid }))).toBe(401);
    }
  });

  it.each(["refresh_token", "refreshToken", "token"])("C72 ?%s= does not refresh", async (name) => {
    const { refreshToken } = await signIn();
    const response = await fetch(`${shop.url}/api/auth/refresh?${name}=${refreshToken}`, { method: "POST" });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect((await refresh(refreshToken)).status).toBe(200);
  });

  it.each<[string, (token: string) => unknown]>([
    ["an operator", (token) => ({ startsWith: token.slice(0, 36) })],
    ["a list", (token) => [token]],
    ["null", () => null],
    ["64 kB", () => "a".repeat(65_536)],
    ["a truncated token", (token) => token.slice(0, -1)],
    ["another secret with the same signature", (token) => token.replace(/\.[\w-]{43}\./, `.${"B".repeat(43)}.`)],
  ])("C72 %s as a refresh token is rejected, and ends no session", async (_, make) => {
    const { refreshToken } = await signIn();
    const response = await shop.call("POST", "/api/auth/refresh", { refreshToken: make(refreshToken) });
    expect([400, 401, 413]).toContain(response.status);
    expect((await refresh(refreshToken)).status).toBe(200);
  });

  it("C57 C72 sessions have no generated routes, and no relation reads or writes them", async () => {
    for (const path of ["/api/auth-sessions", "/api/authSessions", "/api/auth-session"]) {
      expect((await shop.as("root", "GET", path)).status).toBe(404);
    }
    const user = await signUp(shop);
    for (const query of ["include=sessions", "fields=sessions", "filter[sessions][some][id]=x", "sort=sessions.id"]) {
      expect((await shop.as("root", "GET", `/api/users?${query}`)).status).toBe(400);
    }
    const sessions = { create: [{ id: "x" }] };
    expect((await shop.as("root", "PATCH", `/api/users/${user.id}`, { sessions })).status).toBe(400);
  });

  it("C72 sessions of others cannot be read or ended, except by an administrator", async () => {
    const [ada, will] = [await signIn("ada"), await signIn("will")];
    const { sid, sub } = claimsOf(ada.accessToken);
    const as = bearer(will.accessToken);
    expect((await shop.call("DELETE", `/api/auth/sessions/${sid}`, undefined, as)).status).toBe(404);
    for (const method of ["GET", "DELETE"]) {
      expect((await shop.call(method, `/api/users/${sub}/sessions`, undefined, as)).status).toBe(403);
    }
    expect((await shop.call("DELETE", `/api/users/${sub}/sessions/${sid}`, undefined, as)).status).toBe(403);
    expect(await status(ada.accessToken)).toBe(200);
    expect((await shop.as("root", "DELETE", `/api/users/${sub}/sessions/${sid}`)).status).toBe(204);
    expect([await status(ada.accessToken), (await refresh(ada.refreshToken)).status]).toEqual([401, 401]);
  });
});

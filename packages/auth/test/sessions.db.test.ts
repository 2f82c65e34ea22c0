import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { UserRecord } from "../src/index.js";
import { makeAccessTokens } from "../src/tokens/access-token.js";
import { type Served, settingsOf } from "./serve-auth.js";
import {
  alice,
  bearer,
  cookiesOf,
  refresh,
  signIn,
  startWithSessions,
  statusOf,
  type WithSessions,
} from "./with-sessions.js";

let started: WithSessions;
let served: Served;
beforeAll(async () => {
  started = await startWithSessions(inject("postgresUrl"));
  served = await started.serve();
});
afterAll(() => started?.close());
beforeEach(() => started.renew());

const rows = () => started.opened.client.authSession;
/** Moves the last refresh of every session into the past. */
const letGraceEnd = () => rows().updateMany({ data: { rotatedAt: new Date(Date.now() - 11_000) } });

describe("a login", () => {
  it("C72 starts a session: a short access token, and a refresh token whose hash is stored", async () => {
    const before = Date.now();
    const stored = await signIn(served);
    expect(new Date(stored.expiresAt).getTime()).toBeLessThan(Date.now() + 16 * 60_000);
    expect(new Date(stored.refreshExpiresAt).getTime() - before).toBeGreaterThan(29 * 86_400_000);
    const [row, ...others] = await rows().findMany();
    expect([others.length, row?.userAgent, row?.address]).toEqual([0, "test", "127.0.0.1"]);
    expect(row?.refreshHash).toMatch(/^[\w-]{43}$/);
    expect(stored.refreshToken).not.toContain(row?.refreshHash);
    const { sid } = JSON.parse(Buffer.from(stored.accessToken.split(".")[1] ?? "", "base64url").toString());
    expect(sid).toBe(row?.id);
    expect(await statusOf(served, stored.accessToken)).toBe(200);
  });

  it("C72 sets cookies for both, that of the refresh token for this host only over HTTPS", async () => {
    const body = { username: alice.username, password: alice.password };
    const plain = cookiesOf(await served.api.post("/api/auth/login").send(body));
    expect(plain.access_token).toMatch(/; Max-Age=900; Path=\//);
    expect(plain.refresh_token).toMatch(/; Max-Age=2592000; Path=\/; .*HttpOnly; SameSite=Lax$/);
    const production = await started.serve({ nodeEnv: "production" });
    const cookies = cookiesOf(await production.api.post("/api/auth/login").send(body));
    expect(cookies["__Host-refresh_token"]).toMatch(/; Path=\/; .*HttpOnly; Secure; SameSite=None$/);
    expect(cookies["__Host-refresh_token"]).not.toContain("Domain");
    const cookieOnly = await started.serve({ config: { login: { sendAccessTokenThrough: "cookie-only" } } });
    const response = await cookieOnly.api.post("/api/auth/login").send(body);
    expect(Object.keys(response.body).sort()).toEqual(["data", "expiresAt", "refreshExpiresAt"]);
    const responseOnly = await started.serve({ config: { login: { sendAccessTokenThrough: "response-only" } } });
    expect(cookiesOf(await responseOnly.api.post("/api/auth/login").send(body))).toEqual({});
  });

  it("C72 uses the configured lifetimes of both, however long the sign-in took", async () => {
    const other = await started.serve({ config: { session: { accessExpiresIn: "2m", refreshExpiresIn: "1h" } } });
    const stored = await signIn(other);
    const now = Date.now();
    expect(new Date(stored.expiresAt).getTime()).toBeLessThanOrEqual(now + 121_000);
    expect(new Date(stored.refreshExpiresAt).getTime()).toBeLessThanOrEqual(now + 3_601_000);
  });
});

describe("POST /api/auth/refresh", () => {
  it("C72 returns the next refresh token and a new access token, in the body or in cookies as it was sent", async () => {
    const first = await signIn(served);
    const second = await refresh(served, first.refreshToken);
    expect(second.status).toBe(200);
    expect(second.body.data.username).toBe("alice");
    expect(second.body.refreshToken).not.toBe(first.refreshToken);
    expect(await statusOf(served, second.body.accessToken)).toBe(200);
    const cookie = `refresh_token=${second.body.refreshToken}`;
    const third = await served.api.post("/api/auth/refresh").set("cookie", cookie);
    expect(third.status).toBe(200);
    expect(cookiesOf(third).refresh_token).toContain(third.body.refreshToken);
    expect(await rows().count()).toBe(1);
  });

  it("C72 returns the same next token to two concurrent tabs", async () => {
    const { refreshToken } = await signIn(served);
    const responses = await Promise.all(Array.from({ length: 8 }, () => refresh(served, refreshToken)));
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(responses.map(({ body }) => body.refreshToken)).size).toBe(1);
    expect((await refresh(served, responses[0]?.body.refreshToken)).status).toBe(200);
  });

  it("C72 ends the session when a used token is sent again after the grace period, and logs the theft", async () => {
    const warnings: unknown[] = [];
    const other = await started.serve({ warn: (message, details) => warnings.push({ message, ...details }) });
    const thief = await signIn(other);
    const owner = (await refresh(other, thief.refreshToken)).body;
    expect(warnings).toEqual([]);
    await letGraceEnd();
    const replayed = await refresh(other, thief.refreshToken);
    expect([replayed.status, replayed.body.code]).toEqual([401, "InvalidRefreshToken"]);
    expect(warnings).toEqual([
      expect.objectContaining({ message: expect.stringContaining("indicates theft"), userId: expect.any(String) }),
    ]);
    expect((await refresh(other, owner.refreshToken)).status).toBe(401);
    expect(await statusOf(other, owner.accessToken)).toBe(401);
    expect(await rows().count()).toBe(0);
  });

  it("C72 treats a token of two refreshes before as stolen, even within the grace period", async () => {
    const first = await signIn(served);
    const second = (await refresh(served, first.refreshToken)).body;
    await refresh(served, second.refreshToken);
    expect((await refresh(served, first.refreshToken)).status).toBe(401);
    expect(await rows().count()).toBe(0);
  });

  it.each([
    ["none", undefined],
    ["none of ours", "x"],
    ["one without its seal", "seal"],
    ["one of another session", "session"],
  ])("C72 rejects %s with 401, reads nothing for it and ends no session", async (_, kind) => {
    const { refreshToken } = await signIn(served);
    const forged = {
      x: "x",
      seal: `${refreshToken.slice(0, -43)}${"A".repeat(43)}`,
      session: `00000000-0000-4000-8000-000000000000${refreshToken.slice(36)}`,
    };
    started.opened.statements.length = 0;
    const body = kind === undefined ? {} : { refreshToken: forged[kind as keyof typeof forged] };
    const response = await served.api.post("/api/auth/refresh").send(body);
    expect([response.status, response.body.code]).toEqual([401, "InvalidRefreshToken"]);
    expect(response.headers["www-authenticate"]).toMatch(/^Bearer/);
    expect(started.opened.statements).toEqual([]);
    expect((await refresh(served, refreshToken)).status).toBe(200);
  });

  it("C72 rejects the token of an inactive user, and of an expired session", async () => {
    let { refreshToken, accessToken } = await signIn(served);
    await started.opened.client.user.updateMany({ data: { isActive: false } });
    expect((await refresh(served, refreshToken)).status).toBe(401);
    await started.opened.client.user.updateMany({ data: { isActive: true } });
    expect(await statusOf(served, accessToken)).toBe(401);
    ({ accessToken, refreshToken } = await signIn(served));
    await rows().updateMany({ data: { expiresAt: new Date(Date.now() - 1) } });
    expect((await refresh(served, refreshToken)).status).toBe(401);
    expect(await statusOf(served, accessToken)).toBe(401);
  });

  it("C72 C149 deletes expired sessions without a login", async () => {
    const { accessToken } = await signIn(served);
    await signIn(served);
    await signIn(served);
    const [first, second] = await rows().findMany({ select: { id: true }, orderBy: { createdAt: "desc" }, take: 2 });
    const ids = [first?.id, second?.id].map(String);
    await rows().updateMany({ where: { id: { in: ids } }, data: { expiresAt: new Date(Date.now() - 1) } });
    const before = await rows().count();
    expect(await served.auth.deleteExpired?.()).toBe(2);
    expect([await rows().count(), await served.auth.deleteExpired?.()]).toEqual([before - 2, 0]);
    expect(await statusOf(served, accessToken)).toBe(200);
  });

  it("C31 C72 C87 sets no cookies for a page of another origin, whether the token is in the cookie or in the body", async () => {
    const { refreshToken } = await signIn(served);
    const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const cookie = `refresh_token=${refreshToken}`;
    const response = await served.api.post("/api/auth/refresh").set({ ...foreign, cookie });
    expect([response.status, response.body.code]).toEqual([403, "CrossSiteRequest"]);
    for (const headers of [foreign, { origin: "https://evil.example" }, { "sec-fetch-site": "same-site" }]) {
      const sent = await served.api.post("/api/auth/refresh").set(headers).send({ refreshToken });
      expect([sent.status, sent.body.code, sent.headers["set-cookie"]]).toEqual([403, "CrossSiteRequest", undefined]);
    }
    const { accessToken } = await signIn(served);
    const change = { currentPassword: alice.password, newPassword: "another staple of horses" };
    const changed = await served.api
      .post("/api/auth/update-password")
      .set({ ...foreign, ...bearer(accessToken) })
      .send(change);
    expect([changed.status, changed.body.code]).toEqual([403, "CrossSiteRequest"]);
    const plain = await started.serve({ config: { login: { sendAccessTokenThrough: "response-only" } } });
    const responded = await plain.api.post("/api/auth/refresh").set(foreign).send({ refreshToken });
    expect([responded.status, responded.headers["set-cookie"]]).toEqual([200, undefined]);
  });

  it("C72 does not accept an access token as a refresh token, and vice versa", async () => {
    const { accessToken, refreshToken } = await signIn(served);
    expect((await refresh(served, accessToken)).status).toBe(401);
    expect(await statusOf(served, refreshToken)).toBe(401);
  });
});

describe("ending sessions", () => {
  it("C72 by logout applies to every instance, including one that starts later", async () => {
    const [one, other] = [await signIn(served), await signIn(served)];
    const second = await started.serve();
    const response = await served.api.delete("/api/auth/logout").set(bearer(one.accessToken));
    expect([response.status, Object.keys(cookiesOf(response))]).toEqual([204, ["access_token", "refresh_token"]]);
    const third = await started.serve();
    for (const at of [served, second, third]) {
      expect([await statusOf(at, one.accessToken), (await refresh(at, one.refreshToken)).status]).toEqual([401, 401]);
      expect(await statusOf(at, other.accessToken)).toBe(200);
    }
  });

  it("C72 by a password change applies to all others, and the current one continues with new tokens", async () => {
    const [mine, other] = [await signIn(served), await signIn(served)];
    const response = await served.api
      .post("/api/auth/update-password")
      .set(bearer(mine.accessToken))
      .send({ currentPassword: alice.password, newPassword: "battery staple" });
    expect(response.status).toBe(200);
    expect(await statusOf(served, response.body.accessToken)).toBe(200);
    expect((await refresh(served, response.body.refreshToken)).status).toBe(200);
    for (const { refreshToken, accessToken } of [mine, other]) {
      expect([await statusOf(served, accessToken), (await refresh(served, refreshToken)).status]).toEqual([401, 401]);
    }
    expect(await rows().count()).toBe(1);
  });

  it("C72 by another user's password change applies to every session, including refresh tokens", async () => {
    const stored = await signIn(served);
    const password = await served.auth.hashPassword("battery staple");
    await started.opened.client.user.updateMany({ data: { password, passwordChangedAt: new Date() } });
    expect(await statusOf(served, stored.accessToken)).toBe(401);
    expect((await refresh(served, stored.refreshToken)).status).toBe(401);
    const fresh = await signIn(served, { ...alice, password: "battery staple" });
    const list = await served.api.get("/api/auth/sessions").set(bearer(fresh.accessToken));
    expect(list.body.data).toHaveLength(1);
  });

  it("C72 happens when the user is deleted", async () => {
    const stored = await signIn(served);
    await served.api.delete("/api/users/me").set(bearer(stored.accessToken)).expect(204);
    expect(await rows().count()).toBe(0);
    expect((await refresh(served, stored.refreshToken)).status).toBe(401);
  });

  it("C72 does not apply to tokens from before sessions, which are rejected", async () => {
    const { accessToken } = await signIn(served);
    const { id, password } = await started.opened.client.user.findFirstOrThrow();
    const tokens = makeAccessTokens(settingsOf().jwt);
    const { token } = await tokens.sign({ id, passwordHash: password } as UserRecord);
    expect([await statusOf(served, accessToken), await statusOf(served, token)]).toEqual([200, 401]);
  });
});

describe("a signed-in request", () => {
  it("C72 reads session and user in one query, and nothing within cacheMs", async () => {
    const { accessToken } = await signIn(served);
    const { statements } = started.opened;
    const remembering = await started.serve({ config: { cacheMs: 60_000 } });
    expect(await statusOf(remembering, accessToken)).toBe(200);
    statements.length = 0;
    expect(await statusOf(remembering, accessToken)).toBe(200);
    expect(statements).toEqual([]);
    await remembering.api.delete("/api/auth/logout").set(bearer(accessToken)).expect(204);
    expect(await statusOf(remembering, accessToken)).toBe(401);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { Served } from "./serve-auth.js";
import {
  alice,
  bearer,
  type Credentials,
  cookiesOf,
  signIn,
  startWithSessions,
  statusOf,
  type WithSessions,
} from "./with-sessions.js";

const root = { username: "root", email: "root@example.com", password: "a root of all" };

let started: WithSessions;
let served: Served;
let mine: Credentials;
let other: Credentials;
beforeAll(async () => {
  started = await startWithSessions(inject("postgresUrl"));
  served = await started.serve();
});
afterAll(() => started?.close());
beforeEach(async () => {
  await started.renew();
  await served.api.post("/api/auth/signup").send(root).expect(201);
  await started.opened.client.user.update({ where: { username: "root" }, data: { isSuperUser: true } });
  [mine, other] = [await signIn(served), await signIn(served)];
});

const idIn = ({ accessToken }: Credentials): string =>
  JSON.parse(Buffer.from(accessToken.split(".")[1] ?? "", "base64url").toString()).sid;
const as = ({ accessToken }: Credentials) => bearer(accessToken);
const aliceId = async () => (await started.opened.client.user.findUniqueOrThrow({ where: { username: "alice" } })).id;

describe("the caller's sessions", () => {
  it("C72 are listed with the current one marked, without secrets", async () => {
    await signIn(served, root);
    const response = await served.api.get("/api/auth/sessions").set(as(mine));
    expect(response.status).toBe(200);
    expect(response.headers["cache-control"]).toBe("no-store");
    expect(response.body.data.map(({ id, isCurrent }: Record<string, unknown>) => [id, isCurrent])).toEqual([
      [idIn(other), false],
      [idIn(mine), true],
    ]);
    expect(Object.keys(response.body.data[0]).sort()).toEqual([
      "address",
      "createdAt",
      "expiresAt",
      "id",
      "isCurrent",
      "seenAt",
      "userAgent",
    ]);
  });

  it("C72 end one by one, the current one with its cookies, and no other user's", async () => {
    const end = (id: string) => served.api.delete(`/api/auth/sessions/${id}`).set(as(mine));
    expect((await end(idIn(other))).status).toBe(204);
    expect(await statusOf(served, other.accessToken)).toBe(401);
    expect((await end(idIn(other))).status).toBe(404);
    const foreign = await signIn(served, root);
    expect((await end(idIn(foreign))).status).toBe(404);
    expect((await end("x%00")).status).toBe(404);
    expect(await statusOf(served, foreign.accessToken)).toBe(200);
    const last = await end(idIn(mine));
    expect([last.status, Object.keys(cookiesOf(last))]).toEqual([204, ["access_token", "refresh_token"]]);
    expect(await statusOf(served, mine.accessToken)).toBe(401);
  });

  it("C72 end except for the current one", async () => {
    const foreign = await signIn(served, root);
    await served.api.delete("/api/auth/sessions").set(as(mine)).expect(204);
    expect(await statusOf(served, mine.accessToken)).toBe(200);
    expect(await statusOf(served, other.accessToken)).toBe(401);
    expect(await statusOf(served, foreign.accessToken)).toBe(200);
  });
});

describe("sessions of any user", () => {
  it("C72 are for superusers", async () => {
    const path = `/api/users/${await aliceId()}/sessions`;
    for (const [method, at] of [
      ["get", path],
      ["delete", path],
      ["delete", `${path}/${idIn(other)}`],
    ] as const) {
      expect((await served.api[method](at)).status).toBe(401);
      expect((await served.api[method](at).set(as(mine))).status).toBe(403);
    }
  });

  it("C72 are listed and ended by a superuser", async () => {
    const admin = await signIn(served, root);
    const path = `/api/users/${await aliceId()}/sessions`;
    const list = await served.api.get(path).set(as(admin));
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([idIn(other), idIn(mine)]);
    await served.api
      .delete(`${path}/${idIn(other)}`)
      .set(as(admin))
      .expect(204);
    expect([await statusOf(served, other.accessToken), await statusOf(served, mine.accessToken)]).toEqual([401, 200]);
    await served.api
      .delete(`${path}/${idIn(admin)}`)
      .set(as(admin))
      .expect(404);
    await served.api.delete(path).set(as(admin)).expect(204);
    expect([await statusOf(served, mine.accessToken), await statusOf(served, admin.accessToken)]).toEqual([401, 200]);
    await served.api.get("/api/users/999999/sessions").set(as(admin)).expect(404);
    await served.api.get("/api/users/x/sessions").set(as(admin)).expect(404);
  });

  it("C72 a reset password ends them all", async () => {
    await served.api.post("/api/auth/forgot-password").send({ email: alice.email }).expect(204);
    await expect.poll(() => served.mails.length).toBeGreaterThan(0);
    const token = served.mails.at(-1)?.text.split("\n\n")[1] ?? "";
    await served.api.post("/api/auth/reset-password").send({ token, newPassword: "battery staple" }).expect(204);
    expect(await started.opened.client.authSession.count()).toBe(0);
    expect(await statusOf(served, mine.accessToken)).toBe(401);
  });
});

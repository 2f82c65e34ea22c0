import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { PrismaClient } from "./generated/dynamic/client/client.js";
import { models as data } from "./generated/dynamic/models.js";
import { PrismaClient as JoinedClient } from "./generated/joined/client/client.js";
import { models as joinedData } from "./generated/joined/models.js";
import { type Opened, openFixture, type Served, serveAuth } from "./serve-auth.js";

let opened: Opened<PrismaClient>;
let joined: Opened<JoinedClient>;
let served: Served;
let other: Served;
let viaJoin: Served;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function tokenOf(at: Served): Promise<string> {
  const credentials = { username: "alice", password: "correct horse" };
  await at.api.post("/api/auth/signup").send(credentials);
  return (await at.api.post("/api/auth/login").send(credentials)).body.accessToken;
}

beforeAll(async () => {
  const url = inject("postgresUrl");
  opened = await openFixture(url, "dynamic", data, (options) => new PrismaClient(options));
  joined = await openFixture(url, "joined", joinedData, (options) => new JoinedClient(options));
  served = await serveAuth({ database: opened.database, config: { mode: "dynamic" } });
  other = await serveAuth({ database: opened.database, config: { mode: "dynamic" } });
  viaJoin = await serveAuth({ database: joined.database, config: { mode: "dynamic" } });
});

afterAll(async () => {
  for (const one of [served, other, viaJoin]) await one?.stop();
  await opened?.close();
  await joined?.close();
});

describe("C29 dynamic mode", () => {
  it("applies a change of permissions and roles to the next request on every instance, and ignores the rule", async () => {
    const token = await tokenOf(served);
    const statuses = async (at: Served) =>
      Promise.all(
        ["/api/edit", "/api/any", "/api/closed"].map(
          async (path) => (await at.api.get(path).set(bearer(token))).status,
        ),
      );
    expect(await statuses(served)).toEqual([403, 403, 403]);
    const role = await opened.client.authRole.create({
      data: { name: "closer", permissions: { create: { resource: "page", action: "Close" } } },
    });
    const { id } = await opened.client.user.findFirstOrThrow();
    await opened.client.user.update({ where: { id }, data: { roles: { connect: { id: role.id } } } });
    for (const at of [served, other]) expect(await statuses(at)).toEqual([403, 403, 200]);
    const signedIn = await served.api.get("/api/signed-in").set(bearer(token));
    expect(signedIn.body).toEqual({ id, roles: ["closer"], userId: id });
    await opened.client.authPermission.deleteMany();
    for (const at of [served, other]) expect(await statuses(at)).toEqual([403, 403, 403]);
    await opened.client.user.update({ where: { id }, data: { isSuperUser: true } });
    expect(await statuses(served)).toEqual([200, 200, 200]);
    await opened.client.user.deleteMany();
    expect(await statuses(served)).toEqual([401, 401, 401]);
  });

  it("reads user, roles and permissions through a join model in one statement if the client joins relations", async () => {
    const token = await tokenOf(viaJoin);
    const { id } = await joined.client.user.findFirstOrThrow();
    const role = await joined.client.authRole.create({
      data: { name: "editor", permissions: { create: { resource: "page", action: "Edit" } } },
    });
    const status = async () => (await viaJoin.api.get("/api/edit").set(bearer(token))).status;
    expect(await status()).toBe(403);
    await joined.client.userRole.create({ data: { userId: id, roleId: role.id } });
    expect(await status()).toBe(200);
    joined.statements.length = 0;
    expect(await status()).toBe(200);
    expect(joined.statements).toHaveLength(1);
    const me = await viaJoin.api.get("/api/users/me").set(bearer(token));
    expect(me.body).toEqual({ data: { id: String(id), username: "alice" } });
  });

  it("does not allow roles in a sign-up", async () => {
    const response = await served.api
      .post("/api/auth/signup")
      .send({ username: "mallory", password: "correct horse", roles: [{ id: 1 }] });
    expect([response.status, response.body.errors?.[0]?.path]).toEqual([400, "/roles"]);
  });

  it("DELETE /users/me deletes the row if the model has no deletedAt", async () => {
    const token = await tokenOf(served);
    expect((await served.api.delete("/api/users/me").set(bearer(token))).status).toBe(204);
    expect(await opened.client.user.count({ where: { username: "alice" } })).toBe(0);
  });
});

describe("C29 the cache, which is off by default", () => {
  it("shows changes by others after its time, and changes by the service itself immediately", async () => {
    const cached = await serveAuth({ database: opened.database, config: { mode: "dynamic", cacheMs: 1_500 } });
    try {
      const token = await tokenOf(cached);
      const status = async (with_ = token): Promise<number> =>
        (await cached.api.get("/api/closed").set(bearer(with_))).status;
      expect(await status()).toBe(403);
      await opened.client.user.updateMany({ data: { isSuperUser: true } });
      expect(await status()).toBe(403);
      await expect.poll(() => status(), { timeout: 300_000, interval: 200 }).toBe(200);
      const changed = await cached.api
        .post("/api/auth/update-password")
        .set(bearer(token))
        .send({ currentPassword: "correct horse", newPassword: "battery staple" });
      expect(changed.status).toBe(200);
      expect(await status()).toBe(401);
      expect(await status(changed.body.accessToken)).toBe(200);
    } finally {
      await cached.stop();
      await opened.client.user.deleteMany();
    }
  });
});

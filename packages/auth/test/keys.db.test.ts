import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { makeApiKey } from "../src/credentials/api-key.js";
import type { Served } from "./serve-auth.js";
import { alice, bearer, signIn, startWithSessions, type WithSessions } from "./with-sessions.js";

const root = { username: "root", email: "root@example.com", password: "a root of all" };

let started: WithSessions;
let served: Served;
let token: string;
beforeAll(async () => {
  started = await startWithSessions(inject("postgresUrl"));
  served = await started.serve();
});
afterAll(() => started?.close());
beforeEach(async () => {
  await started.renew();
  token = (await signIn(served)).accessToken;
});

interface Made {
  readonly id: string;
  readonly key: string;
}

async function make(body: object = {}, at = served, as = token): Promise<Made> {
  const response = await at.api
    .post("/api/auth/keys")
    .set(bearer(as))
    .send({ name: "robot", ...body });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.data;
}
const use = (key: string, path = "/api/signed-in", at = served) => at.api.get(path).set("x-api-key", key);
const statusOf = async (...given: Parameters<typeof use>) => (await use(...given)).status;
const keyRows = () => started.opened.client.authKey;

describe("an API key", () => {
  it("C72 is shown once, stored as a hash, and authenticates its owner in either header", async () => {
    const made = await make();
    expect(made.key).toMatch(new RegExp(`^svk_test_${made.id}_[\\da-f]{72}$`));
    const row = await keyRows().findFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(made.key.slice(-72));
    const response = await use(made.key);
    expect([response.status, response.body.roles]).toEqual([200, ["READER"]]);
    expect((await served.api.get("/api/signed-in").set(bearer(made.key))).status).toBe(200);
    expect((await served.api.get("/api/users/me").set(bearer(made.key))).body.data.username).toBe("alice");
    const list = await served.api.get("/api/auth/keys").set(bearer(token));
    expect(list.body.data).toEqual([expect.objectContaining({ id: made.id, name: "robot", roles: [] })]);
    expect(JSON.stringify(list.body)).not.toContain("ash");
  });

  it("C72 is not read from a URL, a cookie or a body", async () => {
    const { key } = await make();
    for (const name of ["api_key", "apiKey", "x-api-key", "key", "access_token"]) {
      expect((await served.api.get(`/api/signed-in?${name}=${key}`)).status).toBe(401);
      expect((await served.api.get("/api/signed-in").set("cookie", `${name}=${key}`)).status).toBe(401);
    }
    expect((await served.api.post("/api/signed-in").send({ key })).status).toBe(401);
  });

  it("C72 is rejected without a read if its checksum or environment is wrong", async () => {
    const { key } = await make();
    const [, , id = "", secret = ""] = key.split("_");
    started.opened.statements.length = 0;
    const forged = [
      `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`,
      key.replace("svk_test_", "svk_live_"),
      `svk_test_${id}_${"0".repeat(72)}`,
      "svk_",
      `svk_test_${id}`,
      `${key}0`,
      `svk_test_${secret.slice(0, 24)}_${secret}`,
    ];
    for (const one of forged) {
      const response = await use(one);
      expect([response.status, response.body.code]).toEqual([401, "InvalidApiKey"]);
      expect(response.headers["www-authenticate"]).toMatch(/^Bearer/);
    }
    expect(started.opened.statements).toEqual([]);
  });

  it("C72 gets the same response with a wrong secret and with an unknown id", async () => {
    const { id } = await make();
    const responses = await Promise.all([use(makeApiKey("test", id).text), use(makeApiKey("test").text)]);
    expect(responses.map(({ status }) => status)).toEqual([401, 401]);
    expect(responses[0]?.body).toEqual(responses[1]?.body);
  });

  it("C72 ends when it is deleted, with its expiry, when its owner is deactivated, and with its owner", async () => {
    const [one, other] = [await make(), await make({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() })];
    await served.api.delete(`/api/auth/keys/${one.id}`).set(bearer(token)).expect(204);
    expect([await statusOf(one.key), await statusOf(other.key)]).toEqual([401, 200]);
    await started.opened.client.user.updateMany({ data: { isActive: false } });
    expect(await statusOf(other.key)).toBe(401);
    await started.opened.client.user.updateMany({ data: { isActive: true } });
    expect(await statusOf(other.key)).toBe(401);
    const third = await make({}, served, (await signIn(served)).accessToken);
    expect(await statusOf(third.key)).toBe(200);
    await keyRows().updateMany({ data: { expiresAt: new Date() } });
    expect(await statusOf(third.key)).toBe(401);
    expect(await keyRows().count()).toBe(1);
    await started.opened.client.user.deleteMany();
    expect(await keyRows().count()).toBe(0);
  });

  it("C72 is accepted only from its addresses", async () => {
    const here = await make({ addresses: ["10.0.0.0/8", "127.0.0.1", "::1"] });
    const elsewhere = await make({ addresses: ["10.0.0.0/8", "2001:db8::/32"] });
    expect([await statusOf(here.key), await statusOf(elsewhere.key)]).toEqual([200, 401]);
  });

  it("C72 has a limit of its own", async () => {
    const at = await started.serve({ config: { keys: { rateLimit: { windowMs: 60_000, limit: 2 } } } });
    const [one, other] = [await make(), await make()];
    const statuses: number[] = [];
    for (let tries = 0; tries < 3; tries++) statuses.push(await statusOf(one.key, undefined, at));
    const rejected = await use(one.key, undefined, at);
    expect([...statuses, rejected.status]).toEqual([200, 200, 429, 429]);
    expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(0);
    expect(await statusOf(other.key, undefined, at)).toBe(200);
    expect((await at.api.get("/api/signed-in").set(bearer(token))).status).toBe(200);
  });

  it("C72 records its use once a minute", async () => {
    const { key } = await make();
    expect((await keyRows().findFirstOrThrow()).lastUsedAt).toBeNull();
    await use(key);
    await expect.poll(async () => (await keyRows().findFirstOrThrow()).lastUsedAt).not.toBeNull();
    started.opened.statements.length = 0;
    for (let tries = 0; tries < 3; tries++) await use(key);
    expect(started.opened.statements.filter((statement) => statement.startsWith("UPDATE"))).toEqual([]);
  });
});

describe("the permissions of a key", () => {
  it("C72 are never more than the owner's current ones", async () => {
    await started.opened.client.user.updateMany({ data: { role: "EDITOR" } });
    const [complete, part] = [await make(), await make({ roles: ["EDITOR"] })];
    expect([await statusOf(complete.key, "/api/edit"), await statusOf(part.key, "/api/edit")]).toEqual([200, 200]);
    await started.opened.client.user.updateMany({ data: { role: "READER" } });
    expect([await statusOf(complete.key, "/api/edit"), await statusOf(part.key, "/api/edit")]).toEqual([403, 403]);
    expect((await use(part.key, "/api/signed-in")).body.roles).toEqual([]);
    const rejected = await served.api
      .post("/api/auth/keys")
      .set(bearer(token))
      .send({ name: "x", roles: ["EDITOR"] });
    expect([rejected.status, rejected.body.errors[0].path]).toEqual([400, "/roles/0"]);
  });

  it("C72 of a superuser are all, or those that it names", async () => {
    await served.api.post("/api/auth/signup").send(root).expect(201);
    await started.opened.client.user.update({ where: { username: "root" }, data: { isSuperUser: true } });
    const { accessToken } = await signIn(served, root);
    const [complete, part] = [
      await make({}, served, accessToken),
      await make({ roles: ["EDITOR"] }, served, accessToken),
    ];
    expect([await statusOf(complete.key, "/api/closed"), await statusOf(part.key, "/api/closed")]).toEqual([200, 403]);
    expect(await statusOf(part.key, "/api/edit")).toBe(200);
    await started.opened.client.user.updateMany({ data: { isSuperUser: false } });
    expect([await statusOf(complete.key, "/api/closed"), await statusOf(part.key, "/api/edit")]).toEqual([403, 403]);
  });

  it("C72 exclude the account: a key cannot create keys, change the password, or read sessions", async () => {
    const { key, id } = await make();
    const send = served.api;
    const responses = await Promise.all([
      send.post("/api/auth/keys").set("x-api-key", key).send({ name: "more" }),
      send.get("/api/auth/keys").set("x-api-key", key),
      send.post(`/api/auth/keys/${id}/rotate`).set("x-api-key", key),
      send.get("/api/auth/sessions").set("x-api-key", key),
      send.delete("/api/auth/logout").set("x-api-key", key),
      send.patch("/api/users/me").set("x-api-key", key).send({}),
      send.delete("/api/users/me").set("x-api-key", key),
      send.post("/api/auth/update-password").set("x-api-key", key).send({ currentPassword: alice.password }),
    ]);
    expect(responses.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
      Array(8).fill("403 AuthenticationRequired"),
    );
  });
});

describe("changing a key", () => {
  it("C72 renames it, and rotates its secret with a grace period for the previous one", async () => {
    const { id, key } = await make();
    const at = `/api/auth/keys/${id}`;
    const renamed = await served.api.patch(at).set(bearer(token)).send({ name: "android" });
    expect([renamed.status, renamed.body.data.name]).toEqual([200, "android"]);
    const rotated = await served.api.post(`${at}/rotate`).set(bearer(token)).send({ overlapSeconds: 60 });
    expect([rotated.status, rotated.body.data.id]).toEqual([200, id]);
    const next = rotated.body.data.key;
    expect([await statusOf(key), await statusOf(next)]).toEqual([200, 200]);
    await keyRows().updateMany({ data: { previousUntil: new Date() } });
    expect([await statusOf(key), await statusOf(next)]).toEqual([401, 200]);
    const at0 = await served.api.post(`${at}/rotate`).set(bearer(token)).send({ overlapSeconds: 0 });
    expect([await statusOf(next), await statusOf(at0.body.data.key)]).toEqual([401, 200]);
  });

  it("C72 lets one of several concurrent rotations succeed; the others are 409", async () => {
    const { id, key } = await make();
    const { client } = started.opened;
    const rotations = await client.$transaction(
      async (holder) => {
        await holder.$queryRaw`SELECT id FROM "AuthKey" FOR UPDATE`;
        const sent = Array.from({ length: 4 }, () =>
          served.api
            .post(`/api/auth/keys/${id}/rotate`)
            .set(bearer(token))
            .send({})
            .then((response) => response),
        );
        const waiting = async (): Promise<number> => {
          const [row] = await client.$queryRaw<{ count: bigint }[]>`SELECT count(*) AS count FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`;
          return Number(row?.count);
        };
        await expect.poll(waiting).toBe(4);
        return { sent };
      },
      { timeout: 120_000 },
    );
    const responses = await Promise.all(rotations.sent);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const made = responses.find(({ status }) => status === 200)?.body.data.key;
    expect([await statusOf(made), await statusOf(key)]).toEqual([200, 200]);
  });

  it("C72 is only possible for its owner", async () => {
    const { id } = await make();
    await served.api.post("/api/auth/signup").send(root).expect(201);
    const other = bearer((await signIn(served, root)).accessToken);
    const at = `/api/auth/keys/${id}`;
    expect((await served.api.patch(at).set(other).send({ name: "mine" })).status).toBe(404);
    expect((await served.api.post(`${at}/rotate`).set(other)).status).toBe(404);
    expect((await served.api.delete(at).set(other)).status).toBe(404);
    expect((await served.api.get("/api/auth/keys").set(other)).body.data).toEqual([]);
  });

  it.each(["%00", "x", "%ff", "é"])("C72 fails for the unknown id %s", async (id) => {
    const at = `/api/auth/keys/${id}`;
    const responses = await Promise.all([
      served.api.patch(at).set(bearer(token)).send({ name: "x" }),
      served.api.post(`${at}/rotate`).set(bearer(token)).send({}),
      served.api.delete(at).set(bearer(token)),
    ]);
    expect(responses.map(({ status }) => status)).toEqual(Array(3).fill(id === "%ff" ? 400 : 404));
  });

  it("C72 fails for an unknown role, even for a superuser", async () => {
    await served.api.post("/api/auth/signup").send(root).expect(201);
    await started.opened.client.user.update({ where: { username: "root" }, data: { isSuperUser: true } });
    const superuser = bearer((await signIn(served, root)).accessToken);
    const body = { name: "x", roles: ["EDITOR", "EDITER"] };
    const response = await served.api.post("/api/auth/keys").set(superuser).send(body);
    expect([response.status, response.body.errors]).toEqual([
      400,
      [{ in: "body", path: "/roles/1", code: "InvalidValue", message: "Unknown role. Did you mean EDITOR?" }],
    ]);
  });

  it.each([
    [{}, "/name"],
    [{ name: " " }, "/name"],
    [{ name: "a\0" }, "/name"],
    [{ name: "x", roles: ["\0"] }, "/roles/0"],
    [{ name: "x", addresses: ["10.0.0.0/33"] }, "/addresses/0"],
    [{ name: "x", expiresAt: "2001-01-01T00:00:00Z" }, "/expiresAt"],
    [{ name: "x", hash: "y" }, "/hash"],
    [{ name: "x", permissions: [{ resource: "page", action: "Edit" }] }, "/permissions"],
  ])("C72 fails for a body such as %j", async (body, path) => {
    const response = await served.api.post("/api/auth/keys").set(bearer(token)).send(body);
    expect([response.status, response.body.errors?.[0]?.path]).toEqual([400, path]);
  });
});

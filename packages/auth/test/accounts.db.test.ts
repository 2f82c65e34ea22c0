import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import type { Served } from "./serve-auth.js";
import { alice, bearer, login, startWithAlice, tokenOf, type WithAlice } from "./with-alice.js";

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

describe("sign-up", () => {
  const bob = { username: "bob", email: "bob@example.com", password: "another horse" };

  it("C27 creates a user, returns 201 without hidden fields, and hashes the password", async () => {
    const response = await served.api.post("/api/auth/signup").send({ ...bob, name: "Bob" });
    expect([response.status, response.headers.location]).toEqual([201, "/api/users/me"]);
    expect(response.body.data).toMatchObject({ username: "bob", name: "Bob", role: "READER", isSuperUser: false });
    expect(Object.keys(response.body)).toEqual(["data"]);
    expect(JSON.stringify(response.body)).not.toMatch(/password"|apiKey|\$2/);
    const row = await opened.client.user.findUniqueOrThrow({ where: { username: "bob" } });
    expect(row.password).toMatch(/^\$2[aby]\$04\$/);
    expect((await login(served, "bob", bob.password)).status).toBe(200);
  });

  it("C95 reports every error of a sign-up, a login and a new password together", async () => {
    const places = ({ body }: { body: { errors: { path: string }[] } }): string[] =>
      body.errors.map(({ path }) => path);
    const signup = { username: "bob", email: "nobody", password: "password1", name: 3, nope: 1 };
    expect(places(await served.api.post("/api/auth/signup").send(signup)).sort()).toEqual(
      ["/email", "/name", "/nope", "/password"].sort(),
    );
    expect(places(await served.api.post("/api/auth/login").send({ nope: 1 }))).toEqual([
      "/username",
      "/password",
      "/nope",
    ]);
    const change = served.api.post("/api/auth/update-password").set(bearer(await tokenOf(served)));
    expect(places(await change.send({ newPassword: "password1", nope: 1 }))).toEqual([
      "/currentPassword",
      "/newPassword",
      "/nope",
    ]);
  });

  it.each([
    ["role", "EDITOR"],
    ["roles", ["EDITOR"]],
    ["isSuperUser", true],
    ["isActive", true],
    ["id", 1],
    ["emailVerified", true],
    ["passwordChangedAt", "2030-01-01T00:00:00Z"],
    ["lastLoginAt", "2030-01-01T00:00:00Z"],
    ["deletedAt", null],
    ["createdAt", "2030-01-01T00:00:00Z"],
    ["apiKey", "x"],
    ["credit", 5],
    ["profile", { create: { nickname: "x" } }],
    ["notes", { connect: { id: 1 } }],
    ["unknown", 1],
  ])("C27 rejects %s as an unknown key, and changes nothing", async (key, value) => {
    const response = await served.api.post("/api/auth/signup").send({ ...bob, [key]: value });
    expect([response.status, response.body.errors?.[0]?.path]).toEqual([400, `/${key}`]);
    expect(await opened.client.user.count()).toBe(1);
    const token = await tokenOf(served);
    const before = await opened.client.user.findFirstOrThrow();
    const change = await served.api
      .patch("/api/users/me")
      .set(bearer(token))
      .send({ [key]: value });
    expect([change.status, change.body.errors?.[0]?.path]).toEqual([400, `/${key}`]);
    expect({ ...(await opened.client.user.findFirstOrThrow()), lastLoginAt: null }).toEqual({
      ...before,
      lastLoginAt: null,
    });
  });

  it.each([
    ["7 characters", "1234567"],
    ["73 bytes", "x".repeat(73)],
    ["25 characters of 3 bytes", "€".repeat(25)],
    ["NUL", "12345678\0"],
    ["half a surrogate pair", "12345678\ud800"],
    ["a number", 12345678],
    ["an object", { set: "12345678" }],
    ["null", null],
    ["nothing", undefined],
  ])("rejects a password of %s with 400", async (_, password) => {
    const response = await served.api.post("/api/auth/signup").send({ ...bob, password });
    expect([response.status, response.body.errors?.[0]?.path]).toEqual([400, "/password"]);
  });

  it.each([
    ["8 emoji", "😀".repeat(8)],
    ["72 bytes", "€".repeat(24)],
    ["blanks around", "  12345678  "],
    ["a hash", `$2b$12$${".".repeat(53)}`],
  ])("accepts a password of %s unchanged", async (_, password) => {
    const response = await served.api.post("/api/auth/signup").send({ ...bob, password });
    expect(response.status).toBe(201);
    expect((await login(served, "bob", password)).status).toBe(200);
    if (password.trim() !== password) expect((await login(served, "bob", password.trim())).status).toBe(401);
    const row = await opened.client.user.findUniqueOrThrow({ where: { username: "bob" } });
    expect(row.password).not.toBe(password);
  });

  it("C17 returns 409 naming the field for another user's values", async () => {
    const response = await served.api.post("/api/auth/signup").send({ ...bob, email: alice.email });
    expect([response.status, response.body.code, response.body.errors]).toEqual([
      409,
      "UniqueConstraint",
      [{ in: "body", path: "/email", code: "UniqueConstraint", message: "Another user has the same email." }],
    ]);
    expect(JSON.stringify(response.body)).not.toMatch(/\$2|_key|P2002/);
  });

  it("names no field in a conflict of a hidden field", async () => {
    await opened.client.user.updateMany({ data: { apiKey: "k" } });
    const open = await serve({
      schemas: {
        signup: z.strictObject({ username: z.string(), email: z.string(), password: z.string(), apiKey: z.string() }),
      },
    });
    const response = await open.api.post("/api/auth/signup").send({ ...bob, apiKey: "k" });
    expect([response.status, response.body.errors]).toMatchObject([409, [{ in: "body", path: "" }]]);
    expect(JSON.stringify(response.body)).not.toContain("apiKey");
  });

  it("lets one of 20 equal sign-ups succeed", async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => served.api.post("/api/auth/signup").send(bob)),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(19).fill(409)]);
  });

  it("C27 allows the fields of the auth module's schema, and passes its other keys to hooks", async () => {
    const seen: unknown[] = [];
    const open = await serve({
      schemas: {
        signup: z.strictObject({
          ...{ username: z.string(), email: z.string(), password: z.string(), role: z.enum(["READER", "EDITOR"]) },
          profile: z.strictObject({ nickname: z.string() }),
          invitation: z.string(),
        }),
      },
      hooks: { beforeSignup: (request, _response, next) => next(void seen.push(request.body.invitation)) },
    });
    const body = { ...bob, role: "EDITOR", profile: { nickname: "bobby" }, invitation: "abc" };
    const response = await open.api.post("/api/auth/signup").send(body);
    expect([response.status, response.body.data?.role, seen]).toEqual([201, "EDITOR", ["abc"]]);
    expect(await opened.client.profile.findFirst()).toMatchObject({ nickname: "bobby" });
    const short = await open.api
      .post("/api/auth/signup")
      .send({ ...body, username: "c", email: "c@example.com", password: "short" });
    expect([short.status, short.body.errors?.[0]?.path]).toEqual([400, "/password"]);
  });
});

describe("the current user", () => {
  it("C28 is read, updated and deleted, and a deleted user cannot log in", async () => {
    const token = await tokenOf(served);
    const me = await served.api.get("/api/users/me").set(bearer(token));
    expect([me.status, me.body.data.username, me.headers["cache-control"]]).toEqual([200, "alice", "no-store"]);
    const changed = await served.api.patch("/api/users/me").set(bearer(token)).send({ name: "Alice" });
    expect([changed.status, changed.body.data.name]).toEqual([200, "Alice"]);
    expect((await served.api.patch("/api/users/me").set(bearer(token)).send({})).body.data.name).toBe("Alice");
    const gone = await served.api.delete("/api/users/me").set("cookie", `access_token=${token}`);
    expect([gone.status, gone.text, gone.headers["set-cookie"]?.[0]?.startsWith("access_token=;")]).toEqual([
      204,
      "",
      true,
    ]);
    expect((await opened.client.user.findFirstOrThrow()).deletedAt).toBeInstanceOf(Date);
    expect((await served.api.get("/api/users/me").set(bearer(token))).status).toBe(401);
    expect((await login(served)).status).toBe(401);
  });

  it("requires a login for each method", async () => {
    for (const method of ["get", "patch", "delete"] as const) {
      expect((await served.api[method]("/api/users/me")).status).toBe(401);
    }
    expect((await served.api.post("/api/auth/update-password").send({})).status).toBe(401);
    expect((await served.api.delete("/api/auth/logout")).status).toBe(401);
  });

  it("C28 cannot change the password", async () => {
    const token = await tokenOf(served);
    const response = await served.api.patch("/api/users/me").set(bearer(token)).send({ password: "another horse" });
    expect(response.status).toBe(400);
    const open = await serve({ schemas: { updateMe: z.looseObject({ name: z.string() }) } });
    const body = { name: "x", password: "another horse", id: 77 };
    await open.api.patch("/api/users/me").set(bearer(token)).send(body);
    expect((await login(served)).status).toBe(200);
  });

  it("C17 returns 409 for another user's name", async () => {
    await served.api
      .post("/api/auth/signup")
      .send({ username: "bob", email: "b@example.com", password: "another horse" });
    const response = await served.api
      .patch("/api/users/me")
      .set(bearer(await tokenOf(served)))
      .send({ username: "bob", currentPassword: alice.password });
    expect([response.status, response.body.errors?.[0]?.path]).toEqual([409, "/username"]);
  });
});

describe("update-password", () => {
  it("C28 returns a new token and revokes every older one, even in the same second", async () => {
    const [older, token] = [await tokenOf(served), await tokenOf(served)];
    const response = await served.api
      .post("/api/auth/update-password")
      .set(bearer(token))
      .send({ currentPassword: alice.password, newPassword: "another horse" });
    expect([response.status, response.body.data?.username]).toEqual([200, "alice"]);
    expect(response.headers["set-cookie"]?.[0]).toMatch(/^access_token=/);
    for (const [given, status] of [
      [older, 401],
      [token, 401],
      [response.body.accessToken, 200],
    ] as const) {
      expect((await served.api.get("/api/signed-in").set(bearer(given))).status).toBe(status);
    }
    expect((await login(served)).status).toBe(401);
    expect((await login(served, "alice", "another horse")).status).toBe(200);
    expect((await opened.client.user.findFirstOrThrow()).passwordChangedAt).toBeInstanceOf(Date);
  });

  it("requires the current password, and strings", async () => {
    const token = await tokenOf(served);
    const send = (body: object) => served.api.post("/api/auth/update-password").set(bearer(token)).send(body);
    const wrong = await send({ currentPassword: "wrong horse", newPassword: "another horse" });
    expect([wrong.status, wrong.body.code]).toEqual([401, "InvalidCredentials"]);
    for (const body of [
      { newPassword: "another horse" },
      { currentPassword: alice.password },
      { currentPassword: { not: "" }, newPassword: "another horse" },
      { currentPassword: alice.password, newPassword: "short" },
      { currentPassword: alice.password, newPassword: "another horse", role: "EDITOR" },
    ]) {
      expect((await send(body)).status).toBe(400);
    }
    expect((await login(served)).status).toBe(200);
  });

  it("lets one of two concurrent changes succeed", async () => {
    const token = await tokenOf(served);
    const responses = await Promise.all(
      ["first horse", "second horse"].map((newPassword) =>
        served.api
          .post("/api/auth/update-password")
          .set(bearer(token))
          .send({ currentPassword: alice.password, newPassword }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});

describe("transformWrite", () => {
  it("C11 hashes a password of the user model on every path, including a hash, and rejects everything else", async () => {
    const { transformWrite } = served.auth;
    const hash = `$2b$12$${".".repeat(53)}`;
    for (const password of ["another horse", hash]) {
      const written = await transformWrite("User", { name: "x", password });
      expect(written.password).toMatch(/^\$2[aby]\$04\$/);
      expect(written.password).not.toBe(password);
      expect(written.passwordChangedAt).toBeInstanceOf(Date);
    }
    expect(await transformWrite("User", { name: "x" })).toEqual({ name: "x" });
    expect(await transformWrite("Note", { password: "x" })).toEqual({ password: "x" });
    expect(await transformWrite("User", { username: " ÅDA ", email: "A@B.example" })).toEqual({
      username: "åda",
      email: "a@b.example",
    });
    await expect(transformWrite("User", { email: "none" })).rejects.toMatchObject({ status: 400 });
    const batch = Array.from({ length: 21 }, () => ({ password: "another horse" }));
    await expect(transformWrite("User", batch[0] ?? {}, batch)).rejects.toMatchObject({ status: 413 });
    await expect(transformWrite("User", { password: "iloveyou" })).rejects.toMatchObject({ status: 400 });
    for (const password of ["short", "x".repeat(73), { set: "12345678" }, null, 5]) {
      await expect(transformWrite("User", { password })).rejects.toMatchObject({ status: 400 });
    }
  });
});

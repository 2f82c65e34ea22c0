import type { RequestHandler } from "express";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { z } from "zod";
import { PrismaClient } from "./generated/static/client/client.js";
import { models as data } from "./generated/static/models.js";
import { type Opened, openFixture, type Served, type ServeOptions, serveAuth } from "./serve-auth.js";

let opened: Opened<PrismaClient>;
let served: Served;
const others: Served[] = [];

const alice = { username: "alice", email: "alice@example.com", password: "correct horse" };

async function serve(options: Partial<ServeOptions> = {}): Promise<Served> {
  const one = await serveAuth({ database: opened.database, ...options });
  others.push(one);
  return one;
}

async function login(username = "alice", password = alice.password, at = served) {
  return at.api.post("/api/auth/login").send({ username, password });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const tokenOf = async (): Promise<string> => (await login()).body.accessToken;
const settle = () => new Promise((resolve) => setTimeout(resolve, 30));

/** The token of the last mail. */
async function mailedToken(at = served): Promise<string> {
  await settle();
  return at.mails.at(-1)?.text.split("\n\n")[1] ?? "";
}

beforeAll(async () => {
  opened = await openFixture(inject("postgresUrl"), "static", data, (options) => new PrismaClient(options));
  served = await serveAuth({ database: opened.database });
});

afterAll(async () => {
  for (const one of [served, ...others]) await one?.stop();
  await opened?.close();
});

beforeEach(async () => {
  await opened.client.note.deleteMany();
  await opened.client.profile.deleteMany();
  await opened.client.user.deleteMany();
  expect((await served.api.post("/api/auth/signup").send(alice)).status).toBe(201);
  await settle();
  served.mails.length = 0;
  served.logged.length = 0;
});

describe("signup", () => {
  const bob = { username: "bob", email: "bob@example.com", password: "another horse" };

  it("C27 makes a user, answers 201 without hidden fields, and the password is hashed", async () => {
    const answer = await served.api.post("/api/auth/signup").send({ ...bob, name: "Bob" });
    expect([answer.status, answer.headers.location]).toEqual([201, "/api/users/me"]);
    expect(answer.body.data).toMatchObject({ username: "bob", name: "Bob", role: "READER", isSuperUser: false });
    expect(Object.keys(answer.body)).toEqual(["data"]);
    expect(JSON.stringify(answer.body)).not.toMatch(/password"|apiKey|\$2/);
    const row = await opened.client.user.findUniqueOrThrow({ where: { username: "bob" } });
    expect(row.password).toMatch(/^\$2[aby]\$04\$/);
    expect((await login("bob", bob.password)).status).toBe(200);
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
  ])("C27 refuses %s as an unknown key, and changes nothing", async (key, value) => {
    const answer = await served.api.post("/api/auth/signup").send({ ...bob, [key]: value });
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, `/${key}`]);
    expect(await opened.client.user.count()).toBe(1);
    const token = await tokenOf();
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
  ])("R14 refuses a password of %s with 400", async (_, password) => {
    const answer = await served.api.post("/api/auth/signup").send({ ...bob, password });
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, "/password"]);
  });

  it.each([
    ["8 emoji", "😀".repeat(8)],
    ["72 bytes", "€".repeat(24)],
    ["blanks around", "  12345678  "],
    ["a hash", `$2b$12$${".".repeat(53)}`],
  ])("R14 takes a password of %s as it is", async (_, password) => {
    const answer = await served.api.post("/api/auth/signup").send({ ...bob, password });
    expect(answer.status).toBe(201);
    expect((await login("bob", password)).status).toBe(200);
    if (password.trim() !== password) expect((await login("bob", password.trim())).status).toBe(401);
    const row = await opened.client.user.findUniqueOrThrow({ where: { username: "bob" } });
    expect(row.password).not.toBe(password);
  });

  it("C17 another user's values are 409 naming the field", async () => {
    const answer = await served.api.post("/api/auth/signup").send({ ...bob, email: alice.email });
    expect([answer.status, answer.body.code, answer.body.errors]).toEqual([
      409,
      "UniqueConstraint",
      [{ in: "body", path: "/email", code: "unique", message: "Another user has the same email." }],
    ]);
    expect(JSON.stringify(answer.body)).not.toMatch(/\$2|_key|P2002/);
  });

  it("R2 a conflict of a hidden field names no field", async () => {
    await opened.client.user.updateMany({ data: { apiKey: "k" } });
    const open = await serve({
      schemas: {
        signup: z.strictObject({ username: z.string(), email: z.string(), password: z.string(), apiKey: z.string() }),
      },
    });
    const answer = await open.api.post("/api/auth/signup").send({ ...bob, apiKey: "k" });
    expect([answer.status, answer.body.errors]).toEqual([409, undefined]);
    expect(JSON.stringify(answer.body)).not.toContain("apiKey");
  });

  it("R8 of 20 equal signups one wins", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => served.api.post("/api/auth/signup").send(bob)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(19).fill(409)]);
  });

  it("C27 the schema of the auth module opens what it names, and its other keys are for hooks", async () => {
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
    const answer = await open.api.post("/api/auth/signup").send(body);
    expect([answer.status, answer.body.data?.role, seen]).toEqual([201, "EDITOR", ["abc"]]);
    expect(await opened.client.profile.findFirst()).toMatchObject({ nickname: "bobby" });
    const short = await open.api
      .post("/api/auth/signup")
      .send({ ...body, username: "c", email: "c@example.com", password: "short" });
    expect([short.status, short.body.errors?.[0]?.path]).toEqual([400, "/password"]);
  });
});

describe("the current user", () => {
  it("C28 is read, changed and deleted, and a deleted one cannot log in", async () => {
    const token = await tokenOf();
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
    expect((await login()).status).toBe(401);
  });

  it("R1 needs a login for each method", async () => {
    for (const method of ["get", "patch", "delete"] as const) {
      expect((await served.api[method]("/api/users/me")).status).toBe(401);
    }
    expect((await served.api.post("/api/auth/update-password").send({})).status).toBe(401);
    expect((await served.api.delete("/api/auth/logout")).status).toBe(401);
  });

  it("C28 cannot change the password", async () => {
    const token = await tokenOf();
    const answer = await served.api.patch("/api/users/me").set(bearer(token)).send({ password: "another horse" });
    expect(answer.status).toBe(400);
    const open = await serve({ schemas: { updateMe: z.looseObject({ name: z.string() }) } });
    const body = { name: "x", password: "another horse", id: 77 };
    await open.api.patch("/api/users/me").set(bearer(token)).send(body);
    expect((await login()).status).toBe(200);
  });

  it("C17 another user's name is 409", async () => {
    await served.api
      .post("/api/auth/signup")
      .send({ username: "bob", email: "b@example.com", password: "another horse" });
    const answer = await served.api
      .patch("/api/users/me")
      .set(bearer(await tokenOf()))
      .send({ username: "bob", currentPassword: alice.password });
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([409, "/username"]);
  });
});

describe("update-password", () => {
  it("C28 gives a fresh token and ends every older one, in the same second too", async () => {
    const [older, token] = [await tokenOf(), await tokenOf()];
    const answer = await served.api
      .post("/api/auth/update-password")
      .set(bearer(token))
      .send({ currentPassword: alice.password, newPassword: "another horse" });
    expect([answer.status, answer.body.data?.username]).toEqual([200, "alice"]);
    expect(answer.headers["set-cookie"]?.[0]).toMatch(/^access_token=/);
    for (const [given, status] of [
      [older, 401],
      [token, 401],
      [answer.body.accessToken, 200],
    ] as const) {
      expect((await served.api.get("/api/signed-in").set(bearer(given))).status).toBe(status);
    }
    expect((await login()).status).toBe(401);
    expect((await login("alice", "another horse")).status).toBe(200);
    expect((await opened.client.user.findFirstOrThrow()).passwordChangedAt).toBeInstanceOf(Date);
  });

  it("R14 needs the current password, and texts", async () => {
    const token = await tokenOf();
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
    expect((await login()).status).toBe(200);
  });

  it("of two changes at once one wins", async () => {
    const token = await tokenOf();
    const answers = await Promise.all(
      ["first horse", "second horse"].map((newPassword) =>
        served.api
          .post("/api/auth/update-password")
          .set(bearer(token))
          .send({ currentPassword: alice.password, newPassword }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});

describe("C32 mails", () => {
  const forgot = (email: unknown, at = served) => at.api.post("/api/auth/forgot-password").send({ email });
  const reset = (token: unknown, newPassword: unknown = "another horse") =>
    served.api.post("/api/auth/reset-password").send({ token, newPassword });

  it("a token from a mail sets a new password, once, and ends older tokens", async () => {
    const older = await tokenOf();
    const asked = await forgot(alice.email);
    expect([asked.status, asked.text]).toEqual([204, ""]);
    const token = await mailedToken();
    expect(served.mails.map(({ to }) => to)).toEqual([{ address: alice.email }]);
    expect((await reset(token)).status).toBe(204);
    expect((await login("alice", "another horse")).status).toBe(200);
    expect((await served.api.get("/api/signed-in").set(bearer(older))).status).toBe(401);
    const again = await reset(token);
    expect([again.status, again.body.code]).toEqual([400, "InvalidMailToken"]);
  });

  it("answers alike for an address that nobody has, an inactive user, and a mail that fails", async () => {
    const known = await forgot(alice.email);
    const unknown = await forgot("nobody@example.com");
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    await settle();
    expect(served.mails).toHaveLength(1);
    await opened.client.user.updateMany({ data: { isActive: false } });
    expect((await forgot(alice.email)).status).toBe(204);
    await settle();
    expect(served.mails).toHaveLength(1);
    for (const email of [{ contains: "" }, null, 5, ["x"], undefined, ""])
      expect((await forgot(email)).status).toBe(400);
  });

  it("of ten uses of one token at once one wins", async () => {
    await forgot(alice.email);
    const token = await mailedToken();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => reset(token, `new horse ${i}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(400)]);
  });

  it("a token dies with the password, the address, the user, and after an hour", async () => {
    await forgot(alice.email);
    const token = await mailedToken();
    const { id, password } = await opened.client.user.findFirstOrThrow();
    const where = { id };
    await opened.client.user.update({ where, data: { email: "other@example.com" } });
    expect((await reset(token)).status).toBe(400);
    await opened.client.user.update({ where, data: { email: alice.email, password: "x" } });
    expect((await reset(token)).status).toBe(400);
    await opened.client.user.update({ where, data: { password, deletedAt: new Date() } });
    expect((await reset(token)).status).toBe(400);
    await opened.client.user.update({ where, data: { deletedAt: null } });
    const [user = "", expires = "", mac = ""] = token.split(".");
    expect(Number(expires) - Date.now() / 1000).toBeLessThan(3601);
    for (const wrong of [
      `${user}.${Number(expires) + 1}.${mac}`,
      `${user}.0.${mac}`,
      `${user}.${expires}`,
      "",
      {},
      null,
      7,
    ]) {
      expect((await reset(wrong)).status).toBe(400);
    }
    expect((await reset(token)).status).toBe(204);
  });

  it("attack 31: no token of a mail is an access token, and none for one purpose is good for another", async () => {
    await forgot(alice.email);
    const token = await mailedToken();
    expect((await served.api.get("/api/signed-in").set(bearer(token))).status).toBe(401);
    expect((await served.api.post("/api/auth/verify-email").send({ token })).status).toBe(400);
    expect((await reset(await tokenOf())).status).toBe(400);
  });

  it("a signup is asked to verify its address; another address is not verified any more", async () => {
    const bob = { username: "bob", email: "bobby@example.com", password: "another horse" };
    await served.api.post("/api/auth/signup").send(bob);
    const token = await mailedToken();
    expect(served.mails.at(-1)?.to).toEqual({ address: bob.email });
    expect((await reset(token)).status).toBe(400);
    const verify = () => served.api.post("/api/auth/verify-email").send({ token });
    expect((await verify()).status).toBe(204);
    const where = { username: "bob" };
    expect((await opened.client.user.findUniqueOrThrow({ where })).emailVerified).toBe(true);
    expect((await verify()).status).toBe(400);
    const { accessToken } = (await login("bob", bob.password)).body;
    await served.api
      .patch("/api/users/me")
      .set(bearer(accessToken))
      .send({ email: "new@example.com", currentPassword: bob.password });
    expect((await opened.client.user.findUniqueOrThrow({ where })).emailVerified).toBe(false);
    await vi.waitFor(() => expect(served.mails).toHaveLength(3));
    expect(served.mails.slice(1).map(({ to, subject }) => [to.address, subject])).toEqual([
      [bob.email, "The sign-in names of your account have changed"],
      ["new@example.com", "Verify your email address"],
    ]);
    await served.api.patch("/api/users/me").set(bearer(accessToken)).send({ name: "Bob" });
    await settle();
    expect(served.mails).toHaveLength(3);
  });

  it("R24 no text of a user stands in a mail or in its headers", async () => {
    const bob = {
      username: "{{x}}<b>",
      email: "a@b.c",
      password: "another horse",
      name: "#{1+1}",
    };
    await served.api.post("/api/auth/signup").send(bob);
    await settle();
    const [mail] = served.mails;
    expect(mail?.to).toEqual({ address: bob.email });
    expect(`${mail?.subject}${mail?.text}`).not.toMatch(/\{\{x|#\{|<b>/);
    const breaking = { ...bob, username: "c", email: "a@b.c\r\nBcc: all@example.com" };
    expect((await served.api.post("/api/auth/signup").send(breaking)).status).toBe(400);
  });

  it("F8 a user and an address get at most five mails of a kind in an hour, and no answer tells", async () => {
    const at = await serve();
    const carol = { username: "carol", email: "carol@example.com", password: "another horse" };
    await at.api.post("/api/auth/signup").send(carol);
    const token = bearer((await login("carol", carol.password, at)).body.accessToken);
    const statuses = new Set<number>();
    for (let i = 0; i < 40; i++) {
      const change = { email: `carol${i}@example.com`, currentPassword: carol.password };
      statuses.add((await at.api.patch("/api/users/me").set(token).send(change)).status);
    }
    for (let i = 0; i < 20; i++) statuses.add((await forgot(alice.email, at)).status);
    expect([...statuses]).toEqual([200, 204]);
    await settle();
    const count = (subject: RegExp) => at.mails.filter((mail) => subject.test(mail.subject)).length;
    // One of the mails to verify was for the signup.
    expect([count(/^Verify/), count(/have changed$/), count(/new password/)]).toEqual([5, 5, 5]);
  });

  it("F5 forgot-password is refused to nobody because of others' requests", async () => {
    const limited = await serve({ trustProxy: true, config: { rateLimit: { windowMs: 60_000, limit: 10 } } });
    const ask = (address: string) =>
      limited.api.post("/api/auth/forgot-password").set("x-forwarded-for", address).send({ email: alice.email });
    for (let at = 0; at < 40; at++) await ask(`10.0.${at % 4}.1`);
    expect((await ask("10.1.1.1")).status).toBe(204);
  });

  it("a token of a mail that is not ours is refused before anything is read", async () => {
    await forgot(alice.email);
    const token = await mailedToken();
    opened.statements.length = 0;
    for (const wrong of [`${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`, `${token}x`, "a.b.c.d"]) {
      expect((await reset(wrong)).status).toBe(400);
    }
    expect(opened.statements).toEqual([]);
  });

  it("the routes are not there without a mailer", async () => {
    const plain = await serve({ withMailer: false });
    expect((await forgot(alice.email, plain)).status).toBe(404);
  });
});

describe("F10 C32 a silent signup", () => {
  const silent = { signup: { silent: true }, login: { allowedUsernames: ["username", "email"] } };
  const dora = { username: "dora", email: "dora@example.com", password: "another horse" };
  const signup = (at: Served, body: object) => at.api.post("/api/auth/signup").send(body);

  it("answers alike for a new address and for one that a user has, and tells it by mail", async () => {
    const at = await serve({ config: silent });
    await opened.client.user.updateMany({ data: { emailVerified: true } });
    const answers = [
      await signup(at, dora),
      await signup(at, { ...dora, username: "eve", email: "ALICE@example.com" }),
    ];
    expect(answers.map(({ status, text, headers }) => [status, text, headers.location])).toEqual(
      Array(2).fill([204, "", undefined]),
    );
    await settle();
    expect(at.mails.map(({ to, subject }) => [to.address, subject])).toEqual([
      [dora.email, "Verify your email address"],
      [alice.email, "You have an account"],
    ]);
    expect(await opened.client.user.count()).toBe(2);
    const taken = await signup(at, { ...dora, email: "new@example.com" });
    const takenToo = await signup(at, dora);
    expect([taken.status, taken.body.errors?.[0]?.path, takenToo.status]).toEqual([409, "/username", 409]);
  });

  it("lets in whoever has shown that the address is theirs, and tells nobody else that there is a user", async () => {
    const at = await serve({ config: silent });
    await signup(at, dora);
    const enter = () => at.api.post("/api/auth/login").send({ email: dora.email, password: dora.password });
    expect((await enter()).status).toBe(401);
    const token = await mailedToken(at);
    expect((await at.api.post("/api/auth/verify-email").send({ token })).status).toBe(204);
    expect((await enter()).status).toBe(200);
  });

  it("a password that was set with a token from a mail shows it too", async () => {
    const at = await serve({ config: silent });
    await signup(at, dora);
    await settle();
    await at.api.post("/api/auth/forgot-password").send({ email: dora.email });
    const body = { token: await mailedToken(at), newPassword: "third horse" };
    expect((await at.api.post("/api/auth/reset-password").send(body)).status).toBe(204);
    const answer = await at.api.post("/api/auth/login").send({ username: "dora", password: body.newPassword });
    expect([answer.status, answer.body.data?.emailVerified]).toEqual([200, true]);
  });

  it("without a mailer stops the start", async () => {
    await expect(serve({ withMailer: false, config: silent })).rejects.toThrow(/signup\.silent/);
  });
});

describe("C45 hooks", () => {
  const order: string[] = [];
  const note =
    (name: string): RequestHandler =>
    (_request, response, next) => {
      order.push(`${name}:${JSON.stringify(Object.keys(response.locals.data ?? {}).length > 0)}`);
      next();
    };

  it("run around every act, in order, and what an after hook changes is sent", async () => {
    const hooks = {
      beforeLogin: [note("before"), note("second")],
      afterLogin: [
        note("after"),
        ((_request, response, next) => {
          response.locals.data = { ...response.locals.data, greeting: "hi", password: "leak" };
          next();
        }) as RequestHandler,
      ],
      ...{ beforeLogout: note("bo"), afterLogout: note("ao"), beforeGetMe: note("bg"), afterGetMe: note("ag") },
      ...{
        beforeUpdateMe: note("bu"),
        afterUpdateMe: note("au"),
        beforeDeleteMe: note("bd"),
        afterDeleteMe: note("ad"),
      },
      ...{
        beforeSignup: note("bs"),
        afterSignup: note("as"),
        beforeUpdatePassword: note("bp"),
        afterUpdatePassword: note("ap"),
      },
    };
    const hooked = await serve({ hooks });
    const answer = await login("alice", alice.password, hooked);
    expect(order.splice(0)).toEqual(["before:false", "second:false", "after:true"]);
    expect([answer.body.data.greeting, answer.body.data.password]).toEqual(["hi", undefined]);
    const token = bearer(answer.body.accessToken);
    await hooked.api.get("/api/users/me").set(token);
    await hooked.api.patch("/api/users/me").set(token).send({ name: "x" });
    const body = { currentPassword: alice.password, newPassword: "another horse" };
    const fresh = bearer((await hooked.api.post("/api/auth/update-password").set(token).send(body)).body.accessToken);
    await hooked.api
      .post("/api/auth/signup")
      .send({ username: "b", email: "b@example.com", password: "another horse" });
    await hooked.api.delete("/api/users/me").set(fresh);
    expect(order.splice(0)).toEqual([
      "bg:false",
      "ag:true",
      "bu:false",
      "au:true",
      "bp:false",
      "ap:true",
      "bs:false",
      "as:true",
      "bd:false",
      "ad:false",
    ]);
  });

  it("a hook that refuses ends the act, and leaves no cookie behind", async () => {
    const refuse: RequestHandler = async () => {
      throw Object.assign(new Error("no"), { status: 403 });
    };
    const before = await serve({ hooks: { beforeLogin: refuse } });
    const after = await serve({ hooks: { afterLogin: [refuse] } });
    for (const at of [before, after]) {
      const answer = await login("alice", alice.password, at);
      expect([answer.status, answer.headers["set-cookie"], answer.body.accessToken]).toEqual([
        403,
        undefined,
        undefined,
      ]);
    }
  });

  it("an after hook may choose another status", async () => {
    const at = await serve({
      hooks: {
        afterDeleteMe: (_request, response, next) => {
          response.locals.data = { gone: true };
          response.status(202);
          next();
        },
      },
    });
    const answer = await at.api.delete("/api/users/me").set(bearer(await tokenOf()));
    expect([answer.status, answer.body]).toEqual([202, { data: { gone: true } }]);
  });

  it("a hook that answers ends the request; one that calls next twice is logged once", async () => {
    const answering = await serve({
      hooks: { beforeGetMe: (_request, response) => void response.json({ own: true }) },
    });
    const token = await tokenOf();
    expect((await answering.api.get("/api/users/me").set(bearer(token))).body).toEqual({ own: true });
    const twice = await serve({
      hooks: {
        afterGetMe: (_request, _response, next) => {
          next();
          next();
        },
      },
    });
    expect((await twice.api.get("/api/users/me").set(bearer(token))).status).toBe(200);
    expect(twice.logged).toHaveLength(1);
  });

  it("C44 a misspelt hook or schema stops the start with the nearest name", async () => {
    await expect(serve({ hooks: { beforeLogIn: note("x") } as never })).rejects.toThrow("Did you mean beforeLogin?");
    await expect(serve({ schemas: { singup: z.object({}) } as never })).rejects.toThrow("Did you mean signup?");
    await expect(serve({ hooks: { afterLogin: 5 as never } })).rejects.toThrow("expected a function");
  });
});

describe("transformWrite", () => {
  it("C11 hashes a password of the user model on every path, a hash too, and refuses everything else", async () => {
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

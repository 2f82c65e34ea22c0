import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import type { Served } from "./serve-auth.js";
import { alice, bearer, login, mailedToken, settle, startWithAlice, tokenOf, type WithAlice } from "./with-alice.js";

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

describe("C32 emails", () => {
  const forgot = (email: unknown, at = served) => at.api.post("/api/auth/forgot-password").send({ email });
  const reset = (token: unknown, newPassword: unknown = "another horse") =>
    served.api.post("/api/auth/reset-password").send({ token, newPassword });

  it("contain a token that sets a new password once, and revokes older tokens", async () => {
    const older = await tokenOf(served);
    const requested = await forgot(alice.email);
    expect([requested.status, requested.text]).toEqual([204, ""]);
    const token = await mailedToken(served);
    expect(served.mails.map(({ to }) => to)).toEqual([{ address: alice.email }]);
    expect((await reset(token)).status).toBe(204);
    expect((await login(served, "alice", "another horse")).status).toBe(200);
    expect((await served.api.get("/api/signed-in").set(bearer(older))).status).toBe(401);
    const again = await reset(token);
    expect([again.status, again.body.code]).toEqual([400, "InvalidMailToken"]);
  });

  it("get the same response for an unknown address, an inactive user, and a failed email", async () => {
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

  it("allow one of ten concurrent uses of a token", async () => {
    await forgot(alice.email);
    const token = await mailedToken(served);
    const responses = await Promise.all(Array.from({ length: 10 }, (_, i) => reset(token, `new horse ${i}`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(400)]);
  });

  it("contain a token that ends with the password, the address, the user, and after an hour", async () => {
    await forgot(alice.email);
    const token = await mailedToken(served);
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

  it("a token in an email is not an access token, and not valid for another purpose", async () => {
    await forgot(alice.email);
    const token = await mailedToken(served);
    expect((await served.api.get("/api/signed-in").set(bearer(token))).status).toBe(401);
    expect((await served.api.post("/api/auth/verify-email").send({ token })).status).toBe(400);
    expect((await reset(await tokenOf(served))).status).toBe(400);
  });

  it("verify the address of a sign-up; a changed address is no longer verified", async () => {
    const bob = { username: "bob", email: "bobby@example.com", password: "another horse" };
    await served.api.post("/api/auth/signup").send(bob);
    const token = await mailedToken(served);
    expect(served.mails.at(-1)?.to).toEqual({ address: bob.email });
    expect((await reset(token)).status).toBe(400);
    const verify = () => served.api.post("/api/auth/verify-email").send({ token });
    expect((await verify()).status).toBe(204);
    const where = { username: "bob" };
    expect((await opened.client.user.findUniqueOrThrow({ where })).emailVerified).toBe(true);
    expect((await verify()).status).toBe(400);
    const { accessToken } = (await login(served, "bob", bob.password)).body;
    await served.api
      .patch("/api/users/me")
      .set(bearer(accessToken))
      .send({ email: "new@example.com", currentPassword: bob.password });
    expect((await opened.client.user.findUniqueOrThrow({ where })).emailVerified).toBe(false);
    await vi.waitFor(() => expect(served.mails).toHaveLength(3));
    expect(served.mails.slice(1).map(({ to, subject }) => [to.address, subject])).toEqual([
      [bob.email, "Your sign-in names have changed"],
      ["new@example.com", "Verify your email address"],
    ]);
    await served.api.patch("/api/users/me").set(bearer(accessToken)).send({ name: "Bob" });
    await settle();
    expect(served.mails).toHaveLength(3);
  });

  it("contain no text of a user, including their headers", async () => {
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

  it("are limited to five of a kind per hour, user and address, which no response reveals", async () => {
    const at = await serve();
    const carol = { username: "carol", email: "carol@example.com", password: "another horse" };
    await at.api.post("/api/auth/signup").send(carol);
    const token = bearer((await login(at, "carol", carol.password)).body.accessToken);
    const statuses = new Set<number>();
    for (let i = 0; i < 40; i++) {
      const change = { email: `carol${i}@example.com`, currentPassword: carol.password };
      statuses.add((await at.api.patch("/api/users/me").set(token).send(change)).status);
    }
    for (let i = 0; i < 20; i++) statuses.add((await forgot(alice.email, at)).status);
    expect([...statuses]).toEqual([200, 204]);
    await settle();
    const count = (subject: RegExp) => at.mails.filter((mail) => subject.test(mail.subject)).length;
    // One of the verification emails was for the sign-up.
    expect([count(/^Verify/), count(/have changed$/), count(/^Reset/)]).toEqual([5, 5, 5]);
  });

  it("are not denied to a user because of others' requests", async () => {
    const limited = await serve({ trustProxy: true, config: { rateLimit: { windowMs: 60_000, limit: 10 } } });
    const call = (address: string) =>
      limited.api.post("/api/auth/forgot-password").set("x-forwarded-for", address).send({ email: alice.email });
    for (let at = 0; at < 40; at++) await call(`10.0.${at % 4}.1`);
    expect((await call("10.1.1.1")).status).toBe(204);
  });

  it("reject a foreign token before anything is read", async () => {
    await forgot(alice.email);
    const token = await mailedToken(served);
    opened.statements.length = 0;
    for (const wrong of [`${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`, `${token}x`, "a.b.c.d"]) {
      expect((await reset(wrong)).status).toBe(400);
    }
    expect(opened.statements).toEqual([]);
  });

  it("have no routes without a mailer", async () => {
    const plain = await serve({ withMailer: false });
    expect((await forgot(alice.email, plain)).status).toBe(404);
  });
});

describe("C32 a silent sign-up", () => {
  const silent = { signup: { silent: true }, login: { allowedUsernames: ["username", "email"] } };
  const dora = { username: "dora", email: "dora@example.com", password: "another horse" };
  const signup = (at: Served, body: object) => at.api.post("/api/auth/signup").send(body);

  it("responds the same for a new and an existing address, and reports it by email", async () => {
    const at = await serve({ config: silent });
    await opened.client.user.updateMany({ data: { emailVerified: true } });
    const responses = [
      await signup(at, dora),
      await signup(at, { ...dora, username: "eve", email: "ALICE@example.com" }),
    ];
    expect(responses.map(({ status, text, headers }) => [status, text, headers.location])).toEqual(
      Array(2).fill([204, "", undefined]),
    );
    await settle();
    expect(at.mails.map(({ to, subject }) => [to.address, subject])).toEqual([
      [dora.email, "Verify your email address"],
      [alice.email, "You already have an account"],
    ]);
    expect(await opened.client.user.count()).toBe(2);
    const taken = await signup(at, { ...dora, email: "new@example.com" });
    const takenToo = await signup(at, dora);
    expect([taken.status, taken.body.errors?.[0]?.path, takenToo.status]).toEqual([409, "/username", 409]);
  });

  it("allows logins after the address is verified, and reveals no user to others", async () => {
    const at = await serve({ config: silent });
    await signup(at, dora);
    const enter = () => at.api.post("/api/auth/login").send({ email: dora.email, password: dora.password });
    expect((await enter()).status).toBe(401);
    const token = await mailedToken(at);
    expect((await at.api.post("/api/auth/verify-email").send({ token })).status).toBe(204);
    expect((await enter()).status).toBe(200);
  });

  it("counts a password reset by email as verification", async () => {
    const at = await serve({ config: silent });
    await signup(at, dora);
    await settle();
    await at.api.post("/api/auth/forgot-password").send({ email: dora.email });
    const body = { token: await mailedToken(at), newPassword: "third horse" };
    expect((await at.api.post("/api/auth/reset-password").send(body)).status).toBe(204);
    const response = await at.api.post("/api/auth/login").send({ username: "dora", password: body.newPassword });
    expect([response.status, response.body.data?.emailVerified]).toEqual([200, true]);
  });

  it("prevents startup without a mailer", async () => {
    await expect(serve({ withMailer: false, config: silent })).rejects.toThrow(/signup\.silent/);
  });
});

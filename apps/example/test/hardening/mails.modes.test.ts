import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type MailServer, openMailServer, type ReceivedMail } from "../../../../packages/mailer/test/mail-server.js";
import {
  type AccountDatabase,
  type AccountShop,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import type { Problem } from "../api.js";

describe.each(inject("accounts"))("C32 emails, through a real SMTP server, with %s accounts", (accounts) => {
  let server: MailServer;
  let database: AccountDatabase;
  let shop: AccountShop;

  beforeAll(async () => {
    server = await openMailServer({ onAuth: (auth, _session, done) => done(null, { user: auth.username }) });
    database = await createAccountDatabase();
    const auth = { user: "shop@harbour-pine.example", pass: "smtp" };
    const email = { ...server.settings, auth, name: "Harbour & Pine" };
    shop = await startAccounts({ database, accounts, config: { email } });
  });
  afterAll(async () => {
    await shop?.close();
    await server?.close();
    await database?.drop();
  });

  /** The emails to an address, once there are as many. */
  async function mailsTo(address: string, count: number): Promise<readonly ReceivedMail[]> {
    const of = () => server.mails.filter(({ to }) => to.includes(address));
    await expect.poll(of).toHaveLength(count);
    return of();
  }
  /** The token of an email, without soft line breaks. */
  const tokenIn = ({ raw }: { readonly raw: string } = { raw: "" }): string =>
    raw
      .replace(/=\r\n/g, "")
      .replace(/=3D/g, "=")
      .split(/\r?\n/)
      .find((line) => /^[\w.~-]{30,}$/.test(line)) ?? "";
  const post = (path: string, body: object) => shop.call<Problem>("POST", `/api/auth/${path}`, body);
  const me = (token: string) => shop.call("GET", "/api/users/me", undefined, { authorization: `Bearer ${token}` });
  const login = (username: string, password: string) => post("login", { username, password });

  it("a forgotten password is reset once, and older tokens are revoked", async () => {
    const email = "ada@harbour-pine.example";
    const before = await shop.tokenOf("ada");
    expect((await post("forgot-password", { email })).status).toBe(204);
    const [mail] = await mailsTo(email, 1);
    const token = tokenIn(mail);
    expect(token).not.toBe("");
    expect(mail?.raw).toMatch(/^From: .*shop@harbour-pine\.example/m);
    const body = { token, newPassword: "a password from the mail" };
    expect((await post("reset-password", { ...body, newPassword: "short" })).status).toBe(400);
    expect((await post("reset-password", body)).status).toBe(204);
    const again = await post("reset-password", body);
    expect([again.status, again.body.code]).toEqual([400, "InvalidMailToken"]);
    expect((await me(before)).status).toBe(401);
    expect((await login("ada", "harbour and pine")).status).toBe(401);
    expect((await login("ada", body.newPassword)).status).toBe(200);
  });

  it("an unknown, an inactive and a known address get the same response; only the known one gets an email", async () => {
    await database.client.user.update({ where: { username: "will" }, data: { isActive: false } });
    const responses = [];
    for (const name of ["unknown", "will", "ben"]) {
      const response = await post("forgot-password", { email: `${name}@harbour-pine.example` });
      responses.push([response.status, response.text, response.headers.get("cache-control")]);
    }
    expect(responses).toEqual(Array(3).fill([204, "", "no-store"]));
    await mailsTo("ben@harbour-pine.example", 1);
    expect(server.mails.some(({ to }) => to.some((one) => /^(unknown|will)@/.test(one)))).toBe(false);
  });

  it("tokens of one kind are rejected as the other", async () => {
    const [mail] = await mailsTo("ben@harbour-pine.example", 1);
    const token = tokenIn(mail);
    expect((await me(token)).status).toBe(401);
    expect((await post("verify-email", { token })).body.code).toBe("InvalidMailToken");
    const access = await shop.tokenOf("ben");
    const used = await post("reset-password", { token: access, newPassword: "a long password" });
    expect(used.body.code).toBe("InvalidMailToken");
    expect((await login("ben", "harbour and pine")).status).toBe(200);
  });

  it("a new address is verified, and a changed one is no longer verified", async () => {
    const user = { username: "mailed", email: "mailed@example.com", password: "a long password" };
    expect((await post("signup", user)).status).toBe(201);
    const verified = async () =>
      (await database.client.user.findUniqueOrThrow({ where: { username: "mailed" } })).emailVerified;
    expect(await verified()).toBe(false);
    const [mail] = await mailsTo(user.email, 1);
    expect((await post("verify-email", { token: tokenIn(mail) })).status).toBe(204);
    expect(await verified()).toBe(true);
    const authorization = `Bearer ${await shop.tokenOf("mailed", user.password)}`;
    const change = { email: "other@example.com", currentPassword: user.password };
    expect((await shop.call("PATCH", "/api/users/me", change, { authorization })).status).toBe(200);
    expect(await verified()).toBe(false);
    await mailsTo("other@example.com", 1);
    // The old address is notified.
    expect((await mailsTo(user.email, 2))[1]?.raw).toMatch(/^Subject: Your sign-in names have changed/m);
    expect((await post("verify-email", { token: tokenIn(mail) })).body.code).toBe("InvalidMailToken");
  });

  it.each([
    ["a line break and a header", "x@example.com\r\nBcc: victim@example.com"],
    ["two addresses", "x@example.com, victim@example.com"],
    ["a name with quotes", '"victim@example.com" <x@example.com>'],
    ["a template", "{{constructor.constructor('return 1')()}}@example.com"],
  ])("%s as an address sends no email to another address", async (name, email) => {
    const count = server.mails.length;
    const response = await post("signup", {
      username: `evil ${name}`.slice(0, 40),
      email,
      password: "a long password",
    });
    expect([201, 400]).toContain(response.status);
    expect((await post("forgot-password", { email })).status).toBe(204);
    // Mails are sent in their order: a later one has arrived.
    const later = `after-${name.replaceAll(" ", "-")}@example.com`;
    await post("signup", { username: `after ${name}`.slice(0, 40), email: later, password: "a long password" });
    await mailsTo(later, 1);
    const sent = server.mails.slice(count);
    for (const { to, raw } of sent) {
      expect(to.some((one) => one.includes("victim"))).toBe(false);
      expect(raw).not.toMatch(/^Bcc:/im);
    }
  });

  it("the name of a user is in no email", async () => {
    const username = "<%= 7*7 %>{{7*7}}#{7*7}";
    await post("signup", { username, email: "template@example.com", password: "a long password" });
    const [mail] = await mailsTo("template@example.com", 1);
    expect(mail?.raw).not.toMatch(/494949|7\*7/);
  });

  it("C42 no token of an email is logged", async () => {
    for (const mail of server.mails) if (tokenIn(mail) !== "") expect(shop.log()).not.toContain(tokenIn(mail));
  });
});

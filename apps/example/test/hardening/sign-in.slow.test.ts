import type { AuthConfig } from "@servicekit/service";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { oneOf } from "../../../../scripts/test/slow-share.js";
import {
  type AccountDatabase,
  type AccountShop,
  createAccountDatabase,
  password,
  startAccounts,
} from "../accounts/account-shop.js";
import type { Problem, Row } from "../api.js";

const modes = ["static", "dynamic"] as const;
const from = (address: string) => ({ "x-forwarded-for": address });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe.each(oneOf(modes))("attacks on sign-in, accounts %s", (accounts) => {
  let database: AccountDatabase;
  /** With the limits of the other tests: none. */
  let unlimited: AccountShop;
  const opened: AccountShop[] = [];
  beforeAll(async () => {
    database = await createAccountDatabase();
    unlimited = await startAccounts({ database, accounts, config: { trustProxy: 1 } });
  });
  afterEach(async () => {
    for (const shop of opened.splice(0)) await shop.close();
  });
  afterAll(async () => {
    await unlimited?.close();
    await database?.drop();
  });

  async function open(authentication: Partial<AuthConfig>): Promise<AccountShop> {
    const shop = await startAccounts({ database, accounts, authentication, config: { trustProxy: 1 } });
    opened.push(shop);
    return shop;
  }
  /** With the limit of ten, and windows for clients that end immediately, so that longer counts show. */
  const limited = () => open({ rateLimit: { windowMs: 1, limit: 10 } });
  const login = (at: AccountShop, username: string, given: string, headers: Record<string, string> = {}) =>
    at.call<Problem & { accessToken: string }>("POST", "/api/auth/login", { username, password: given }, headers);

  async function statusesOf(count: number, act: (at: number) => Promise<{ status: number }>): Promise<number[]> {
    const statuses: number[] = [];
    for (let at = 0; at < count; at++) statuses.push((await act(at)).status);
    return statuses;
  }

  describe("C60 no user can be locked out by others", () => {
    it("after ten and more wrong passwords for a name, its owner signs in 16 of 16 times from elsewhere", async () => {
      const here = await open({ rateLimit: { windowMs: 60_000, limit: 10 } });
      const attack = await statusesOf(20, () => login(here, "ada", "wrong password", from("10.0.0.1")));
      expect(attack).toEqual([...Array(10).fill(401), ...Array(10).fill(429)]);
      const owner = await statusesOf(16, (at) => login(here, "ada", password, from(`10.0.1.${at + 1}`)));
      expect(owner).toEqual(Array(16).fill(200));
    });

    it("an IPv6 network counts as one, however many of its addresses are used; the next network is another", async () => {
      const here = await limited();
      const attack = await statusesOf(12, (at) => login(here, "ada", "wrong", from(`2001:db8:1:1::${at + 1}`)));
      expect(attack).toEqual([...Array(10).fill(401), 429, 429]);
      expect((await login(here, "ada", password, from("2001:db8:1:2::1"))).status).toBe(200);
    });

    it("failures from many networks delay the name, and reject no attempt", async () => {
      const here = await limited();
      const attack = await statusesOf(105, (at) => login(here, "ada", "wrong", from(`10.2.${at % 15}.1`)));
      expect(attack).toEqual(Array(105).fill(401));
      expect((await login(here, "ada", password, from("10.3.0.1"))).status).toBe(200);
      expect((await login(here, "ben", password, from("10.2.0.1"))).status).toBe(200);
    });

    it("successes do not count: thirty logins of one name from one address pass", async () => {
      const here = await limited();
      expect(await statusesOf(30, () => login(here, "ada", password, from("10.4.0.1")))).toEqual(Array(30).fill(200));
    });

    it("a user who has signed in from this device before is admitted despite an attacker in the same network", async () => {
      const here = await limited();
      const first = await login(here, "ada", password, from("10.5.0.1"));
      const cookies = first.headers.getSetCookie();
      const marked = cookies.find((cookie) => cookie.startsWith("known_device=")) ?? "";
      expect(marked).toMatch(/; HttpOnly/);
      const [pair = ""] = marked.split(";");
      const device = { ...from("10.5.0.1"), cookie: pair };
      await statusesOf(12, () => login(here, "ada", "wrong", from("10.5.0.1")));
      expect((await login(here, "ada", password, from("10.5.0.1"))).status).toBe(429);
      expect((await login(here, "ada", password, device)).status).toBe(200);
      // It belongs to one user, is no credential, and cannot be changed.
      await statusesOf(12, () => login(here, "ben", "wrong", from("10.5.0.1")));
      expect((await login(here, "ben", password, device)).status).toBe(429);
      const forged = { ...device, cookie: `${pair.slice(0, -1)}${pair.endsWith("A") ? "B" : "A"}` };
      expect((await login(here, "ada", password, forged)).status).toBe(429);
      const value = pair.slice("known_device=".length);
      expect((await here.call("GET", "/api/users/me", undefined, bearer(value))).status).toBe(401);
      const asToken = { cookie: `access_token=${value}` };
      expect((await here.call("GET", "/api/users/me", undefined, asToken)).status).toBe(401);
      expect((await here.call("GET", "/api/users/me", undefined, { cookie: pair })).status).toBe(401);
      // Its own failures count.
      expect((await statusesOf(12, () => login(here, "ada", "wrong", device))).slice(9)).toEqual([401, 429, 429]);
    });

    it("a device is unknown after a password change", async () => {
      const here = await limited();
      const username = `device-${accounts}`;
      const own = "a long password";
      await here.call("POST", "/api/auth/signup", { username, email: `${username}@example.com`, password: own });
      const { headers, body } = await login(here, username, own, from("10.6.0.1"));
      const cookie =
        headers
          .getSetCookie()
          .find((one) => one.startsWith("known_device="))
          ?.split(";")[0] ?? "";
      const change = { currentPassword: own, newPassword: "another long password" };
      const changed = await here.call("POST", "/api/auth/update-password", change, bearer(body.accessToken));
      expect(changed.status).toBe(200);
      await statusesOf(12, () => login(here, username, "wrong", from("10.6.0.1")));
      const old = { ...from("10.6.0.1"), cookie };
      expect((await login(here, username, change.newPassword, old)).status).toBe(429);
    });
  });

  it("C59 seven addresses with ten concurrent logins each: others are admitted", async () => {
    const here = await open({ password: { cost: 10 } });
    const flood = Array.from({ length: 70 }, (_, at) =>
      login(here, `nobody${at}`, "wrong password", from(`10.7.${at % 7}.1`)),
    );
    const others = ["ada", "ben", "will"].map((name, at) => login(here, name, password, from(`10.8.0.${at + 1}`)));
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
    const responses = await Promise.all(flood);
    const rejected = responses.filter(({ status }) => status === 503);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401, 503]));
    expect(rejected.length).toBeGreaterThan(20);
    expect(rejected.every(({ body, headers }) => body.code === "TooManyPasswords" && headers.has("retry-after"))).toBe(
      true,
    );
  });

  describe("C28 a token alone is not enough to take over an account", () => {
    it.each([
      ["email", { email: "taken-over@example.com" }],
      ["username", { username: "taken-over" }],
      ["both", { username: "taken-over", email: "taken-over@example.com" }],
    ])("%s: 400 without the password, 401 with a wrong one, and nothing is changed", async (_, change) => {
      const here = unlimited;
      const before = (await here.as("ben", "GET", "/api/users/me")).body.data;
      const without = await here.as<Problem>("ben", "PATCH", "/api/users/me", change);
      expect([without.status, without.body.errors?.[0]?.path]).toEqual([400, "/currentPassword"]);
      const wrong = { ...change, currentPassword: "wrong password" };
      const rejected = await here.as<Problem>("ben", "PATCH", "/api/users/me", wrong);
      expect([rejected.status, rejected.body.errors?.[0]?.path]).toEqual([401, "/currentPassword"]);
      const after = (await here.as("ben", "GET", "/api/users/me")).body.data;
      expect([after.username, after.email]).toEqual([before.username, before.email]);
    });

    it("attempts with the password count as those of a login", async () => {
      const here = await limited();
      const token = bearer((await login(here, "ben", password)).body.accessToken);
      const guess = { email: "taken-over@example.com", currentPassword: "wrong password" };
      const statuses = await statusesOf(12, () => here.call("PATCH", "/api/users/me", guess, token));
      expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    });
  });

  describe("C27 rejected sign-ups", () => {
    it.each(["password", "12345678", "Password1", "QWERTYUIOP", "iloveyou"])(
      "the password %s is 400, in a sign-up and from an administrator",
      async (common) => {
        const here = unlimited;
        const user = { username: "common", email: "common@example.com", password: common };
        for (const response of [
          await here.call<Problem>("POST", "/api/auth/signup", user),
          await here.as<Problem>("root", "POST", "/api/users", user),
        ]) {
          expect([response.status, response.body.errors?.[0]?.path]).toEqual([400, "/password"]);
        }
      },
    );

    it.each<[string, string, object]>([
      ["an invalid email", "/email", { email: "not an email" }],
      ["an email without a host", "/email", { email: "ada@" }],
      ["a name with a zero-width character", "/username", { username: "ad\u200ba" }],
      ["a name with a direction mark", "/username", { username: "ada\u202e" }],
      ["a name of blanks only", "/username", { username: "    " }],
    ])("%s is 400", async (_, place, wrong) => {
      const here = unlimited;
      const user = { username: "formed", email: "formed@example.com", password: "a long password", ...wrong };
      const response = await here.call<Problem>("POST", "/api/auth/signup", user);
      expect([response.status, response.body.errors?.[0]?.path]).toEqual([400, place]);
    });

    it.each([
      ["case", "/username", { username: "ADA" }],
      ["width", "/username", { username: "ａｄａ" }],
      ["blanks", "/username", { username: " ada " }],
      ["case of the address", "/email", { email: "Ada@Harbour-Pine.example" }],
    ])("a name that differs only in %s is 409", async (_, place, same) => {
      const here = unlimited;
      const user = { username: "other-ada", email: "other-ada@example.com", password: "a long password", ...same };
      const response = await here.call<Problem>("POST", "/api/auth/signup", user);
      expect([response.status, response.body.errors?.[0]?.path]).toEqual([409, place]);
    });

    it("of ten concurrent sign-ups whose names differ only in case one succeeds", async () => {
      const here = unlimited;
      const spellings = Array.from({ length: 10 }, (_, at) =>
        [..."racing"].map((letter, place) => ((at >> (place % 4)) & 1 ? letter.toUpperCase() : letter)).join(""),
      );
      const responses = await Promise.all(
        spellings.map((username, at) =>
          here.call(
            "POST",
            "/api/auth/signup",
            { username: `${username}${accounts}`, email: `racing${at}@example.com`, password: "a long password" },
            from(`10.9.${at}.1`),
          ),
        ),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    });

    it("two earlier names that differ only in case both sign in, each as itself", async () => {
      const here = unlimited;
      const { password: hash } = await database.client.user.findUniqueOrThrow({ where: { username: "ada" } });
      for (const username of [`Legacy${accounts}`, `legacy${accounts}`]) {
        await database.client.user.create({ data: { username, email: `${username}@example.com`, password: hash } });
        const response = await here.call<{ data: Row }>("POST", "/api/auth/login", { username, password });
        expect([response.status, response.body.data?.username]).toEqual([200, username]);
      }
    });
  });

  it("C59 16 KB is the maximum body below /auth, and 413 is returned before anything is read from the database", async () => {
    const here = unlimited;
    const tooLong = { username: "ada", password: "x".repeat(16 * 1024) };
    for (const path of ["login", "signup"]) {
      expect([path, (await here.call("POST", `/api/auth/${path}`, tooLong)).status]).toEqual([path, 413]);
    }
    expect((await login(here, "ada", password)).status).toBe(200);
  });

  it("more passwords in one bulk than the maximum are 413, and the maximum is no 503", async () => {
    const here = await open({ password: { cost: 4, maxPerRequest: 70 } });
    const users = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        username: `bulk${at}`,
        email: `bulk${at}@example.com`,
        password: "a long password",
      }));
    expect((await here.as("root", "POST", "/api/users/many", users(71))).status).toBe(413);
    expect((await here.as("root", "POST", "/api/users/many", users(70))).status).toBe(201);
    await database.client.user.deleteMany({ where: { username: { startsWith: "bulk" } } });
  });
});

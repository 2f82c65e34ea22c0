import type { Request, Response } from "express";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { UserRecord } from "../users/user-store.js";
import { makeKnownDevices } from "./known-devices.js";
import { type MailPurpose, makeMailTokens } from "./mail-token.js";
import { makeRevokedTokens, makeSharedRevokedTokens } from "./revoked-tokens.js";

const user = { id: 7, email: "ada@example.com", emailVerified: false, passwordHash: "hash" } as unknown as UserRecord;
const hour = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("C32 a token in an email", () => {
  const tokens = makeMailTokens(["new secret", "old secret"]);

  it.each<readonly [MailPurpose, number]>([
    ["reset-password", hour],
    ["verify-email", 24 * hour],
  ])("C32 to %s names its user and is valid for its time", (purpose, lifetime) => {
    const token = tokens.make(purpose, user);
    vi.setSystemTime(Date.now() + lifetime - 1);
    expect([tokens.userOf(token), tokens.fits(token, purpose, user)]).toEqual(["7", true]);
    vi.setSystemTime(Date.now() + 1);
    expect([tokens.userOf(token), tokens.fits(token, purpose, user)]).toEqual([undefined, false]);
  });

  it("C32 is valid for its purpose, its user and the state of the user alone", () => {
    const reset = tokens.make("reset-password", user);
    const verify = tokens.make("verify-email", user);
    expect([tokens.fits(reset, "verify-email", user), tokens.fits(verify, "reset-password", user)]).toEqual([
      false,
      false,
    ]);
    expect(tokens.fits(reset, "reset-password", { ...user, id: 8 })).toBe(false);
    expect(tokens.fits(reset, "reset-password", { ...user, passwordHash: "other" })).toBe(false);
    expect(tokens.fits(reset, "reset-password", { ...user, email: "eve@example.com" })).toBe(false);
    expect(tokens.fits(verify, "verify-email", { ...user, emailVerified: true })).toBe(false);
    expect(tokens.fits(verify, "verify-email", { ...user, passwordHash: "other" })).toBe(true);
  });

  it("C32 of an older secret stays valid until the secret is removed", () => {
    const old = makeMailTokens(["old secret"]).make("verify-email", user);
    expect([tokens.userOf(old), tokens.fits(old, "verify-email", user)]).toEqual(["7", true]);
    const others = makeMailTokens(["new secret"]);
    expect([others.userOf(old), others.fits(old, "verify-email", user)]).toEqual([undefined, false]);
  });

  it("C32 that was changed has no user", () => {
    const [id, expires, mac, seal] = tokens.make("verify-email", user).split(".");
    const forged = [Buffer.from("8").toString("base64url"), expires, mac, seal].join(".");
    for (const token of [
      forged,
      [id, Number(expires) + 1, mac, seal].join("."),
      `${id}.${expires}.${mac}`,
      "",
      "a.b.c.d",
    ])
      expect(tokens.userOf(token), token).toBeUndefined();
  });

  it("C32 needs a secret", () => {
    expect(() => makeMailTokens([]).make("verify-email", user)).toThrow(TypeError);
  });
});

describe("C60 a known device", () => {
  const jwt = (...secrets: string[]) =>
    ({ secrets, cookie: { secure: true, httpOnly: false, sameSite: "lax" } }) as unknown as Parameters<
      typeof makeKnownDevices
    >[0];
  /** Marks a device; returns the request that brings its cookie back, and the options of the cookie. */
  function mark(devices = makeKnownDevices(jwt("secret"))) {
    let request = {} as Request;
    let options: object | undefined;
    devices.remember(user, {
      cookie: (name: string, value: string, given: object) => {
        options = given;
        request = { headers: { cookie: `${name}=${value}` } } as Request;
      },
    } as unknown as Response);
    return { request, options };
  }
  const devices = makeKnownDevices(jwt("secret"));

  it("C60 belongs to the user with a session on it, with the same password", () => {
    const { request, options } = mark();
    const device = devices.of(request);
    expect([
      device?.isOf(user),
      device?.isOf({ ...user, id: 8 }),
      device?.isOf({ ...user, passwordHash: "x" }),
    ]).toEqual([...[true, false, false]]);
    expect(options).toMatchObject({ httpOnly: true, secure: true, maxAge: 365 * 24 * hour });
    expect(device?.id).not.toBe(devices.of(mark().request)?.id);
  });

  it("C60 is known for a year", () => {
    const { request } = mark();
    vi.setSystemTime(Date.now() + 365 * 24 * hour - 1000);
    expect(devices.of(request)).toBeDefined();
    vi.setSystemTime(Date.now() + 1000);
    expect(devices.of(request)).toBeUndefined();
  });

  it("C60 is unknown without its cookie, with a changed one, and when its secret was removed", () => {
    const { request } = mark();
    const changed = String(request.headers.cookie).replace(/=(.)/, (_, first) => `=${first === "A" ? "B" : "A"}`);
    for (const cookie of [undefined, "known_device=x", changed])
      expect(devices.of({ headers: { cookie } } as Request), cookie).toBeUndefined();
    expect(makeKnownDevices(jwt("other")).of(request)).toBeUndefined();
    expect(makeKnownDevices(jwt("other", "secret")).of(request)?.isOf(user)).toBe(true);
    expect(() => mark(makeKnownDevices(jwt()))).toThrow(TypeError);
  });
});

describe("C28 revoked tokens", () => {
  it("C28 are remembered, and forgotten after they have expired when many are added", () => {
    const revoked = makeRevokedTokens();
    const now = Date.now() / 1000;
    void revoked.add("expired", now);
    void revoked.add("valid", now + 1);
    expect([revoked.has("expired"), revoked.has("valid"), revoked.has("other")]).toEqual([true, true, false]);
    for (let index = 0; index < 998; index++) void revoked.add(`more ${index}`, now + 1);
    expect([revoked.has("expired"), revoked.has("valid")]).toEqual([false, true]);
  });

  it("C28 in a shared store are stored until they expire, and not after that", async () => {
    const sets: unknown[] = [];
    const values = new Map<string, string>();
    const revoked = makeSharedRevokedTokens({
      get: async (key) => values.get(key) ?? null,
      set: async (key, value, seconds) => {
        sets.push([key, seconds]);
        values.set(key, value);
      },
    });
    await revoked.add("a", Date.now() / 1000 + 1.2);
    await revoked.add("b", Date.now() / 1000);
    expect(sets).toEqual([["servicekit:revoked:a", 2]]);
    expect([await revoked.has("a"), await revoked.has("b")]).toEqual([true, false]);
  });

  it("C28 are 503 while the shared store is unavailable", async () => {
    const away = () => Promise.reject(new Error("away"));
    const revoked = makeSharedRevokedTokens({ get: away, set: away });
    for (const act of [revoked.has("a"), revoked.add("a", Date.now())])
      await expect(act).rejects.toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
  });
});

import { describe, expect, it } from "vitest";
import {
  newPasswordSchema,
  passwordIssue,
  passwordSchema,
  readNewPassword,
} from "../credentials/password/check-password.js";
import { plainTextSchema } from "../endpoints/plain-text.js";
import { foldName, makeLoginNames } from "./login-names.js";
import type { UserRecord } from "./user-store.js";

const names = (normalizeNames = true, allowedUsernames: readonly string[] = ["username", "profile.nick"]) =>
  makeLoginNames({ allowedUsernames, normalizeNames, sendAccessTokenThrough: "both" });

describe("C26 the names of users", () => {
  it.each([
    ["Ada", "ada"],
    ["  Ada   Lovelace ", "ada lovelace"],
    ["\uff21da", "ada"],
    ["ad\u200ba", "ada"],
    ["stra\u00dfe", "stra\u00dfe"],
  ])("C26 %j is stored as %j", (given, stored) => {
    expect(foldName(given)).toBe(stored);
  });

  it("C26 are the login fields and the email address", () => {
    expect([...names().fields]).toEqual(["username", "profile", "email"]);
    expect(names().toKept({ username: "ADA", email: "ADA@Example.com", city: "ROME", profile: { nick: "X" } })).toEqual(
      {
        ...{ username: "ada", email: "ada@example.com", city: "ROME", profile: { nick: "X" } },
      },
    );
    expect(names(false).toKept({ username: "ADA" })).toEqual({ username: "ADA" });
  });

  it.each([
    ["username", "a\u200bb", "invisible"],
    ["username", "   ", "visible"],
    ["email", "nonsense", "email"],
    ["email", `${"x".repeat(251)}@a.b`, "email"],
  ])("C26 %s may not be %j", (field, value, words) => {
    expect(names().issueOf(field, value)).toContain(words);
    expect(() => names().toKept({ [field]: value })).toThrow(
      expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: `/${field}` })] }),
    );
  });

  it("C26 have at most as many characters as a login accepts, also in their stored form", () => {
    for (const of of [names(), names(false)]) {
      expect(of.issueOf("username", "x".repeat(1000))).toBeUndefined();
      expect(of.issueOf("username", "x".repeat(1001))).toBe("Expected at most 1000 characters.");
    }
    expect(names().issueOf("username", "\ufdfa".repeat(56))).toBe("Expected at most 1000 characters.");
    expect(plainTextSchema.safeParse("x".repeat(1000)).success).toBe(true);
  });

  it("C26 reports all errors together", () => {
    const attempt = () => names().toKept({ username: " ", email: "x" });
    expect(attempt).toThrow(expect.objectContaining({ errors: [expect.anything(), expect.anything()] }));
  });

  it("C26 that are not normalized may contain anything but nothing", () => {
    expect([names(false).issueOf("username", "a\u200bb"), names(false).issueOf("username", " ")]).toEqual([
      undefined,
      undefined,
    ]);
    expect(names(false).issueOf("username", "")).toBeDefined();
  });

  it("C26 are found as given first, then in their stored form", async () => {
    const users: Record<string, UserRecord> = { ADA: { id: 1 }, ada: { id: 2 } } as never;
    const requested: string[] = [];
    const find = (name: string) =>
      names().find(name, async (given) => {
        requested.push(given);
        return users[given];
      });
    expect([(await find("ADA"))?.id, (await find("Ada"))?.id, (await find("ada"))?.id, await find("eve")]).toEqual([
      ...[1, 2, 2, undefined],
    ]);
    expect(requested).toEqual(["ADA", "ada", "Ada", "ada", "ada", "eve"]);
  });
});

describe("C27 passwords", () => {
  it.each([
    ["correct horse", true],
    ["x7-kQ!92", true],
    ["x7-kQ!9", false],
    ["\u{1f600}".repeat(8), true],
    ["\u{1f600}".repeat(7), false],
    ["x".repeat(72), true],
    ["x".repeat(73), false],
    ["\u00e9".repeat(37), false],
    ["correct\0horse", false],
  ])("C27 %j is acceptable: %s", async (password, isGood) => {
    expect(passwordIssue(password) === undefined).toBe(isGood);
    expect((await newPasswordSchema.safeParseAsync(password)).success).toBe(isGood);
  });

  it("C27 that are very common, or no text, are rejected with the field", async () => {
    expect(await readNewPassword("correct horse", "password")).toBe("correct horse");
    for (const value of ["password", 12_345_678, undefined, "short"])
      await expect(readNewPassword(value, "next")).rejects.toMatchObject({
        status: 400,
        errors: [{ in: "body", path: "/next", code: "InvalidPassword" }],
      });
    expect((await newPasswordSchema.safeParseAsync("password")).success).toBe(false);
  });

  it("C27 that are compared may be older than the rules", () => {
    const accepts = (password: string): boolean => passwordSchema.safeParse(password).success;
    expect([accepts("x"), accepts("password"), accepts(""), accepts("x".repeat(73)), accepts("a\0")]).toEqual([
      ...[true, true, false, false, false],
    ]);
  });
});

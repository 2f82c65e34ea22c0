import { describe, expect, it } from "vitest";
import { authIssues } from "./auth-issues.js";

const issuesOf = (authentication: unknown): readonly string[] =>
  authIssues({ authentication } as never, { NODE_ENV: "production" }).map(({ where }) => where);
const missing = ["authentication.jwt.secret (JWT_SECRET)"];

describe("C24 the secret of access tokens", () => {
  const issuers = [{ issuer: "https://id.example", audience: "shop", user: () => undefined }];

  it("is required unless other issuers or a function identify all callers, or authentication is off", () => {
    expect(issuesOf({ mode: "static" })).toEqual(missing);
    expect(issuesOf({ mode: "static", issuers })).toEqual(missing);
    expect(issuesOf({ mode: "static", accounts: false, issuers })).toEqual([]);
    expect(issuesOf({ mode: "static", accounts: false, identify: () => undefined })).toEqual([]);
    expect(issuesOf({ mode: "static", enabled: false })).toEqual([]);
  });

  it("is required if what replaces it is invalid", () => {
    expect(issuesOf({ mode: "static", accounts: "none", issuers })).toEqual(missing);
    expect(issuesOf({ mode: "static", accounts: false })).toEqual(["authentication.accounts"]);
    expect(issuesOf({ mode: "static", accounts: false, issuers: [{}], identify: 1 })).toEqual([
      "authentication.accounts",
    ]);
  });

  it("must not be a placeholder, if it is used", () => {
    const placeholder = "change-this-secret-in-production";
    expect(issuesOf({ mode: "static", jwt: { secret: placeholder } })).toEqual(missing);
    expect(issuesOf({ mode: "static", jwt: { secret: ["kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e", placeholder] } })).toEqual(
      missing,
    );
    expect(issuesOf({ mode: "static", jwt: { secret: placeholder }, enabled: false })).toEqual([]);
    const external = { mode: "static", jwt: { secret: placeholder }, accounts: false, issuers };
    expect(issuesOf(external)).toEqual([]);
  });

  it("is left to the schema if it, or the block, has another type", () => {
    for (const block of [
      "on",
      null,
      { mode: "static", jwt: "x" },
      { mode: "static", jwt: { secret: 1 } },
      { enabled: 1 },
    ])
      expect(issuesOf(block)).toEqual([]);
  });
});

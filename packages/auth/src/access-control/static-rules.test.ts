import type { Caller, DeclaredRoute } from "@servicekit/router";
import { describe, expect, it } from "vitest";
import { makeStaticRules } from "./static-rules.js";

const rules = makeStaticRules(["READER", "EDITOR"]);
const may = (rule: readonly string[] | { roles: readonly string[] } | undefined, ...roles: string[]): boolean => {
  const caller: Caller = { id: 1, roles, isSuperUser: false, user: {} };
  const access = { resource: "page", action: "Edit", ...(rule === undefined ? {} : { rule }) };
  return rules.rule(access)({ caller, permissions: [{ resource: "page", action: "Edit" }] });
};

describe("C29 static rules", () => {
  it.each([
    ["a role of the list", ["READER", "EDITOR"], ["EDITOR"], true],
    ["one of several roles", ["EDITOR"], ["READER", "EDITOR"], true],
    ["another role", ["EDITOR"], ["READER"], false],
    ["another letter case", ["EDITOR"], ["editor"], false],
    ["no role", ["EDITOR"], [], false],
    ["the object form", { roles: ["EDITOR"] }, ["EDITOR"], true],
    ["every role", ["*"], ["READER"], true],
    ["every role, for a user without one", ["*"], [], true],
    ["a role called *", ["EDITOR"], ["*"], false],
    ["an empty list", [], ["EDITOR"], false],
    ["no rule, whatever is stored", undefined, ["EDITOR"], false],
  ])("%s", (_, rule, roles, expected) => {
    expect(may(rule, ...roles)).toBe(expected);
  });

  it("C57 callers with the same roles have the same access, and no others", () => {
    const of = (roles: readonly string[], isSuperUser = false) =>
      rules.rightsOf({ id: Math.random(), roles, isSuperUser, user: {} });
    expect(of(["EDITOR"])).toBe(of(["EDITOR"]));
    const kinds = [
      of([]),
      of(["EDITOR"]),
      of(["READER"]),
      of(["READER", "EDITOR"]),
      of(['READER","EDITOR']),
      of([], true),
    ];
    expect(new Set(kinds).size).toBe(kinds.length);
    // The cache is small, however many kinds of callers there are.
    const first = of(["first"]);
    for (let at = 0; at < 1_000; at++) of([`role ${at}`]);
    expect(of(["first"])).not.toBe(first);
  });

  const route = { method: "GET", path: "/pages", origin: { place: "pages.ts:3" } } as DeclaredRoute;
  const issuesOf = (rule: readonly string[], known = rules) =>
    known.check({ resource: "page", action: "Edit", rule }, route);

  it("C44 a role that is not in the enum prevents startup with the nearest one", () => {
    expect(issuesOf(["EDITOR", "*"])).toEqual([]);
    expect(issuesOf(["EDITR", "x"])).toEqual([
      {
        where: "GET /pages (pages.ts:3): authentication.rule",
        message: "Unknown role EDITR. Did you mean EDITOR?",
      },
      {
        where: "GET /pages (pages.ts:3): authentication.rule",
        message: "Unknown role x; expected one of READER, EDITOR.",
      },
    ]);
    expect(issuesOf(["anything"], makeStaticRules(undefined))).toEqual([]);
  });

  it("C44 an unknown role in the configuration of a model is reported there", () => {
    const generated = { ...route, origin: { place: "the model Page", model: "Page" } };
    expect(rules.check({ resource: "page", action: "Edit", rule: ["EDITR"] }, generated)).toEqual([
      { where: "models.Page.auth", message: "Unknown role EDITR. Did you mean EDITOR?" },
    ]);
  });

  it("a role prevents startup if users have none", () => {
    const none = makeStaticRules([]);
    expect(issuesOf(["*"], none)).toEqual([]);
    expect(issuesOf(["EDITOR"], none)).toEqual([
      {
        where: "GET /pages (pages.ts:3): authentication.rule",
        message: expect.stringContaining(
          "The model User has neither role nor roles, so no user has the role EDITOR. Add one of these fields.",
        ),
      },
    ]);
  });
});

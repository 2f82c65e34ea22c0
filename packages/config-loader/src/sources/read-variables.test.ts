import { describe, expect, it } from "vitest";
import { readVariables, type VariableTable } from "./read-variables.js";

const table: VariableTable = {
  PORT: { key: "port", type: "port" },
  HOST: { key: "host", type: "text" },
  WORKERS: { key: "workers", type: "integer" },
  JWT_SECRET: { key: "authentication.jwt.secret", type: "text", within: "authentication" },
  JWT_COOKIE_SECURE: { key: "authentication.jwt.cookie.secure", type: "boolean", within: "authentication" },
  SAME_SITE: { key: "cookie.sameSite", type: "enum", values: ["lax", "strict", "none"] },
  EMAIL_PASSWORD: { key: "email.auth.pass", type: "integer" },
};

const read = (...given: Parameters<typeof readVariables>) => {
  const { value, issues } = readVariables(...given);
  return { value, issues };
};

describe("readVariables", () => {
  it.each<[Record<string, string | undefined>, object]>([
    [{ PORT: "8000" }, { port: 8000 }],
    [{ PORT: " 0 " }, { port: 0 }],
    [{ PORT: "65535" }, { port: 65_535 }],
    [{ PORT: "", HOST: " ", OTHER: "x" }, {}],
    [{ PORT: undefined }, {}],
    [{ HOST: " a b " }, { host: " a b " }],
    [{ WORKERS: "-3" }, { workers: -3 }],
    [{ WORKERS: "+3" }, { workers: 3 }],
    [{ SAME_SITE: "Lax" }, { cookie: { sameSite: "lax" } }],
  ])("C38 reads %o", (environment, value) => {
    expect(read(environment, table)).toEqual({ value, issues: [] });
  });

  it.each<[string, boolean]>([
    ["true", true],
    ["TRUE", true],
    ["1", true],
    ["false", false],
    ["0", false],
  ])("reads %s as a boolean", (text, value) => {
    const { value: read } = readVariables({ JWT_COOKIE_SECURE: text }, table, { authentication: {} });
    expect(read).toEqual({ authentication: { jwt: { cookie: { secure: value } } } });
  });

  it.each<[Record<string, string>, string]>([
    [{ PORT: "80a" }, 'found "80a" (text), expected a port from 0 to 65535.'],
    [{ PORT: "65536" }, "expected a port"],
    [{ PORT: "-1" }, "expected a port"],
    [{ PORT: "1e3" }, "expected a port"],
    [{ PORT: "0x50" }, "expected a port"],
    [{ WORKERS: "1.5" }, "expected an integer"],
    [{ WORKERS: "9007199254740993" }, "expected an integer"],
    [{ SAME_SITE: "strikt" }, 'expected "lax", "strict" or "none". Did you mean "strict"?'],
    [{ EMAIL_PASSWORD: "hunter2" }, "found *** (text), expected an integer."],
  ])("reports why %o cannot be read", (environment, sentence) => {
    const { value, issues } = readVariables(environment, table);
    expect(value).toEqual({});
    expect(issues).toHaveLength(1);
    expect(issues[0]?.where).toBe(Object.keys(environment)[0]);
    expect(issues[0]?.message).toContain(sentence);
  });

  it("reports all unreadable variables together", () => {
    expect(read({ PORT: "x", WORKERS: "y", HOST: "h" }, table)).toMatchObject({
      value: { host: "h" },
      issues: [{ where: "PORT" }, { where: "WORKERS" }],
    });
  });

  it("ignores a variable whose block is not configured", () => {
    const environment = { JWT_SECRET: "s", JWT_COOKIE_SECURE: "neither" };
    expect(read(environment, table)).toEqual({ value: {}, issues: [] });
    expect(read(environment, table, { authentication: undefined })).toEqual({ value: {}, issues: [] });
    expect(read(environment, table, { authentication: {} })).toMatchObject({
      value: { authentication: { jwt: { secret: "s" } } },
      issues: [{ where: "JWT_COOKIE_SECURE" }],
    });
  });

  it("reads a variable of a block that another variable opens", () => {
    const more: VariableTable = { ...table, MODE: { key: "authentication.mode", type: "text" } };
    expect(read({ JWT_SECRET: "s", MODE: "static" }, more)).toEqual({
      value: { authentication: { jwt: { secret: "s" }, mode: "static" } },
      issues: [],
    });
  });

  it("reports two variables of which one sets a part of the other", () => {
    const more: VariableTable = {
      LIMIT: { key: "limit", type: "boolean" },
      MAX: { key: "limit.max", type: "integer" },
    };
    expect(read({ LIMIT: "false", MAX: "5" }, more)).toEqual({
      value: { limit: false },
      issues: [{ where: "MAX", message: "conflicts with LIMIT, which sets all of limit. Remove one of them." }],
    });
  });

  it("reads lists separated by commas, and the first kind that accepts the text", () => {
    const either: VariableTable = {
      LIST: { key: "list", type: "list", of: { type: "integer" } },
      EITHER: {
        key: "either",
        type: "any",
        of: [{ type: "number" }, { type: "boolean" }],
        expected: "a number or a switch",
      },
    };
    expect(read({ LIST: "1, 2,3", EITHER: "1.5" }, either)).toEqual({
      value: { list: [1, 2, 3], either: 1.5 },
      issues: [],
    });
    expect(read({ EITHER: "false" }, either).value).toEqual({ either: false });
    expect(read({ LIST: "1,x", EITHER: "x" }, either).issues.map(({ expected }) => expected)).toEqual([
      "a list with commas: each an integer",
      "a number or a switch",
    ]);
  });

  it("does not read inherited properties", () => {
    const inherited: VariableTable = Object.fromEntries([["toString", { key: "a", type: "text" as const }]]);
    expect(read({}, inherited)).toEqual({ value: {}, issues: [] });
  });
});

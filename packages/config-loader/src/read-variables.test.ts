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
    expect(readVariables(environment, table)).toEqual({ value, faults: [] });
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
    [{ WORKERS: "1.5" }, "expected a whole number"],
    [{ WORKERS: "9007199254740993" }, "expected a whole number"],
    [{ SAME_SITE: "strikt" }, 'expected "lax", "strict" or "none". Did you mean "strict"?'],
    [{ EMAIL_PASSWORD: "hunter2" }, "found *** (text), expected a whole number."],
  ])("tells why %o cannot be read", (environment, sentence) => {
    const { value, faults } = readVariables(environment, table);
    expect(value).toEqual({});
    expect(faults).toHaveLength(1);
    expect(faults[0]?.where).toBe(Object.keys(environment)[0]);
    expect(faults[0]?.message).toContain(sentence);
  });

  it("tells all that cannot be read at once", () => {
    expect(readVariables({ PORT: "x", WORKERS: "y", HOST: "h" }, table)).toMatchObject({
      value: { host: "h" },
      faults: [{ where: "PORT" }, { where: "WORKERS" }],
    });
  });

  it("leaves a variable alone whose block nobody configured", () => {
    const environment = { JWT_SECRET: "s", JWT_COOKIE_SECURE: "neither" };
    expect(readVariables(environment, table)).toEqual({ value: {}, faults: [] });
    expect(readVariables(environment, table, { authentication: undefined })).toEqual({ value: {}, faults: [] });
    expect(readVariables(environment, table, { authentication: {} })).toMatchObject({
      value: { authentication: { jwt: { secret: "s" } } },
      faults: [{ where: "JWT_COOKIE_SECURE" }],
    });
  });

  it("reads no inherited property", () => {
    const inherited: VariableTable = Object.fromEntries([["toString", { key: "a", type: "text" as const }]]);
    expect(readVariables({}, inherited)).toEqual({ value: {}, faults: [] });
  });
});

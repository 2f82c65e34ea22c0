import { describe, expect, it } from "vitest";
import { parseDatabaseUrl, quoteName, withDatabase } from "./database-url.js";

describe("withDatabase", () => {
  it.each([
    ["postgresql://a:b@h:1/x?sslmode=require", "y", "postgresql://a:b@h:1/y?sslmode=require"],
    ["postgres://h/x", "a b", "postgres://h/a%20b"],
    ["postgresql://h", "y", "postgresql://h/y"],
    ["postgresql://u@localhost/x?host=%2Ftmp", "y", "postgresql://u@localhost/y?host=%2Ftmp"],
  ])("%s with %s is %s", (url, name, expected) => {
    expect(withDatabase(url, name)).toBe(expected);
  });
});

describe("parseDatabaseUrl", () => {
  it.each(["", "x", "mysql://h/x", "file:/x", "http://secret@h"])("rejects %j", (url) => {
    expect(() => parseDatabaseUrl(url)).toThrow(TypeError);
    expect(() => parseDatabaseUrl(url)).not.toThrow(/secret/);
  });

  it("C120 names the command for the migrations of MySQL", () => {
    expect(() => parseDatabaseUrl("mysql://root:secret@h/x")).toThrow(
      "Prisma's schema engine for Node.js does not support MySQL. Run npx prisma migrate instead.",
    );
  });
});

it("quotes a name", () => {
  expect(quoteName('a"; DROP')).toBe('"a""; DROP"');
});

import { describe, expect, it } from "vitest";
import { readConnectionString } from "./connection-string.js";

describe("C123 a connection string", () => {
  it.each([
    "postgresql://localhost/shop",
    "postgres://ann:p%40ss,word@localhost:5433/shop?schema=x&sslmode=require",
    "postgresql:///shop?host=/var/run/postgresql",
    "postgresql://[::1]:5432/shop",
  ])("with one host is passed on unchanged: %s", (url) => {
    expect(readConnectionString(url)).toEqual({ url, hosts: [] });
  });

  it("with several hosts is one of the first, and a list of addresses", () => {
    expect(
      readConnectionString(
        "postgresql://ann:a,b@one:6432,two,[::1]:7000/shop?schema=x&target_session_attrs=read-write",
      ),
    ).toEqual({
      url: "postgresql://ann:a,b@one:6432/shop?schema=x",
      hosts: [
        { host: "one", port: 6432 },
        { host: "two", port: 5432 },
        { host: "::1", port: 7000 },
      ],
    });
    expect(readConnectionString("postgresql://one,two/shop").hosts).toHaveLength(2);
  });

  it("with one host and target_session_attrs requires that it accepts writes", () => {
    for (const wanted of ["read-write", "primary"])
      expect(readConnectionString(`postgresql://one/shop?target_session_attrs=${wanted}`)).toEqual({
        url: "postgresql://one/shop",
        hosts: [{ host: "one", port: 5432 }],
      });
  });

  it.each([
    ["mysql://one/shop", /not a PostgreSQL URL/],
    ["one,two", /not a PostgreSQL URL/],
    ["postgresql://one:port/shop", /not a PostgreSQL URL/],
    ["postgresql://secret@one,,two/shop", /invalid host/],
    ["postgresql://secret@one,two:port/shop", /invalid host/],
    [
      "postgresql://secret@one,two/shop?target_session_attrs=standby",
      /target_session_attrs=standby, but the service writes/,
    ],
  ])("that is invalid is rejected without being shown: %s", (url, message) => {
    expect(() => readConnectionString(url)).toThrow(message);
    expect(() => readConnectionString(url)).not.toThrow(/secret/);
  });
});

import { expect, it } from "vitest";
import { connectionOptions } from "./connection-options.js";

it("C119 reads the server, the account and the database of a URL", () => {
  expect(connectionOptions("mysql://a%40b:p%3Aw@[::1]:3307/my%20shop")).toEqual({
    host: "::1",
    port: 3307,
    user: "a@b",
    password: "p:w",
    database: "my shop",
  });
  expect(connectionOptions("mysql://root@db/shop?socket=/run/db.sock&sslaccept=strict")).toMatchObject({
    port: 3306,
    socketPath: "/run/db.sock",
    ssl: { rejectUnauthorized: true },
  });
  expect(connectionOptions("mysql://root@db/shop?sslaccept=accept_invalid_certs").ssl).toEqual({
    rejectUnauthorized: false,
  });
});

it.each([
  ["postgresql://root@db/shop", "Expected mysql://user:password@host:3306/name."],
  ["mysql://root:secret@db", "Expected mysql://user:password@host:3306/name."],
  ["mysql://root:secret@db/shop?ssl=true", "unknown parameter ssl. Known parameters: sslaccept"],
  ["mysql://root:secret@db/shop?sslaccept=no", "sslaccept of the database URL is strict or accept_invalid_certs."],
])("C119 rejects %s without its password", (url, message) => {
  expect(() => connectionOptions(url)).toThrow(message);
  expect(() => connectionOptions(url)).not.toThrow("secret");
});

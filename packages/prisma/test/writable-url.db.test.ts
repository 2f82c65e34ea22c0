import { describe, expect, inject, it } from "vitest";
import { findWritableUrl } from "../src/internal.js";

const server = new URL(inject("postgresUrl"));
const listOf = (hosts: string): string =>
  `postgresql://${server.username}:${server.password}@${hosts}/some%20name${server.search}`;

describe("C123 the URL of the server that accepts writes", () => {
  it("has the one host of several that responds, and the other parts of the list", async () => {
    const url = new URL(server);
    const list = `postgresql://${url.username}:${url.password}@127.0.0.1:1,${url.host}${url.pathname}${url.search}`;
    expect(await findWritableUrl(list)).toBe(url.href);
  });

  it("is the given one for one host and for other databases", async () => {
    for (const url of [listOf("db.example.com"), "mysql://root@db/shop", "file:./dev.db"])
      expect(await findWritableUrl(url)).toBe(url);
  });

  it("does not exist if no host responds, or an attribute requires a standby", async () => {
    await expect(findWritableUrl(listOf("127.0.0.1:1,127.0.0.1:2"))).rejects.toThrow(
      "no host of the connection string",
    );
    await expect(findWritableUrl(`${listOf("a,b").split("?")[0]}?target_session_attrs=standby`)).rejects.toThrow(
      "has target_session_attrs=standby",
    );
  });
});

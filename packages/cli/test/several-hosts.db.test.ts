import { expect, inject, it } from "vitest";
import { acquireDatabase } from "../src/database/acquire-database.js";
import type { ProjectFolder } from "../src/project/project.js";

const server = new URL(inject("postgresUrl"));
const withHosts = (hosts: string): string => server.href.replace(server.host, hosts);
const acquire = (DATABASE_URL: string) => acquireDatabase({} as ProjectFolder, { DATABASE_URL }, () => undefined);

it("C123 commands use the host of DATABASE_URL that accepts writes", async () => {
  const { url, place } = await acquire(withHosts(`127.0.0.1:1,${server.host}`));
  expect([url, place]).toEqual([server.href, `PostgreSQL at ${server.host}${server.pathname}`]);
});

it("C123 commands fail if no host accepts writes", async () => {
  await expect(acquire(withHosts("127.0.0.1:1,127.0.0.1:2"))).rejects.toThrow(
    "DATABASE_URL: None of its hosts accepts writes.",
  );
  await expect(acquire(withHosts("127.0.0.1:1,"))).rejects.toThrow(
    "DATABASE_URL: has an invalid host in its list of hosts.",
  );
});

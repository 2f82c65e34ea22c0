import { expect, it } from "vitest";
import { serverIssue } from "./foreign-server.js";

it.each([
  "PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit",
  "PostgreSQL 16.4 on aarch64-unknown-linux-gnu, compiled by aarch64-unknown-linux-gnu-gcc (GCC) 9.5.0, 64-bit",
  "PostgreSQL 15.2 (EnterpriseDB Advanced Server 15.2.0) on x86_64-pc-linux-gnu, 64-bit",
])("C127 accepts %s", (version) => {
  expect(serverIssue(version)).toBeUndefined();
});

it.each([
  ["CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/11/18, go1.22.8)", "CockroachDB"],
  ["PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 16.0.6, 64-bit", "YugabyteDB"],
  ["PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.61678", "Amazon Redshift"],
  ["PostgreSQL 12.12 (Greenplum Database 7.1.0 build commit:e7c2b1f) on x86_64-pc-linux-gnu", "Greenplum"],
  ["PostgreSQL 9.5 on x86_64-unknown-linux-gnu (Materialize v0.128.0)", "Materialize"],
  ["PostgreSQL 12.3, compiled by Visual C++ build 1914, 64-bit, QuestDB", "QuestDB"],
  ["CrateDB 5.9.3 (built 1f2a4b0/2024-11-05, OpenJDK 64-Bit Server VM 23.0.1)", "CrateDB"],
  ["SomethingElse 1.0", '"SomethingElse 1.0"'],
])("C127 rejects %s", (version, name) => {
  expect(serverIssue(version)).toBe(
    `The server of the database URL is ${name}, which uses the protocol of PostgreSQL and is not supported. Use PostgreSQL.`,
  );
});

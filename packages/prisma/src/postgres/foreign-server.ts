/** Servers that use the protocol of PostgreSQL, by a word of their `version()`, and are not PostgreSQL. */
const servers: readonly (readonly [word: RegExp, name: string])[] = [
  [/^CockroachDB/, "CockroachDB"],
  [/-YB-|Yugabyte/, "YugabyteDB"],
  [/Redshift/, "Amazon Redshift"],
  [/Greenplum/, "Greenplum"],
  [/Materialize/, "Materialize"],
  [/QuestDB/, "QuestDB"],
  [/CrateDB/, "CrateDB"],
];

/**
 * Why the server of a connection is not supported; `undefined` for PostgreSQL, also as a service or a variant of a vendor
 * with PostgreSQL's own `version()`.
 *
 * @param version the result of `version()`
 */
export function serverIssue(version: string): string | undefined {
  const known = servers.find(([word]) => word.test(version))?.[1];
  if (known === undefined && version.startsWith("PostgreSQL ")) return undefined;
  const name = known ?? `"${version.slice(0, 40)}"`;
  return `The server of the database URL is ${name}, which uses the protocol of PostgreSQL and is not supported. Use PostgreSQL.`;
}

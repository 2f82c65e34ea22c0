/** Prisma's names of PostgreSQL. */
const served: readonly string[] = ["postgresql", "postgres"];

/**
 * Why the database of a schema is not supported, in one line; `undefined` for PostgreSQL, and if the provider is
 * unknown (contract C77).
 *
 * @param provider that of the `datasource` block
 */
export function providerIssue(provider: string | undefined): string | undefined {
  if (provider === undefined || served.includes(provider)) return undefined;
  return `servicekit supports PostgreSQL only, and the datasource of the schema has the provider "${provider}".`;
}

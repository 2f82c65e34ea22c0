/** The names that Prisma has for PostgreSQL. */
const served: readonly string[] = ["postgresql", "postgres"];

/**
 * Why the database of a schema cannot be served, in one line; `undefined` for PostgreSQL, and where nobody says which it is
 * (contract C77).
 *
 * @param provider as the `datasource` block of the schema says it
 */
export function providerFault(provider: string | undefined): string | undefined {
  if (provider === undefined || served.includes(provider)) return undefined;
  return `servicekit serves PostgreSQL only, and the datasource of the schema has the provider "${provider}": other databases are not supported.`;
}

import { isMysqlUrl } from "@servicekit/core/internal";

/**
 * Parses the URL of a PostgreSQL database.
 *
 * @throws TypeError for anything else; the message and the error do not contain the URL, which may include a password.
 */
export function parseDatabaseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && /^postgres(ql)?:$/.test(parsed.protocol)) return parsed;
  requireSchemaEngine(url);
  throw new TypeError("The database URL is invalid. Expected postgresql://user:password@host:5432/name.");
}

/**
 * Checks that the schema engine, which compares schemas and databases, supports the database of a URL.
 *
 * @param command the command of Prisma's command line, which has another build of the engine
 * @throws TypeError for MySQL
 */
export function requireSchemaEngine(url: string, command = "npx prisma migrate"): void {
  if (!isMysqlUrl(url)) return;
  throw new TypeError(`Prisma's schema engine for Node.js does not support MySQL. Run ${command} instead.`);
}

/** The same server, user and settings with another database. */
export function withDatabase(url: string, name: string): string {
  const other = parseDatabaseUrl(url);
  // `pg` decodes no more than decodeURI does.
  other.pathname = `/${encodeURI(name)}`;
  return other.href;
}

/** Quotes a name for SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

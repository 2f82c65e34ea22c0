import { parseDatabaseUrl, quoteName } from "../databases/database-url.js";
import { withClient } from "../databases/with-client.js";
import { toMigrationError } from "./migration-error.js";

/** An index that a Prisma schema cannot express. Prisma Migrate ignores indexes of expressions. */
export interface ExpressionIndex {
  /** Unique per definition, because a changed index is recognized by its name. */
  readonly name: string;
  /** The schema of its table. @default the one in the parameter `schema` of the URL, or `public` */
  readonly schema?: string | undefined;
  /** The statements that create it. */
  readonly sql: string;
}

/** The comment of created indexes, by which obsolete ones are found. */
const comment = "Created by service migrate";

/** The statements from the indexes of a database to these; empty if there is no difference. */
export async function indexChanges(url: string, indexes: readonly ExpressionIndex[]): Promise<string> {
  const own = parseDatabaseUrl(url).searchParams.get("schema") ?? "public";
  const schemas = [...new Set([own, ...indexes.map(({ schema }) => schema ?? own)])];
  const found = await withClient(url, (client) =>
    client.query<{ schema: string; name: string; isCreated: boolean }>(indexesSql, [schemas, comment]),
  ).catch((error: unknown) => {
    throw toMigrationError(error);
  });
  const isWanted = (schema: string, name: string): boolean =>
    indexes.some((index) => index.name === name && (index.schema ?? own) === schema);
  const isThere = (index: ExpressionIndex): boolean =>
    found.rows.some(({ schema, name }) => schema === (index.schema ?? own) && name === index.name);
  const qualified = (schema: string | undefined, name: string): string =>
    schema === undefined || schema === own ? quoteName(name) : `${quoteName(schema)}.${quoteName(name)}`;
  const dropped = found.rows
    .filter(({ schema, name, isCreated }) => isCreated && !isWanted(schema, name))
    .map(({ schema, name }) => `-- DropIndex\nDROP INDEX IF EXISTS ${qualified(schema, name)};\n`);
  const created = indexes
    .filter((index) => !isThere(index))
    .map(
      ({ schema, name, sql }) =>
        `-- CreateIndex\n${sql}\nCOMMENT ON INDEX ${qualified(schema, name)} IS '${comment}';\n`,
    );
  return [...dropped, ...created].join("\n");
}

const indexesSql = `SELECT n.nspname::text AS "schema", c.relname::text AS "name",
coalesce(obj_description(c.oid, 'pg_class') = $2, false) AS "isCreated"
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'i' AND n.nspname = ANY($1::text[]) ORDER BY 1, 2`;

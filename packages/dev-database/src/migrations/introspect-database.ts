import fs from "node:fs";
import { parseDatabaseUrl, requireSchemaEngine } from "../databases/database-url.js";
import { isSqliteUrl, sqliteFile } from "../databases/is-sqlite-url.js";
import { MigrationError } from "./migration-error.js";
import { withSchemaEngine } from "./with-schema-engine.js";

/** Options of `introspectDatabase`. */
export interface IntrospectDatabaseOptions {
  /**
   * The schemas of the database to read.
   * @default the one in the parameter `schema` of the URL, or `public`
   */
  readonly schemas?: readonly string[];
}

/** The result of `introspectDatabase`. */
export interface IntrospectedDatabase {
  /** The text of the Prisma schema, without generator blocks. */
  readonly schema: string;
  /** What the schema does not represent, such as tables without an id; several lines for the terminal. */
  readonly warnings: string | undefined;
}

/**
 * Writes the Prisma schema of an existing database: `prisma db pull` without a schema. The database is only read.
 *
 * @throws MigrationError if the database cannot be read or has no tables, if a foreign key refers to a table of another
 * schema, or for schemas of SQLite
 */
export async function introspectDatabase(
  url: string,
  { schemas }: IntrospectDatabaseOptions = {},
): Promise<IntrospectedDatabase> {
  requireSchemaEngine(url, "npx prisma db pull");
  const isSqlite = isSqliteUrl(url);
  if (isSqlite && schemas !== undefined) throw new MigrationError("SQLite has no schemas to choose.");
  if (isSqlite && !fs.existsSync(sqliteFile(url)))
    throw new MigrationError(`The file ${sqliteFile(url)} does not exist.`);
  const read = isSqlite ? [] : (schemas ?? [parseDatabaseUrl(url).searchParams.get("schema") ?? "public"]);
  const property = schemas === undefined ? "" : `  schemas  = ${JSON.stringify(schemas)}\n`;
  const content = `datasource db {\n  provider = "${isSqlite ? "sqlite" : "postgresql"}"\n${property}}\n`;
  const work = withSchemaEngine(url, (engine) =>
    engine.introspect({
      schema: { files: [{ path: "schema.prisma", content }] },
      baseDirectoryPath: ".",
      force: true,
      compositeTypeDepth: -1,
      namespaces: schemas === undefined ? null : [...schemas],
    }),
  );
  const { schema, warnings } = await work.catch((error: unknown) => {
    throw withSchemas(error, read);
  });
  return { schema: schema.files[0]?.content ?? "", warnings: warnings?.trim() || undefined };
}

/** Prisma's errors refer to a property of the schema, which does not exist yet. */
function withSchemas(error: unknown, schemas: readonly string[]): unknown {
  if (!(error instanceof MigrationError)) return error;
  const { code, message } = error;
  if (code === "P4001") {
    const place = schemas.length === 0 ? "" : ` in ${listed(schemas)}`;
    return new MigrationError(`The database has no tables${place}.`, { code, cause: error });
  }
  const [, from = "", to = "", constraint = ""] =
    /`([^`]+)` points to `([^`]+)` in constraint `([^`]+)`/.exec(message) ?? [];
  if (code !== "P4002" || to === "") return error;
  const missing = to.split(".", 1)[0] ?? "";
  return new MigrationError(
    `The foreign key ${constraint} of ${from} refers to ${to}. Read the schema ${missing} too: ${[...schemas, missing].join(",")}.`,
    { code, cause: error },
  );
}

const listed = (schemas: readonly string[]): string =>
  `${schemas.length === 1 ? "the schema" : "the schemas"} ${schemas.join(", ")}`;

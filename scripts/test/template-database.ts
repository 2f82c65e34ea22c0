import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { withClient } from "../../packages/dev-database/src/databases/with-client.js";
import { type CreatedDatabase, createDatabase, pushSchema } from "../../packages/dev-database/src/index.js";

type Client = Parameters<Parameters<typeof withClient>[1]>[0];

const devDatabase = path.join(import.meta.dirname, "../../packages/dev-database");
const engine = createRequire(path.join(devDatabase, "package.json")).resolve("@prisma/schema-engine-wasm");
/** Turns the sources into tables. */
const makers = [path.join(devDatabase, "src/migrations"), path.join(path.dirname(engine), "package.json")];
const prefix = "servicekit_template_";
const lifetime = "1 day";

/** The initial content of a database. */
export interface TemplateContent {
  /** Files and folders from which the content is made: it is made again when one changes. */
  readonly sources: readonly string[];
  /** Everything else that affects what `fill` writes. */
  readonly key?: string;
  /** Writes it into an empty database, and leaves no connection open. */
  fill(url: string): Promise<void>;
}

/**
 * A database with the content of a template, which is created once and copied for every test file. Of several
 * concurrent runs, also of several checkouts, one creates the template and the others wait; a finished one accepts no
 * connections. Templates of previous days are dropped when another is created.
 */
export async function createFilledDatabase(serverUrl: string, content: TemplateContent): Promise<CreatedDatabase> {
  const template = prefix + hashOf(content);
  for (let attempt = 1; ; attempt++) {
    await ensureTemplate(serverUrl, template, content);
    try {
      return await createDatabase(serverUrl, { template });
    } catch (error) {
      // Another run has dropped it for its age.
      const isGone = (error as { code?: string }).code === "3D000";
      if (!isGone || attempt === 3) throw error;
      ready.delete(serverUrl + template);
    }
  }
}

/** A database with the tables of a Prisma schema: a file, or a folder of files. */
export function createPushedDatabase(serverUrl: string, schema: string): Promise<CreatedDatabase> {
  const source = statSync(schema).isDirectory() ? { directory: schema } : readFileSync(schema, "utf8");
  return createFilledDatabase(serverUrl, { sources: [schema], fill: (url) => pushSchema(url, source) });
}

const ready = new Map<string, Promise<void>>();

function ensureTemplate(serverUrl: string, template: string, content: TemplateContent): Promise<void> {
  const known = ready.get(serverUrl + template);
  if (known !== undefined) return known;
  const made = makeTemplate(serverUrl, template, content);
  ready.set(serverUrl + template, made);
  made.catch(() => ready.delete(serverUrl + template));
  return made;
}

async function makeTemplate(serverUrl: string, template: string, content: TemplateContent): Promise<void> {
  await withClient(serverUrl, async (client) => {
    // Released with the connection, so that a killed run does not block others.
    await client.query("SELECT pg_advisory_lock(hashtext($1))", [template]);
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [template]);
    if (rowCount !== 0) return;
    await dropOld(client);
    // It gets its final name when it is complete, so that a killed run leaves no partial template.
    const database = await createDatabase(serverUrl, { name: `${template}_${process.pid}` });
    try {
      await client.query(`COMMENT ON DATABASE "${database.name}" IS '${new Date().toISOString()}'`);
      await content.fill(database.url);
      await client.query(`ALTER DATABASE "${database.name}" IS_TEMPLATE true ALLOW_CONNECTIONS false`);
      // A closed session may still be ending.
      await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [database.name]);
      await client.query(`ALTER DATABASE "${database.name}" RENAME TO "${template}"`);
    } catch (error) {
      await drop(client, database.name);
      throw error;
    }
  });
}

async function dropOld(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database
     WHERE starts_with(datname, $1) AND shobj_description(oid, 'pg_database')::timestamptz < now() - $2::interval`,
    [prefix, lifetime],
  );
  for (const { name } of rows) await drop(client, name);
}

/** It belongs to another user, or was dropped by another run at this moment. */
async function drop(client: Client, name: string): Promise<void> {
  try {
    await client.query(`ALTER DATABASE "${name}" IS_TEMPLATE false`);
    await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  } catch {}
}

function hashOf({ sources, key = "" }: TemplateContent): string {
  const hash = createHash("sha256").update(key);
  for (const file of [...makers, ...sources].flatMap(filesOf)) {
    hash.update("\0").update(path.basename(file)).update("\0").update(readFileSync(file));
  }
  return hash.digest("hex").slice(0, 32);
}

function filesOf(source: string): string[] {
  if (!statSync(source).isDirectory()) return [source];
  const entries = readdirSync(source, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

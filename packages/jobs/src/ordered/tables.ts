import { quoteName, quoteText } from "@servicekit/prisma/internal";

/** Runs SQL: one statement, or several without values. @returns the rows of the last one */
export type RunSql = (text: string, values?: readonly unknown[]) => Promise<readonly SqlRow[]>;

/** Runs statements in one transaction. @returns the rows of each of them */
export type RunAllSql = (text: string) => Promise<readonly (readonly SqlRow[])[]>;

export type SqlRow = Readonly<Record<string, unknown>>;

/** A text in SQL without values, also of a server that reads backslashes in other constants. */
export const literal = (text: string): string => `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;

/** A statement whose only value is JSON, in the place `$1`, without the compilation of PostgreSQL, which takes longer than the statement. */
export const quickStatement = (text: string, json: unknown): string =>
  `SET LOCAL jit = off;\n${text.replaceAll("$1", () => `${literal(JSON.stringify(json))}::json`)}`;

/** The quoted names of the tables of ordered queues. */
export interface OrderedTables {
  /** One row for each key with waiting jobs: when its first job is due, and which process runs it. */
  readonly groups: string;
  /** The waiting jobs of the keys. */
  readonly jobs: string;
  /** The pauses of targets. */
  readonly targets: string;
  /** The jobs that have failed for good. */
  readonly failed: string;
  /** The ids of sent jobs: a second job with the same id is ignored. */
  readonly ids: string;
  /** The processes that alone do something. */
  readonly leases: string;
  /** The positions of jobs that no change orders, as a text. */
  readonly sequence: string;
}

export function orderedTables(schema: string): OrderedTables {
  const table = (name: string): string => `${quoteName(schema)}.${quoteName(name)}`;
  return {
    ...{ groups: table("ordered_group"), jobs: table("ordered_job"), targets: table("ordered_target") },
    ...{ failed: table("ordered_failed"), ids: table("ordered_id"), leases: table("lease") },
    sequence: quoteText(table("ordered_position")),
  };
}

/** Creates the tables of ordered queues in the schema of pg-boss. */
export async function createOrderedTables(run: RunSql, schema: string): Promise<void> {
  const tables = orderedTables(schema);
  const [row] = await run("SELECT to_regclass($1) IS NOT NULL AS exists", [tables.leases]);
  if (row?.exists === true) return;
  const sequence = `${quoteName(schema)}.${quoteName("ordered_position")}`;
  // A lock of the transaction, which several statements without values are: processes may start at the same time.
  await run(`SELECT pg_advisory_xact_lock(hashtext(${quoteText(`servicekit ${schema}`)}), 1);
CREATE SEQUENCE IF NOT EXISTS ${sequence};
CREATE TABLE IF NOT EXISTS ${tables.groups} (
  queue text NOT NULL, target text NOT NULL, key text NOT NULL,
  due timestamptz NOT NULL, attempt int NOT NULL DEFAULT 0, holder uuid, last_position bigint NOT NULL,
  PRIMARY KEY (queue, target, key));
CREATE INDEX IF NOT EXISTS ordered_group_due ON ${tables.groups} (queue, target, due);
CREATE TABLE IF NOT EXISTS ${tables.jobs} (
  queue text NOT NULL, target text NOT NULL, key text NOT NULL, position bigint NOT NULL, id uuid NOT NULL,
  data jsonb, start_after timestamptz, created timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (queue, target, key, position, id));
CREATE INDEX IF NOT EXISTS ordered_job_change ON ${tables.jobs} (position) WHERE data IS NULL;
CREATE TABLE IF NOT EXISTS ${tables.targets} (
  queue text NOT NULL, target text NOT NULL, paused_until timestamptz NOT NULL, PRIMARY KEY (queue, target));
CREATE TABLE IF NOT EXISTS ${tables.failed} (
  row_id uuid PRIMARY KEY DEFAULT gen_random_uuid(), queue text NOT NULL, target text NOT NULL, key text NOT NULL,
  position bigint NOT NULL, id uuid NOT NULL, data jsonb, attempts int NOT NULL, error text NOT NULL,
  created timestamptz NOT NULL, failed timestamptz NOT NULL DEFAULT now());
CREATE INDEX IF NOT EXISTS ordered_failed_queue ON ${tables.failed} (queue, failed, row_id);
CREATE INDEX IF NOT EXISTS ordered_failed_change ON ${tables.failed} (position) WHERE data IS NULL;
CREATE TABLE IF NOT EXISTS ${tables.ids} (
  queue text NOT NULL, id uuid NOT NULL, batch uuid NOT NULL, time timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (queue, id));
CREATE INDEX IF NOT EXISTS ordered_id_time ON ${tables.ids} (time);
CREATE TABLE IF NOT EXISTS ${tables.leases} (
  name text PRIMARY KEY, holder uuid NOT NULL, fence bigint NOT NULL, until timestamptz NOT NULL)`);
}

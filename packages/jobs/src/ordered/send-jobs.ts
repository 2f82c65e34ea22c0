import { randomUUID } from "node:crypto";
import { literal, type OrderedTables, type RunAllSql, type RunSql } from "./tables.js";

/** A job of an ordered queue to store. */
export interface OrderedJob {
  readonly queue: string;
  readonly target: string;
  readonly key: string;
  /** @default a random one */
  readonly id?: string | undefined;
  /** Whether the job is ignored if there is or was one with its id. @default false */
  readonly isUnique?: boolean;
  /** The id of its change, which orders it. @default the order of sending */
  readonly position?: bigint | undefined;
  /** Without it the job refers to the change. */
  readonly data?: object | undefined;
  readonly startAfter?: Date | undefined;
}

/** The target of jobs without one: names of targets are not empty. */
export const noTarget = "-";

const columns =
  'm(ordinal int, queue text, target text, key text, id uuid, batch uuid, position bigint, data jsonb, "startAfter" timestamptz)';
/** The number of jobs that one statement stores: longer ones block the event loop. */
const maxRows = 1_000;
/** The length of their data, in characters. */
const maxLength = 1_000_000;

/** A statement whose only value is a text of JSON. */
interface Statement {
  readonly text: string;
  readonly json: string;
}

/**
 * Returns the statements that store jobs in one transaction; the last one of each part returns the ids of stored jobs. They lock the groups of their keys until
 * the transaction ends, so that the jobs of a key are stored in the order of commits, and no process removes a group meanwhile.
 * Jobs with an id that exists are ignored.
 */
function* storeStatements(tables: OrderedTables, jobs: readonly OrderedJob[]): Generator<Statement> {
  const { groups, jobs: table, ids, sequence } = tables;
  for (const part of partsOf(jobs)) {
    const keys = JSON.stringify(part.map(({ data: _, ...job }) => job));
    const isNew = `(m.batch IS NULL OR EXISTS (SELECT FROM ${ids} AS i WHERE i.queue = m.queue AND i.id = m.id AND i.batch = m.batch))`;
    if (part.some(({ batch }) => batch !== undefined))
      yield {
        text: `INSERT INTO ${ids} (queue, id, batch) SELECT queue, id, batch FROM json_to_recordset($1::text::json) AS ${columns}
WHERE batch IS NOT NULL ORDER BY queue, id ON CONFLICT DO NOTHING`,
        json: keys,
      };
    yield {
      text: `INSERT INTO ${groups} AS g (queue, target, key, due, last_position)
SELECT queue, target, key, greatest(now(), (array_agg("startAfter" ORDER BY ordinal))[1]), coalesce(min(position), nextval(${sequence})) - 1
FROM json_to_recordset($1::text::json) AS ${columns} WHERE ${isNew} GROUP BY queue, target, key ORDER BY queue, target, key
ON CONFLICT (queue, target, key) DO UPDATE SET last_position = least(g.last_position, excluded.last_position)`,
      json: keys,
    };
    yield {
      text: `INSERT INTO ${table} (queue, target, key, position, id, data, start_after)
SELECT queue, target, key, coalesce(position, nextval(${sequence})), id, data, "startAfter"
FROM (SELECT * FROM json_to_recordset($1::text::json) AS ${columns} WHERE ${isNew} ORDER BY ordinal) AS m RETURNING id::text`,
      json: JSON.stringify(part),
    };
  }
}

/** Stores jobs in an open transaction. @returns the ids of those that are new */
export async function storeJobs(run: RunSql, tables: OrderedTables, jobs: readonly OrderedJob[]) {
  const stored: string[] = [];
  for (const { text, json } of storeStatements(tables, jobs))
    stored.push(...(await run(text, [json])).map(({ id }) => String(id)));
  return stored;
}

/** Stores jobs in a transaction of their own. @returns the ids of those that are new */
export async function storeJobsAlone(run: RunAllSql, tables: OrderedTables, jobs: readonly OrderedJob[]) {
  const statements = [...storeStatements(tables, jobs)].map(({ text, json }) =>
    text.replace("$1", () => literal(json)),
  );
  const results = statements.length === 0 ? [] : await run(statements.join(";\n"));
  return results.flatMap((rows) => rows.map(({ id }) => String(id)));
}

/** Jobs in the form of the statements, in parts of bounded length. */
function* partsOf(jobs: readonly OrderedJob[]) {
  let part: StoredJob[] = [];
  let length = 0;
  const batch = randomUUID();
  for (const job of jobs) {
    const size = job.data === undefined ? 0 : lengthOf(job.data);
    if (part.length > 0 && (part.length >= maxRows || length + size > maxLength)) {
      yield part;
      [part, length] = [[], 0];
    }
    const { id = randomUUID(), isUnique = false, position, ...rest } = job;
    part.push({
      ...{ ...rest, id, ordinal: part.length },
      ...(isUnique ? { batch } : {}),
      ...(position === undefined ? {} : { position: String(position) }),
    });
    length += size;
  }
  if (part.length > 0) yield part;
}

interface StoredJob {
  readonly ordinal: number;
  readonly queue: string;
  readonly target: string;
  readonly key: string;
  readonly id: string;
  readonly batch?: string;
  readonly position?: string;
  readonly data?: object | undefined;
  readonly startAfter?: Date | undefined;
}

/** The approximate length of data as JSON. */
const lengthOf = (data: object): number =>
  Object.values(data).reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value.length : (JSON.stringify(value)?.length ?? 0)),
    0,
  );
